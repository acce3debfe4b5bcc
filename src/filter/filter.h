/* Which code is recorded, or of which code values are: rules in the order of the command line; the
 * last rule that matches decides.
 *
 *   --exclude stdlib --include asyncio        the standard library is left out, except asyncio
 *   --include shop --exclude shop.vendor      only shop is recorded, without shop.vendor
 *
 * Code that no rule matches is recorded, unless the first rule is an include. What a rule's pattern
 * is compared with depends on its form:
 *
 *   stdlib                  modules that came with the interpreter, also frozen ones
 *   *                       all code
 *   site-packages           what is in a directory of that name or dist-packages: installed
 *   has a / or ends in .py  a file, or all files below a directory. With / at its beginning it
 *                           is the whole path; if not, it may begin at any directory:
 *                           tests/unit matches /home/ann/shop/tests/unit/test_cart.py
 *   anything else           a module by its name, with what is below it: shop matches shop.cart.
 *                           What -m starts has two names, __main__ and its own
 *   (--only-mine)           the project's own tree: files below the given trees that are neither
 *                           stdlib nor site-packages
 *
 * A code object is judged once, by its file and by the module in whose names it first ran. Text
 * without a file ("<...>": exec, -c) belongs to the file of that module; if that has none, as what
 * namedtuple evaluates, to the file of the code that runs it first. It is the project's own if
 * __main__ has no file.
 *
 * Rules go to recorders as text, one a line, as filter_write_rule and filter_write_tree make them:
 *
 *   +pattern    include          !    include the project's own tree
 *   -pattern    exclude          =path    a tree of the project, absolute
 *
 * Pure: no allocation, no I/O. Judging reads only the rules and the text that they point into.
 */
#ifndef PL_FILTER_FILTER_H
#define PL_FILTER_FILTER_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/view.h"

#define FILTER_RULES_MAX 64
#define FILTER_TREES_MAX 4
#define FILTER_BYTES_MAX 16384 /* of the rules' text */

enum filter_kind {
	FILTER_STDLIB,
	FILTER_SITE_PACKAGES,
	FILTER_MINE,
	FILTER_ALL,
	FILTER_PATH,
	FILTER_MODULE,
};

struct filter {
	struct filter_rule {
		enum filter_kind kind;
		bool include;
		struct pl_view pattern; /* into the text that was read */
	} rules[FILTER_RULES_MAX];
	uint32_t rule_count;			/* 0: everything is recorded */
	struct pl_view trees[FILTER_TREES_MAX]; /* likewise */
	uint32_t tree_count;
	/* its directory, "": not known; set by the caller who reads the rules, and owned by that
	 * caller */
	struct pl_view stdlib;
};

/* What is known about a code object; fields that are not known are empty. */
struct filter_code {
	struct pl_view file;	    /* co_filename */
	struct pl_view module;	    /* its name */
	struct pl_view own_name;    /* of the module, where it runs as __main__ */
	struct pl_view module_file; /* of the module, or of the code that runs it first */
};

/* NULL: the pattern is valid. Else what is wrong with it, to be printed after it. */
const char *filter_fault(struct pl_view pattern);
/* Append a line. The pattern must be valid. */
void filter_write_rule(struct pl_buf *out, bool include, struct pl_view pattern);
void filter_write_mine(struct pl_buf *out);
void filter_write_tree(struct pl_buf *out, const char *path);

/* Read the rules; `text` must stay valid as long as they are used. Replaces all fields except
 * `stdlib`. 0; PL_ERR_FORMAT: this is not the text of rules, and there are no rules then. */
int filter_read(struct filter *f, struct pl_view text);

/* Should this code be recorded? *matched: bit i for each rule that matched it. */
bool filter_records(const struct filter *f, const struct filter_code *code, uint64_t *matched);

#endif
