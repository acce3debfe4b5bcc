/* --values and the options that go with it: whether values are recorded, of which code, and how
 * much of each. */
#ifndef PL_CMD_RECORD_VALUES_H
#define PL_CMD_RECORD_VALUES_H

#include "cmd/choose.h"
#include "collector/collector.h"

/* What --values is when it is not given. */
#define RECORD_VALUES_USUAL "calls"

/* All zero: no values, until record_values_end reads the options. */
struct record_values {
	const char *word; /* of --values, as given; NULL: it was not. Points into argv */
	enum arena_values which;
	struct value_limits limits; /* after record_values_end */
	uint32_t limits_given;	    /* bit i: limit i is in an option */
	struct choose of;
	struct pl_buf limits_text; /* "depth=3,items=10": all of them */
	bool shows_secrets;
	struct pl_buf redact;	   /* the patterns of --redact, as secret_names_add has them */
	struct pl_buf redact_text; /* and as they were given, quoted for a shell */
	bool failed;		   /* an option is wrong, and a message said so */
};

/* For the help: the arguments that --values-limit has when it is not given. */
#define RECORD_VALUES_LIMITS                                                                       \
	"depth=3,items=10,attributes=20,\n"                                                        \
	"chars=200,bytes=256,event=1K,\n"                                                          \
	"second=16M"

/* For cmd_option.take. */
void record_values_take_limits(void *values, const char *word, const char *text);
void record_values_take_redact(void *values, const char *word, const char *text);
/* After the options. words: as choose_end has them. CMD_GO, or an exit code after saying why. */
int record_values_end(struct record_values *v, char *const *words);
/* s points into *v, which must live as long. */
void record_values_apply(const struct record_values *v, struct collector_values *s);
void record_values_release(struct record_values *v);

#endif
