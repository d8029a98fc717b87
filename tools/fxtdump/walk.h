/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk over the words of a record, which prints each with its name. It decodes the
 * words independently of the library, so that both can be compared, and never goes past
 * their end.
 */
#ifndef FXTDUMP_WALK_H
#define FXTDUMP_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/types.h>

#include "fields.h"
#include "print.h"
#include "common/base/text.h"

struct record_walk {
    /* NULL to only check whether the words are valid. */
    struct text *out;
    const struct print_context *context;
    /* Where the record begins. */
    uint64_t offset;
    struct fxt_words words;
    /* The next word, and where the current record or argument ends. */
    uint64_t at;
    uint64_t end;
    /* There were too few words. */
    bool failed;
};

static inline uint64_t walk_left(const struct record_walk *w)
{
    return w->end - w->at;
}

/* The next word; 0 if there is none. */
uint64_t walk_word(struct record_walk *w, const char *name);

/* Bytes, padded to whole words. Text is printed, too; nothing is printed if there are
 * none. */
void walk_stream(struct record_walk *w, const char *name, uint64_t size, bool is_text);

/* What is left, if anything. */
void walk_rest(struct record_walk *w, const char *name);

/* Inline strings and threads, whose references have been read. */
void walk_string(struct record_walk *w, const char *name, uint64_t ref);
void walk_thread(struct record_walk *w, uint64_t ref);
void walk_thread_as(struct record_walk *w, uint64_t ref, const char *process,
                    const char *thread);

void walk_args(struct record_walk *w, uint64_t n_args);

#endif
