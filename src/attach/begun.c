#include "attach/begun.h"

#include <stdlib.h>
#include <string.h>
#include "attach/symbols.h"
#include "os/file.h"

#define CODE_BYTES 24

/* Of /proc/PID/stat, counted from 1; the third follows the name. */
#define FIELD_START_OF_STACK 28
#define FIELD_STATE	     3

static int32_t number_at(const uint8_t *at)
{
	int32_t number;

	memcpy(&number, at, sizeof number);
	return number;
}

/* What a function returns that is nothing but the read of an int, in one of three forms:
 *
 *	8b 05 A A A A c3                        mov eax, [rip + A]; ret
 *	48 8b 05 A A A A  8b 40 B c3            mov rax, [rip + A]; mov eax, [rax + B]; ret
 *	48 8b 05 A A A A  8b 80 B B B B c3      the same
 *
 * 0: it is another one. */
static uint64_t place_of_int(int pid, uint64_t at, const uint8_t *code)
{
	uint64_t base;

	if (code[0] == 0x8b && code[1] == 0x05 && code[6] == 0xc3)
		return at + 6 + (uint64_t)(int64_t)number_at(code + 2);
	if (code[0] != 0x48 || code[1] != 0x8b || code[2] != 0x05 || code[7] != 0x8b ||
		!memory_read(
			pid, at + 7 + (uint64_t)(int64_t)number_at(code + 3), &base, sizeof base))
		return 0;
	if (code[8] == 0x40 && code[10] == 0xc3)
		return base + code[9];
	return code[8] == 0x80 && code[13] == 0xc3 ? base + (uint32_t)number_at(code + 9) : 0;
}

bool target_has_begun(const struct target *t)
{
	static const uint8_t branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	uint8_t code[CODE_BYTES];
	uint64_t at = symbol_find(t->pid, t->text_from, "Py_IsInitialized");
	int32_t begun = 0;

	if (!at || !memory_read(t->pid, at, code, sizeof code))
		return false;
	const size_t skip =
		memcmp(code, branch_target, sizeof branch_target) == 0 ? sizeof branch_target : 0;
	at = place_of_int(t->pid, at + skip, code + skip);
	return at && memory_read(t->pid, at, &begun, sizeof begun) && begun == 1;
}

/* Where its stack begins is chosen at random by each exec. */
uint64_t target_image(int pid)
{
	char text[1024];
	char *at = proc_text(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;

	if (at)
		at++; /* the space before the state */
	for (int field = FIELD_STATE; at && field < FIELD_START_OF_STACK; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}
