#include "filter/filter.h"

#include "filter/glob.h"

static bool is_text(struct pl_view v, const char *text)
{
	return v.left == strlen(text) && !memcmp(v.at, text, v.left);
}

static bool begins_with(struct pl_view v, const char *text)
{
	size_t n = strlen(text);

	return v.left >= n && !memcmp(v.at, text, n);
}

static bool ends_with(struct pl_view v, const char *text)
{
	size_t n = strlen(text);

	return v.left >= n && !memcmp(v.at + v.left - n, text, n);
}

static bool has(struct pl_view v, char c)
{
	return v.left && memchr(v.at, c, v.left);
}

/* ---- patterns ---- */

/* The form of a pattern decides what it is compared with: see filter.h. */
static enum filter_kind kind_of(struct pl_view pattern)
{
	if (is_text(pattern, "stdlib"))
		return FILTER_STDLIB;
	if (is_text(pattern, "site-packages"))
		return FILTER_SITE_PACKAGES;
	if (is_text(pattern, "*"))
		return FILTER_ALL;
	bool path = has(pattern, '/') || ends_with(pattern, ".py") || begins_with(pattern, "<");
	return path ? FILTER_PATH : FILTER_MODULE;
}

/* What an identifier and a pattern of it are made of; bytes above ASCII are letters of some
 * script. */
static bool in_module_pattern(uint8_t c)
{
	bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;

	return letter || (c >= '0' && c <= '9') || strchr("_.*?[]!^-", c);
}

const char *filter_fault(struct pl_view pattern)
{
	if (!pattern.left)
		return "is empty";
	if (has(pattern, '\n') || has(pattern, 0))
		return "has a line break in it";
	if (!glob_is_sound(pattern))
		return "has a [ without its ]";
	if (kind_of(pattern) != FILTER_MODULE)
		return NULL;
	for (size_t i = 0; i < pattern.left; i++)
		if (!in_module_pattern(pattern.at[i]))
			return "is not the name of a module; a path has a / or ends in .py";
	if (pattern.at[0] == '.' || pattern.at[pattern.left - 1] == '.' || pattern.at[0] == '-')
		return "is not the name of a module; a path has a / or ends in .py";
	return NULL;
}

static void write_line(struct pl_buf *out, char sign, const void *bytes, size_t n)
{
	buf_u8(out, (uint8_t)sign);
	buf_put(out, bytes, n);
	buf_u8(out, '\n');
}

void filter_write_rule(struct pl_buf *out, bool include, struct pl_view pattern)
{
	write_line(out, include ? '+' : '-', pattern.at, pattern.left);
}

void filter_write_mine(struct pl_buf *out)
{
	write_line(out, '!', "", 0);
}

void filter_write_tree(struct pl_buf *out, const char *path)
{
	write_line(out, '=', path, strlen(path));
}

/* +pattern   --include      -pattern   --exclude
 *	!          --only-mine    =/path     a directory that --only-mine means
 */
static int read_line(struct filter *f, struct pl_view line)
{
	struct pl_view rest = view_of(line.at + 1, line.left - 1);
	struct filter_rule rule = {.include = *line.at != '-', .pattern = rest};

	if (*line.at == '=') {
		if (f->tree_count == FILTER_TREES_MAX)
			return PL_ERR_FORMAT;
		f->trees[f->tree_count++] = rest;
		return 0;
	}
	bool mine = *line.at == '!' && !rest.left;
	bool known = mine || ((*line.at == '+' || *line.at == '-') && !filter_fault(rest));
	if (!known || f->rule_count == FILTER_RULES_MAX)
		return PL_ERR_FORMAT;
	rule.kind = mine ? FILTER_MINE : kind_of(rest);
	while (rule.kind == FILTER_PATH && rule.pattern.left > 1 && ends_with(rule.pattern, "/"))
		rule.pattern.left--;
	f->rules[f->rule_count++] = rule;
	return 0;
}

/* All or nothing: after an error the filter has no rules. stdlib is kept, since it is not in the
 * text. */
int filter_read(struct filter *f, struct pl_view text)
{
	int err = 0;

	*f = (struct filter){.stdlib = f->stdlib};
	while (text.left && !err) {
		const uint8_t *end = memchr(text.at, '\n', text.left);
		size_t n = end ? (size_t)(end - text.at) : 0;
		err = n ? read_line(f, view_of(text.at, n)) : PL_ERR_FORMAT;
		if (!err)
			text = view_of(end + 1, text.left - n - 1);
	}
	if (err)
		*f = (struct filter){.stdlib = f->stdlib};
	return err;
}

/* ---- judging ---- */

/* Is the path that directory, or below it? */
static bool is_below(struct pl_view path, struct pl_view directory)
{
	while (directory.left && directory.at[directory.left - 1] == '/')
		directory.left--;
	return path.left > directory.left && !memcmp(path.at, directory.at, directory.left) &&
	       path.at[directory.left] == '/';
}

/* A whole directory of the path: not a part of its name, and not the file. */
static bool has_part(struct pl_view path, const char *part)
{
	size_t n = strlen(part), begin = 0;

	for (size_t i = 0; i < path.left; i++)
		if (path.at[i] == '/') {
			if (i - begin == n && !memcmp(path.at + begin, part, n))
				return true;
			begin = i + 1;
		}
	return false;
}

static bool is_no_file(struct pl_view file)
{
	return !file.left || *file.at == '<';
}

/* The file that the code counts to. */
static struct pl_view file_of(const struct filter_code *c)
{
	bool stands_for_it =
		is_no_file(c->file) && !begins_with(c->file, "<frozen ") && c->module_file.left;

	return stands_for_it ? c->module_file : c->file;
}

static bool is_installed(struct pl_view file)
{
	return has_part(file, "site-packages") || has_part(file, "dist-packages");
}

static bool is_stdlib(const struct filter *f, struct pl_view file)
{
	if (begins_with(file, "<frozen "))
		return true;
	return f->stdlib.left && is_below(file, f->stdlib) && !is_installed(file);
}

/* A relative name is below the directory in which the program runs. */
static bool is_mine(const struct filter *f, const struct filter_code *c)
{
	struct pl_view file = file_of(c);

	if (is_no_file(file))
		return !begins_with(file, "<frozen ") && is_text(c->module, "__main__");
	if (is_installed(file) || is_stdlib(f, file))
		return false;
	bool mine = *file.at != '/'; /* where the program is */
	for (uint32_t i = 0; i < f->tree_count && !mine; i++)
		mine = is_below(file, f->trees[i]);
	return mine;
}

/* The text, or what of it ends in front of a separator: all that is below what the pattern
 * names. */
static bool match_front(
	struct pl_view pattern, struct pl_view text, char separator, bool stars_stop)
{
	for (size_t i = 1; i <= text.left; i++)
		if ((i == text.left || text.at[i] == (uint8_t)separator) &&
			glob_match(pattern, view_of(text.at, i), stars_stop ? separator : 0))
			return true;
	return false;
}

/* A pattern from the root matches from there; any other may begin at any directory of the path. */
static bool match_path(struct pl_view pattern, struct pl_view file)
{
	if (*pattern.at == '/' || *pattern.at == '<')
		return match_front(pattern, file, '/', true);
	for (size_t i = 0; i < file.left; i++)
		if ((i == 0 || file.at[i - 1] == '/') &&
			match_front(pattern, view_of(file.at + i, file.left - i), '/', true))
			return true;
	return false;
}

static bool rule_matches(
	const struct filter *f, const struct filter_rule *r, const struct filter_code *c)
{
	switch (r->kind) {
	case FILTER_STDLIB:
		return is_stdlib(f, file_of(c));
	case FILTER_SITE_PACKAGES:
		return is_installed(file_of(c));
	case FILTER_MINE:
		return is_mine(f, c);
	case FILTER_ALL:
		return true;
	case FILTER_PATH:
		return match_path(r->pattern, *r->pattern.at == '<' ? c->file : file_of(c));
	default:
		return match_front(r->pattern, c->module, '.', false) ||
		       match_front(r->pattern, c->own_name, '.', false);
	}
}

/* The last rule that matches decides. If none does: recorded, unless the first rule is an
 * --include, which means "only these". *matched has a bit for each rule, so that one that never
 * matched can be named. */
bool filter_records(const struct filter *f, const struct filter_code *code, uint64_t *matched)
{
	bool records = !f->rule_count || !f->rules[0].include;

	*matched = 0;
	for (uint32_t i = 0; i < f->rule_count; i++)
		if (rule_matches(f, &f->rules[i], code)) {
			*matched |= (uint64_t)1 << i;
			records = f->rules[i].include;
		}
	return records;
}
