/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of emitter calls, read from bytes, and a model of what each must do: which
 * records the format can express, how many words they take, and what a reader is to find
 * in them. The model knows the format and none of the emitter's code.
 */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/emit_records.h>
#include <fxt/record.h>

#include "tests/support/show.h"

enum { N_INDICES = 8 };

/* One call: what it asked for. */
struct call {
    /* Whether a record can say it, and in how many words. */
    bool possible;
    uint64_t n_words;
    /* Whether it has a timestamp, and which counts where it is dropped. */
    bool has_time;
    uint64_t time;
    /* What is to be read. */
    struct fxt_record record;
    struct fxt_arg args[FXT_ARGS_MAX + 1];
    /* What the call returned. */
    bool written;
};

struct calls {
    /* The program. Past its end, zeros are read. */
    const uint8_t *data;
    size_t size;
    size_t pos;

    struct fxt_emit *emit;
    /* What was registered, and can be referred to: `data` is NULL where nothing was. */
    struct fxt_string strings[N_INDICES];
    struct fxt_thread threads[N_INDICES];
};

/* The next number of the program, of as many bytes. */
uint64_t calls_take(struct calls *calls, unsigned n_bytes);

/* Reads one call and makes it. Returns what was to be expected of it; valid until the
 * next. */
const struct call *calls_make(struct calls *calls);

#endif
