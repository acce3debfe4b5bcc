#include "source/kernel.h"

#include <string.h>

bool kernel_groups_read(const char *list, uint32_t *groups, struct pl_view *word)
{
	static const char *const words[] = {
#define X(constant, word) [KERNEL_GROUP_##constant] = word,
		KERNEL_GROUPS(X)
#undef X
	};

	*groups = *list ? 0 : (1u << KERNEL_GROUP_COUNT) - 1;
	while (*list) {
		const size_t length = strcspn(list, ",");
		uint32_t i = 0;
		while (i < KERNEL_GROUP_COUNT &&
			(strlen(words[i]) != length || memcmp(words[i], list, length) != 0))
			i++;
		*word = view_of(list, length);
		if (i == KERNEL_GROUP_COUNT)
			return false;
		*groups |= 1u << i;
		list += length + (list[length] == ',');
	}
	return true;
}
