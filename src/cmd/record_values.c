#include "cmd/record_values.h"

#include <string.h>

#include "filter/glob.h"

/* X(word, field, default, smallest, greatest, text) */
#define LIMITS(X)                                                                                  \
	X("depth", depth, 3, 1, VALUE_DEPTH_MAX)                                                   \
	X("items", items, 10, 0, 4096)                                                             \
	X("attributes", attributes, 20, 0, 4096)                                                   \
	X("chars", chars, 200, 0, VALUE_EVENT_MAX)                                                 \
	X("bytes", bytes, 256, 16, VALUE_EVENT_MAX)                                                \
	X("event", event_bytes, 1024, 64, VALUE_EVENT_MAX)                                         \
	X("second", second_bytes, 16 << 20, 0, UINT64_MAX)

enum limit {
#define X(word, field, ...) LIMIT_##field,
	LIMITS(X)
#undef X
		LIMIT_COUNT
};

static const struct limit_row {
	const char *word;
	uint64_t usual, least, most;
} rows[] = {
#define X(word, field, usual, least, most) {word, usual, least, most},
	LIMITS(X)
#undef X
};

static uint64_t limit_of(const struct value_limits *limits, enum limit which)
{
	switch (which) {
#define X(word, field, ...)                                                                        \
	case LIMIT_##field:                                                                        \
		return limits->field;
		LIMITS(X)
#undef X
	default:
		return 0;
	}
}

static void set_limit(struct value_limits *limits, enum limit which, uint64_t to)
{
	switch (which) {
#define X(word, field, ...)                                                                        \
	case LIMIT_##field:                                                                        \
		limits->field = (__typeof__(limits->field))to;                                     \
		break;
		LIMITS(X)
#undef X
	default:
		break;
	}
}

/* ---- --values-limit ---- */

static int find_limit(const struct record_values *v, const char *word)
{
	const char *known[LIMIT_COUNT + 1] = {0};

	for (int i = 0; i < LIMIT_COUNT; i++) {
		known[i] = rows[i].word;
		if (!strcmp(word, rows[i].word))
			return i;
	}
	cmd_unknown(v->of.command, "limit for --values-limit:", word, known);
	return -1;
}

/* "depth=3" */
static bool take_limit(struct record_values *v, char *pair)
{
	char *equals = strchr(pair, '=');
	uint64_t n;

	if (!equals) {
		cmd_say("%s: --values-limit: '%s' is no limit; write depth=3,chars=200",
			v->of.command, pair);
		return false;
	}
	*equals = 0;
	int which = find_limit(v, pair);
	if (which < 0)
		return false;
	if (!cmd_size(equals + 1, &n)) {
		cmd_say("%s: --values-limit: %s: '%s' is not a number; write 10, 1K or 16M",
			v->of.command, pair, equals + 1);
		return false;
	}
	if (n < rows[which].least || n > rows[which].most) {
		cmd_say("%s: --values-limit: %s=%s is too %s; the %s is %llu", v->of.command, pair,
			equals + 1, n < rows[which].least ? "small" : "great",
			n < rows[which].least ? "smallest" : "greatest",
			(unsigned long long)(n < rows[which].least ? rows[which].least
								   : rows[which].most));
		return false;
	}
	set_limit(&v->limits, (enum limit)which, n);
	v->limits_given |= 1u << which;
	return true;
}

void record_values_take_limits(void *values, const char *word, const char *text)
{
	struct record_values *v = values;
	struct pl_buf copy = {0};

	(void)word;
	buf_put(&copy, text, strlen(text) + 1);
	char *pair = copy.failed ? NULL : (char *)copy.at;
	while (pair && !v->failed) {
		char *comma = strchr(pair, ',');
		if (comma)
			*comma = 0;
		v->failed = !take_limit(v, pair);
		pair = comma ? comma + 1 : NULL;
	}
	v->failed = v->failed || copy.failed;
	buf_release(&copy);
}

/* ---- --redact ---- */

static const char *fault_of_name(const char *text)
{
	if (!*text)
		return "is empty; write a name, or a pattern such as *_pin";
	if (strchr(text, '\n'))
		return "has a line feed in it";
	return glob_is_sound(view_of(text, strlen(text))) ? NULL : "has a [ without its ]";
}

/* Names are compared in small letters, so brackets are of small ones too. */
void record_values_take_redact(void *values, const char *word, const char *text)
{
	struct record_values *v = values;
	const char *fault = fault_of_name(text);

	if (fault && !v->failed)
		cmd_say("%s: --%s '%s' %s", v->of.command, word, text, fault);
	v->failed = v->failed || fault;
	for (const char *c = text; *c; c++)
		buf_u8(&v->redact, (uint8_t)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c));
	buf_u8(&v->redact, '\n');
	if (v->redact_text.used)
		buf_u8(&v->redact_text, ' ');
	cmd_quote(&v->redact_text, text);
}

static int end_redact(struct record_values *v)
{
	if (!v->redact.used)
		return CMD_GO;
	if (v->shows_secrets) {
		cmd_say("%s: --redact hides secrets and --no-redact shows them all; write one "
			"of them",
			v->of.command);
		return CMD_USAGE;
	}
	if (v->redact.used > REDACT_BYTES_MAX) {
		cmd_say("%s: the patterns of --redact have more than %d bytes together; a "
			"pattern can have * in it",
			v->of.command, REDACT_BYTES_MAX);
		return CMD_USAGE;
	}
	buf_u8(&v->redact_text, 0);
	return v->redact.failed || v->redact_text.failed ? CMD_RECORD_FAILED : CMD_GO;
}

/* ---- all of them together ---- */

static int end_limits(struct record_values *v)
{
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (!(v->limits_given >> i & 1))
			set_limit(&v->limits, (enum limit)i, rows[i].usual);
	if (v->limits.bytes > v->limits.event_bytes) {
		if (v->limits_given >> LIMIT_bytes & 1) {
			cmd_say("%s: --values-limit: bytes=%u is more than event=%u, which has "
				"all values of an event",
				v->of.command, v->limits.bytes, v->limits.event_bytes);
			return CMD_USAGE;
		}
		v->limits.bytes = v->limits.event_bytes;
	}
	for (int i = 0; i < LIMIT_COUNT; i++)
		buf_printf(&v->limits_text, "%s%s=%llu", i ? "," : "", rows[i].word,
			(unsigned long long)limit_of(&v->limits, (enum limit)i));
	buf_u8(&v->limits_text, 0);
	return v->limits_text.failed ? CMD_RECORD_FAILED : CMD_GO;
}

/* Without the option, values of calls: one's own code has them for little, and what cannot be asked
 * of a recording without values is known too late. */
static int read_word(struct record_values *v)
{
	static const char *const words[] = {
		[VALUES_NONE] = "none", [VALUES_CALLS] = "calls", [VALUES_LINES] = "lines", NULL};

	const char *word = v->word ? v->word : RECORD_VALUES_USUAL;
	for (int i = VALUES_NONE; words[i]; i++)
		if (!strcmp(word, words[i])) {
			v->which = (enum arena_values)i;
			return CMD_GO;
		}
	return cmd_unknown(v->of.command, "choice for --values:", word, words);
}

int record_values_end(struct record_values *v, char *const *words)
{
	int code = v->failed ? CMD_USAGE : read_word(v);

	if (code != CMD_GO)
		return code;
	if (v->which == VALUES_NONE)
		return v->of.failed ? CMD_USAGE : CMD_GO;
	if (!v->of.text.used)
		choose_take_of(&v->of, "values-of", CHOOSE_MINE);
	code = choose_end(&v->of, words, "--values-of");
	if (code == CMD_GO)
		code = end_redact(v);
	return code == CMD_GO ? end_limits(v) : code;
}

void record_values_apply(const struct record_values *v, struct collector_values *s)
{
	if (v->which == VALUES_NONE)
		return;
	*s = (struct collector_values){
		.which = v->which,
		.limits = v->limits,
		.of = buf_view(&v->of.rules),
		.of_text = (const char *)v->of.text.at,
		.limits_text = (const char *)v->limits_text.at,
		.shows_secrets = v->shows_secrets,
		.redact = buf_view(&v->redact),
		.redact_text = v->redact.used ? (const char *)v->redact_text.at : NULL,
	};
}

void record_values_release(struct record_values *v)
{
	choose_release(&v->of);
	buf_release(&v->limits_text);
	buf_release(&v->redact);
	buf_release(&v->redact_text);
}
