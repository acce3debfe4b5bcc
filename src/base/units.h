/* Numbers with their unit, in the one notation that every part shows to a person. JSON, CSV and
 * `dump --fields` have plain numbers of one unit instead.
 *
 * Each function writes a text that ends with NUL and returns its length in bytes.
 */
#ifndef PL_BASE_UNITS_H
#define PL_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define UNITS_BYTES 32

/* "0 s", "870 ns", "1.2 µs", "45.6 ms", "350 ms", "7.9 s", "2 min 5 s", "3 h 7 min": up to a minute
 * one decimal below 100 and none from there on, as sizes have. A negative duration has a minus
 * sign. */
size_t units_duration(char text[UNITS_BYTES], int64_t ns);

/* From a start to an end, which may have any value: 0 if the end is before the start. */
int64_t units_between(int64_t start_ns, int64_t end_ns);

/* INT64_MAX: it is more, or one of them is not known. */
int64_t units_sum(int64_t one_ns, int64_t other_ns);

/* The error of a measured time: "±1.2 ms". */
size_t units_error(char text[UNITS_BYTES], int64_t ns);

/* "512 B", "1.2 KiB", "345 MiB": powers of 1024. */
size_t units_size(char text[UNITS_BYTES], uint64_t bytes);

/* "1,234,567" */
size_t units_count(char text[UNITS_BYTES], uint64_t n);

#endif
