/* Texts of instances of the types in library.c's table. Each is given one with the layout that its
 * row says (compat/library.h), or an instance of its row's class, whose slots may be unbound. */
#ifndef PL_RECORDER_VALUES_LIBRARY_TEXTS_H
#define PL_RECORDER_VALUES_LIBRARY_TEXTS_H

#include "recorder/values/library.h"

/* library_time.c */
library_text text_of_date, text_of_datetime, text_of_time, text_of_timedelta, text_of_timezone,
	text_of_zoneinfo;

/* library_number.c */
library_text text_of_decimal, text_of_fraction, text_of_uuid;

/* library_path.c */
library_text text_of_path;

/* library_match.c */
library_text text_of_pattern, text_of_match;

/* library_array.c */
library_text text_of_array, text_of_scalar;

/* library.c */
library_text text_of_member, text_of_weakref;

#endif
