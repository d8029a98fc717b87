/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk through the words of a record, which prints each of them under its name. Only
 * the words are looked at, not what the library made of them, so that both can be
 * compared; and a walk never goes beyond their end.
 */
#ifndef FXTDUMP_WALK_H
#define FXTDUMP_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/types.h>

#include "fields.h"
#include "print.h"
#include "base/text.h"

struct record_walk {
    /* NULL to only see whether the words are as they should be. */
    struct text *out;
    const struct print_context *context;
    /* Where the record begins. */
    uint64_t offset;
    struct fxt_words words;
    /* The next word, and where the record or argument at hand ends. */
    uint64_t at;
    uint64_t end;
    /* There were less words than there should be. */
    bool failed;
};

static inline uint64_t walk_left(const struct record_walk *w)
{
    return w->end - w->at;
}

/* The next word; 0 if there is none. */
uint64_t walk_word(struct record_walk *w, const char *name);

/* Bytes and what fills up their last word. Text is printed, too, and nothing at all where
 * there are none. */
void walk_stream(struct record_walk *w, const char *name, uint64_t size, bool is_text);

/* What is left, if anything. */
void walk_rest(struct record_walk *w, const char *name);

/* Strings and threads, whose references have been read, where they stand in line. */
void walk_string(struct record_walk *w, const char *name, uint64_t ref);
void walk_thread(struct record_walk *w, uint64_t ref);
void walk_thread_as(struct record_walk *w, uint64_t ref, const char *process,
                    const char *thread);

void walk_args(struct record_walk *w, uint64_t n_args);

#endif
