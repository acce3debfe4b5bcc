/* How a collector begins: apart from the command that it was forked from, with an arena and a
 * header. */
#ifndef PL_COLLECTOR_BEGIN_H
#define PL_COLLECTOR_BEGIN_H

#include "collector/collector.h"

/* Keep nothing of the command's: neither descriptors, but these two, nor terminal, session or
 * directory. */
void begin_apart(int keep_a, int keep_b);
/* What ends the collector, as a descriptor; other signals do nothing. */
int begin_signals(bool outlives_terms);
/* Make the recording's files and the arena. 0 or -errno, after FAILED was said. */
int collector_begin(struct collector *c, const struct collector_start *s);
/* To `record`. 0 or -errno. */
int collector_say(const struct collector_start *s, enum collector_word word, const char *text);
/* READY, with what has to be said of sources. */
void collector_say_ready(const struct collector_start *s, const struct collector *c);

#endif
