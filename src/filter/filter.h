/* Which code is recorded: rules, in the order of the command line, of which the last that matches
 * decides.
 *
 *   --exclude stdlib --include asyncio        the standard library is left out, but for asyncio
 *   --include shop --exclude shop.vendor      shop is all that is recorded, but for what it brought along
 *
 * What no rule matches is recorded, unless the first rule is an include: who says first what he
 * wants does not want the rest. A rule's pattern says by itself what it is compared with:
 *
 *   stdlib                  modules that came with the interpreter, frozen ones too
 *   site-packages           what lies under a directory of that name, or dist-packages: what was installed
 *   has a / or ends in .py  a file, or all files below a directory. From / on it is the whole path; else it may begin at
 *                           any directory, so that tests/unit matches /home/ann/shop/tests/unit/test_cart.py
 *   anything else           a module by its name, with what is below it: shop matches shop.cart
 *   (--only-mine)           the project's own tree: files below the given trees that are neither of the two words'
 *
 * A code object is judged once, by its file and by the module in whose names it first ran. Text
 * that has no file ("<…>": exec, -c) goes with the file of that module (where it has none, as what
 * namedtuple evaluates, of the code that runs it first), and is the project's own where __main__
 * has none.
 *
 * Rules go to recorders as text, one a line, as filter_write_rule and filter_write_tree make them:
 *
 *   +pattern    include          !    include the project's own tree
 *   -pattern    exclude          =path    a tree of the project, absolute
 *
 * Pure: no allocation, no I/O. Judging reads the rules and the text that they point into, and
 * nothing else.
 */
#ifndef PL_FILTER_FILTER_H
#define PL_FILTER_FILTER_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/view.h"

#define FILTER_RULES_MAX 64
#define FILTER_TREES_MAX 4
#define FILTER_BYTES_MAX 16384 /* of the rules' text */

enum filter_kind { FILTER_STDLIB, FILTER_SITE_PACKAGES, FILTER_MINE, FILTER_PATH, FILTER_MODULE };

struct filter {
	struct filter_rule {
		enum filter_kind kind;
		bool include;
		struct pl_view pattern; /* into the text that was read */
	} rules[FILTER_RULES_MAX];
	uint32_t rule_count;			/* 0: everything is recorded */
	struct pl_view trees[FILTER_TREES_MAX]; /* likewise */
	uint32_t tree_count;
	/* its directory, "": not known. Set by who reads the rules; what it points into is his */
	struct pl_view stdlib;
};

/* What is known of a code object; what is not known is empty. */
struct filter_code {
	struct pl_view file;	    /* co_filename */
	struct pl_view module;	    /* its name */
	struct pl_view module_file; /* of the module, or of who runs it first */
};

/* NULL: the pattern is sound. Else what is wrong with it, to be said behind it. */
const char *filter_fault(struct pl_view pattern);
/* Append a line. A pattern must be sound. */
void filter_write_rule(struct pl_buf *out, bool include, struct pl_view pattern);
void filter_write_mine(struct pl_buf *out);
void filter_write_tree(struct pl_buf *out, const char *path);

/* Read the rules; `text` must stay as long as they are used. Replaces what was there, but for
 * `stdlib`. 0; PL_ERR_FORMAT: the text is none of ours, and there are no rules then. */
int filter_read(struct filter *f, struct pl_view text);

/* Is this code to be recorded? *matched: bit i for each rule that matched it. */
bool filter_records(const struct filter *f, const struct filter_code *code, uint64_t *matched);

#endif
