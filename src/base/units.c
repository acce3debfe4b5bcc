#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S   1000000000u
#define NS_PER_MIN (60ull * NS_PER_S)

static uint64_t rounded(uint64_t v, uint64_t step)
{
	return v / step + (v % step >= (step + 1) / 2 && step > 1);
}

/* The value in `unit`, with one decimal below 100 and none from there on; 0: it needs a larger
 * unit. The value is rounded before the unit is chosen, so that 999.9 µs is shown as 1.0 ms. */
static int write_unit(char text[UNITS_BYTES], uint64_t v, uint64_t unit, const char *name)
{
	const uint64_t tenths = rounded(v, unit > 1 ? unit / 10 : 1);
	const uint64_t whole = rounded(v, unit);

	if (unit > 1 && tenths < 1000)
		return snprintf(text, UNITS_BYTES, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
			tenths % 10, name);
	return whole < 1000 ? snprintf(text, UNITS_BYTES, "%" PRIu64 " %s", whole, name) : 0;
}

static int write_short(char text[UNITS_BYTES], uint64_t ns)
{
	int length = write_unit(text, ns, 1, "ns");

	if (!length)
		length = write_unit(text, ns, 1000, "µs");
	if (!length)
		length = write_unit(text, ns, 1000000, "ms");
	return length ? length : write_unit(text, ns, NS_PER_S, "s");
}

static int write_long(char text[UNITS_BYTES], uint64_t ns)
{
	const uint64_t seconds = rounded(ns, NS_PER_S), minutes = rounded(ns, NS_PER_MIN);

	if (seconds < 3600)
		return snprintf(text, UNITS_BYTES, "%" PRIu64 " min %" PRIu64 " s", seconds / 60,
			seconds % 60);
	return snprintf(
		text, UNITS_BYTES, "%" PRIu64 " h %" PRIu64 " min", minutes / 60, minutes % 60);
}

size_t units_duration(char text[UNITS_BYTES], int64_t ns)
{
	const uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char shown[UNITS_BYTES];

	if (!v)
		return (size_t)snprintf(text, UNITS_BYTES, "0 s");
	if (rounded(v, NS_PER_S / 10) < 600)
		write_short(shown, v);
	else
		write_long(shown, v);
	return (size_t)snprintf(
		text, UNITS_BYTES, "%s%.*s", ns < 0 ? "-" : "", UNITS_BYTES - 2, shown);
}

int64_t units_between(int64_t start_ns, int64_t end_ns)
{
	int64_t ns = 0;

	if (end_ns > start_ns && __builtin_sub_overflow(end_ns, start_ns, &ns))
		ns = INT64_MAX;
	return ns;
}

int64_t units_sum(int64_t one_ns, int64_t other_ns)
{
	int64_t sum_ns;

	return __builtin_add_overflow(one_ns, other_ns, &sum_ns) ? INT64_MAX : sum_ns;
}

size_t units_error(char text[UNITS_BYTES], int64_t ns)
{
	char shown[UNITS_BYTES];

	if (ns < 0 || ns == INT64_MAX)
		return (size_t)snprintf(text, UNITS_BYTES, "±?");
	units_duration(shown, ns);
	return (size_t)snprintf(text, UNITS_BYTES, "±%.*s", UNITS_BYTES - 3, shown);
}

size_t units_size(char text[UNITS_BYTES], uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	uint64_t unit = 1;
	size_t i = 0;

	/* 1023.5 and more would be rounded to 1024. */
	while (i + 1 < sizeof names / sizeof *names && rounded(bytes, unit) >= 1024) {
		unit *= 1024;
		i++;
	}
	const uint64_t tenths = (uint64_t)((double)bytes / (double)unit * 10 + 0.5);
	if (!i || tenths >= 1000)
		return (size_t)snprintf(
			text, UNITS_BYTES, "%" PRIu64 " %s", rounded(bytes, unit), names[i]);
	return (size_t)snprintf(text, UNITS_BYTES, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
		tenths % 10, names[i]);
}

size_t units_count(char text[UNITS_BYTES], uint64_t n)
{
	char plain[UNITS_BYTES];
	const int length = snprintf(plain, sizeof plain, "%" PRIu64, n);
	size_t used = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = plain[i];
	}
	text[used] = 0;
	return used;
}
