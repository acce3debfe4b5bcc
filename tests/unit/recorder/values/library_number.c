/* Texts of Decimal, Fraction and UUID: as their repr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/inside_texts.h"

static void decimals(void **state)
{
	static const char *const all[] = {"0", "-0", "1.10", "1E+3", "0.000001", "0.0000001",
		"123456789012345678901234567890.5", "-1E-30", "NaN", "-sNaN12", "Infinity",
		"-Infinity"};
	char expression[80];

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		snprintf(expression, sizeof expression, "decimal.Decimal('%s')", all[i]);
		expect_repr("import decimal", expression);
	}
}

static void fractions(void **state)
{
	static const char import[] = "import fractions";

	(void)state;
	expect_repr(import, "fractions.Fraction(3, 4)");
	expect_repr(import, "fractions.Fraction(-5)");
	expect_repr(import, "fractions.Fraction(2**70, 3)");
	/* slots that are not bound */
	expect_text(import, "fractions.Fraction.__new__(fractions.Fraction)", "Fraction(0, 1)");
	expect_text(import, "object.__new__(fractions.Fraction)", NULL);
}

static void uuids(void **state)
{
	(void)state;
	expect_repr("import uuid", "uuid.UUID('12345678-9abc-def0-1234-56789abcdef0')");
	expect_repr("import uuid", "uuid.UUID(int=0)");
	expect_repr("import uuid", "uuid.UUID(int=2**128 - 1)");
	expect_text("import uuid", "object.__new__(uuid.UUID)", NULL);
}

INSIDE_TESTS(values_library_number)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals),
		cmocka_unit_test(fractions),
		cmocka_unit_test(uuids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
