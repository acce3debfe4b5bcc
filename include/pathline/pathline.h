/* libpathline reads recordings of Python programs. This header includes all others; each of them
 * states its own contract. */
#ifndef PATHLINE_PATHLINE_H
#define PATHLINE_PATHLINE_H

#include "pathline/counts.h"
#include "pathline/cursor.h"
#include "pathline/error.h"
#include "pathline/event.h"
#include "pathline/profile.h"
#include "pathline/recording.h"
#include "pathline/search.h"
#include "pathline/sources.h"
#include "pathline/times.h"
#include "pathline/values.h"

#define PATHLINE_VERSION "0.1.0"

#endif
