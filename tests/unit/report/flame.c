/* Trees and flame graphs of paths made by hand, with names that no XML could have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "report/flame.h"
#include "report/names.h"
#include "tests/lib/recording.h"

#define MS 1000000

struct fixture {
	struct maker m;
	struct pl_recording *r;
	struct pl_profile *profile;
	struct tree tree;
	struct pl_buf out;
};

/* main calls the function of that name twice: from its line 3, and from its line 4. */
static void make(struct fixture *f, const char *name)
{
	const struct pl_profile_wanted wanted = {.range = {.process = 1}};

	*f = (struct fixture){0};
	maker_init(&f->m);
	maker_body(&f->m, 1, "main", 1, 3);
	maker_body(&f->m, 2, name, 10, 3);
	struct maker_thread *t = maker_thread(&f->m, 0);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	for (uint32_t i = 1; i < 3; i++) {
		maker_line(t, i);
		maker_event1(t, EVENT_TIME, 3 * MS);
		maker_enter(t, MAKER_UNIT(i) + 1, 20);
		maker_line(t, 0);
		maker_event1(t, EVENT_TIME, 20 * MS);
		maker_event1(t, EVENT_LEAVE, MAKER_UNIT(0) + 3);
	}
	maker_cut(&f->m, t);
	maker_thread_end(&f->m, t);
	maker_end(&f->m);
	assert_int_equal(recording_open_files(&f->r, maker_files(&f->m), NULL), 0);
	assert_int_equal(pl_profile_new(&f->profile, f->r, &wanted, NULL), 0);
}

static void release(struct fixture *f)
{
	buf_release(&f->out);
	tree_release(&f->tree);
	pl_profile_free(f->profile);
	pl_recording_close(f->r);
	maker_release(&f->m);
}

static void put(void *context, const char *bytes, size_t count)
{
	buf_put(context, bytes, count);
}

static const char *text(struct fixture *f)
{
	buf_u8(&f->out, 0);
	return (const char *)f->out.at;
}

static void test_collapsed(void **state)
{
	struct fixture f;
	(void)state;

	make(&f, "f;g");
	assert_int_equal(tree_add(&f.tree, pl_profile_tables(f.profile), NULL), 0);
	assert_int_equal(tree_link(&f.tree), 0);
	/* Both calls are one. */
	assert_int_equal(f.tree.count, 3);
	assert_int_equal(f.tree.nodes[2].calls, 2);
	assert_int_equal(flame_collapsed(&f.tree, &(struct flame_sink){put, &f.out}), 0);
	assert_string_equal(text(&f), "main (a.py:1) 6000\nmain (a.py:1);f,g (a.py:10) 40000\n");
	release(&f);
}

static void test_labels(void **state)
{
	struct fixture f;
	(void)state;

	make(&f, "f");
	assert_int_equal(tree_add(&f.tree, pl_profile_tables(f.profile), "process 1"), 0);
	assert_int_equal(tree_add(&f.tree, pl_profile_tables(f.profile), "process 2"), 0);
	assert_int_equal(tree_link(&f.tree), 0);
	assert_int_equal(f.tree.nodes[0].cumulated_ns, 92 * MS);
	assert_int_equal(flame_collapsed(&f.tree, &(struct flame_sink){put, &f.out}), 0);
	assert_string_equal(text(&f),
		"process 1;main (a.py:1) 6000\nprocess 1;main (a.py:1);f (a.py:10) 40000\n"
		"process 2;main (a.py:1) 6000\nprocess 2;main (a.py:1);f (a.py:10) 40000\n");
	release(&f);
}

static void test_svg(void **state)
{
	struct fixture f;
	(void)state;

	make(&f, "<a&\"b\x01\xff\xef\xbf\xbf\xc3\xa9>");
	assert_int_equal(tree_add(&f.tree, pl_profile_tables(f.profile), NULL), 0);
	assert_int_equal(tree_link(&f.tree), 0);
	assert_int_equal(flame_svg(&f.tree, "a < b", &(struct flame_sink){put, &f.out}), 0);
	const char *svg = text(&f);
	assert_non_null(strstr(svg, "<title>a &lt; b</title>"));
	assert_non_null(strstr(
		svg, "<title>&lt;a&amp;&quot;b?????\xc3\xa9&gt; (a.py:10)&#10;40.0 ms, 87.0%"));
	assert_non_null(strstr(svg, "data-x=\"0.00\" data-w=\"1043.48\" data-d=\"2\""));
	release(&f);
}

static void test_names(void **state)
{
	struct fixture f;
	char id[NAME_ID_BYTES];
	(void)state;

	make(&f, "Class.method");
	const struct pl_code *code = pl_profile_tables(f.profile)->functions[0].code;
	assert_string_equal(pl_code_name(code), "Class.method");
	assert_true(name_is_code(code, "Class.method") && name_is_code(code, "method"));
	assert_true(name_is_code(code, "a.py:method"));
	assert_false(name_is_code(code, "b.py:method") || name_is_code(code, "ethod"));
	assert_false(name_is_code(code, "") || name_is_code(code, "a.py:"));
	name_code_id(code, id);
	assert_true(name_is_code(code, id));
	name_file_id("/x/a.py", id);
	assert_true(name_is_file("/x/a.py", id) && name_is_file("/x/a.py", "a.py"));
	assert_false(name_is_file("/x/a.py", ".py") || name_is_file("/x/a.py", "/y/a.py"));
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collapsed),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_svg),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
