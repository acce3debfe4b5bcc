/* pathline check: check every checksum and every event; say what is damaged, where, and what can
 * still be read. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include "cmd/json.h"
#include "cmd/page.h"
#include "cmd/text.h"

struct check {
	struct out out;
	bool json;
};

static void report(void *arg, const struct pl_damage *d)
{
	struct check *k = arg;
	struct json j = {.out = &k->out};

	if (k->json) {
		json_line(&j, "damage");
		json_text(&j, "file", d->file);
		json_u64(&j, "offset", d->offset);
		json_text(&j, "what", d->what);
		json_line_end(&j);
		return;
	}
	out_line(&k->out);
	out_tone(&k->out, TONE_BAD);
	out_text(&k->out, "damaged");
	out_tone(&k->out, TONE_PLAIN);
	out_text(&k->out, "  ");
	out_clean(&k->out, text_of(d->file));
	out_text(&k->out, " at byte ");
	out_u64(&k->out, d->offset);
	out_text(&k->out, ": ");
	out_clean(&k->out, text_of(d->what));
	out_line_end(&k->out);
}

static void put_count(struct out *o, uint64_t n, const char *one)
{
	out_count(o, n);
	out_char(o, ' ');
	out_text(o, one);
	if (n != 1)
		out_char(o, 's');
}

static void conclude_text(
	struct check *k, const struct pl_check_result *result, bool sound, bool snapshot)
{
	struct out *o = &k->out;

	out_tone(o, sound ? TONE_GOOD : TONE_BAD);
	if (sound) {
		out_text(o, "sound");
	} else {
		out_text(o, "damaged in ");
		put_count(o, result->damaged, "place");
	}
	out_tone(o, TONE_PLAIN);
	if (snapshot)
		out_text(o, sound ? ", a snapshot, whole up to its time" : ", of a snapshot");
	out_text(o, sound ? ": " : "; readable: ");
	put_count(o, result->records, "record");
	out_text(o, ", ");
	put_count(o, result->blocks, "block");
	out_text(o, ", ");
	put_count(o, result->events, "event");
	out_char(o, '\n');
	if (!result->unknown)
		return;
	put_count(o, result->unknown, "event");
	out_text(o, " of kinds that this version does not know\n");
}

static void conclude_json(struct check *k, const struct pl_check_result *result, bool sound)
{
	struct json j = {.out = &k->out};

	json_line(&j, "check");
	json_bool(&j, "sound", sound);
	json_u64(&j, "records", result->records);
	json_u64(&j, "blocks", result->blocks);
	json_u64(&j, "events", result->events);
	json_u64(&j, "damaged", result->damaged);
	json_u64(&j, "unknown_events", result->unknown);
	json_line_end(&j);
}

static int check(struct check *k, struct pl_recording *r)
{
	struct pl_check_result result = {0};
	struct pl_recording_info info;
	struct pl_err err = {0};
	int code = pl_recording_check(r, report, k, &result, &err);

	if (code < 0 && code != PL_ERR_FORMAT) {
		cmd_say("check: %s", err.used ? pl_err_text(&err) : pl_error_name(code));
		return CMD_BAD;
	}
	bool sound = code == 0 && !result.damaged;
	pl_recording_info(r, &info);
	if (k->json)
		conclude_json(k, &result, sound);
	else
		conclude_text(k, &result, sound, info.snapshot);
	return sound ? CMD_OK : CMD_BAD;
}

int cmd_check(struct cmd *c)
{
	struct check k = {0};
	const struct cmd_option options[] = {
		{"json", 0, NULL, "an object for each damage, and one at the end", .flag = &k.json},
		{0},
	};
	struct pl_recording *r = NULL;
	int written, code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]",
						 "Verify every checksum and decode everything; say "
						 "what is damaged, and where.",
						 options, .paged = true});

	if (code == CMD_GO)
		code = cmd_open(c, &r);
	if (code == CMD_GO)
		code = page_open(c, &k.out, !k.json);
	if (code == CMD_GO) {
		page_start(c, &k.out);
		code = check(&k, r);
	}
	written = page_close(c, &k.out);
	pl_recording_close(r);
	return written ? written : code;
}
