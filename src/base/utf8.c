#include "base/utf8.h"

size_t utf8_bytes(const unsigned char *at, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t n = at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;

	if (!n || n > left)
		return 0;
	if (at[0] == 0xe0)
		low = 0xa0;
	else if (at[0] == 0xed)
		high = 0x9f;
	else if (at[0] == 0xf0)
		low = 0x90;
	else if (at[0] == 0xf4)
		high = 0x8f;
	if (at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return n;
}
