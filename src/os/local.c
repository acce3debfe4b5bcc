#define _GNU_SOURCE
#include "os/local.h"

#include <stdio.h>
#include <time.h>

#define NS_PER_S 1000000000

static size_t write_time(char text[LOCAL_BYTES], int64_t real_ns, const char *form)
{
	time_t seconds = (time_t)(real_ns / NS_PER_S - (real_ns % NS_PER_S < 0));
	struct tm local;
	size_t n = 0;

	if (localtime_r(&seconds, &local))
		n = strftime(text, LOCAL_BYTES, form, &local);
	return n ? n : (size_t)snprintf(text, LOCAL_BYTES, "?");
}

size_t local_moment(char text[LOCAL_BYTES], int64_t real_ns)
{
	return write_time(text, real_ns, "%Y-%m-%d %H:%M:%S");
}

size_t local_date(char text[LOCAL_BYTES], int64_t real_ns)
{
	return write_time(text, real_ns, "%Y-%m-%d");
}

size_t local_clock(char text[LOCAL_BYTES], int64_t real_ns, unsigned decimals)
{
	size_t n = write_time(text, real_ns, "%H:%M:%S");
	int64_t fraction = real_ns % NS_PER_S;

	if (!decimals || n < 8)
		return n;
	if (fraction < 0)
		fraction += NS_PER_S;
	for (unsigned i = decimals; i < 9; i++)
		fraction /= 10;
	return n + (size_t)snprintf(text + n, LOCAL_BYTES - n, ".%0*d",
			   (int)(decimals < 9 ? decimals : 9), (int)fraction);
}
