/* Times as a person's clock shows them: in the local zone of who reads, not of who recorded.
 *
 * real_ns counts nanoseconds since 1970. A page says the date once (local_moment) and the clock
 * time in its rows (local_clock). Each function writes a text that ends with NUL and returns its
 * length; a time that has no local form is "?".
 */
#ifndef PL_OS_LOCAL_H
#define PL_OS_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#define LOCAL_BYTES 40

/* "2026-11-21 10:52:01" */
size_t local_moment(char text[LOCAL_BYTES], int64_t real_ns);
/* "2026-11-21" */
size_t local_date(char text[LOCAL_BYTES], int64_t real_ns);
/* "10:52:01.500" with 3 decimals; up to 9. Cut, not rounded, as clocks do. */
size_t local_clock(char text[LOCAL_BYTES], int64_t real_ns, unsigned decimals);

#endif
