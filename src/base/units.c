#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S   1000000000u
#define NS_PER_MIN (60ull * NS_PER_S)

static uint64_t rounded(uint64_t v, uint64_t step)
{
	return v / step + (v % step >= (step + 1) / 2 && step > 1);
}

/* The value in `unit`, with as many decimals as give three digits; 0: it takes a larger unit. The
 * value is rounded before the unit is chosen, so that 999.9 µs is shown as 1.00 ms. */
static int write_unit(char text[UNITS_BYTES], uint64_t v, uint64_t unit, const char *name)
{
	if (unit == 1)
		return v < 1000 ? snprintf(text, UNITS_BYTES, "%" PRIu64 " %s", v, name) : 0;
	for (int decimals = 2; decimals >= 0; decimals--) {
		const uint64_t scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
		const uint64_t digits = rounded(v, unit / scale);
		if (digits >= 1000)
			continue;
		if (!decimals)
			return snprintf(text, UNITS_BYTES, "%" PRIu64 " %s", digits, name);
		return snprintf(text, UNITS_BYTES, "%" PRIu64 ".%0*" PRIu64 " %s", digits / scale,
			decimals, digits % scale, name);
	}
	return 0;
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

	/* From 1023.5 on the whole number would be 1024. */
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
