/* Pieces of lines, and what a line leaves open for the next one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tui/lexer.h"

/* A letter a byte: what each is. */
static void kinds(const char *text, uint8_t *state, char *to)
{
	static const char letters[LEXEMES] = {'.', 'k', 's', 'c', 'n', 'd', 'N'};
	struct lexer l = {.state = *state};
	enum lexeme kind = LEX_PLAIN;
	size_t n;

	while ((n = lexer_next(&l, text, strlen(text), &kind)))
		for (; n; n--)
			*to++ = letters[kind];
	*to = 0;
	*state = l.state;
}

static void cases(void **state)
{
	static const struct {
		const char *text, *kinds;
		uint8_t before, after;
	} rows[] = {
		{"def f(x):", "kkk.N....", LEXER_CODE, LEXER_CODE},
		{"class A: pass", "kkkkk.N..kkkk", LEXER_CODE, LEXER_CODE},
		{"x = 'a' # b", "....sss.ccc", LEXER_CODE, LEXER_CODE},
		{"rb'\\'' + 1.5e-3", "ssssss...nnnnnn", LEXER_CODE, LEXER_CODE},
		{"@a.b(1)", "dddd.n.", LEXER_CODE, LEXER_CODE},
		{"a @ b", ".....", LEXER_CODE, LEXER_CODE},
		{"f\"\"\"x", "sssss", LEXER_CODE, LEXER_TRIPLE_DOUBLE},
		{"y\"\"\" if", "ssss.kk", LEXER_TRIPLE_DOUBLE, LEXER_CODE},
		{"'' '''a", "ss.ssss", LEXER_CODE, LEXER_TRIPLE_SINGLE},
		{"'open", "sssss", LEXER_CODE, LEXER_CODE},
		{"'on\\", "ssss", LEXER_CODE, LEXER_SINGLE},
		{"'", "s", LEXER_SINGLE, LEXER_CODE},
		{"brb", "...", LEXER_CODE, LEXER_CODE},
		{"", "", LEXER_TRIPLE_SINGLE, LEXER_TRIPLE_SINGLE},
	};
	char got[64];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint8_t at = rows[i].before;
		kinds(rows[i].text, &at, got);
		assert_string_equal(got, rows[i].kinds);
		assert_int_equal(at, rows[i].after);
	}
}

/* Any bytes: all of them are in some piece, and none is read past the end. */
static void any_bytes(void **state)
{
	static const char some[] = "'\"\\#@ade1.rb\xc3\xa9 \t(";
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t length = (seed = seed * 1103515245u + 12345u) >> 16 & 31, whole = 0, n;
		char *text = malloc(length + !length);
		struct lexer l = {.state = (uint8_t)(round % 5)};
		enum lexeme kind;
		assert_non_null(text);
		for (size_t i = 0; i < length; i++)
			text[i] = some[((seed = seed * 1103515245u + 12345u) >> 16) %
				       (sizeof some - 1)];
		while ((n = lexer_next(&l, text, length, &kind)))
			whole += n;
		assert_int_equal(whole, length);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
