/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the values that records are made of from a cursor. */
#ifndef LIBFXT_READER_TAKE_H
#define LIBFXT_READER_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/types.h>

#include "cursor.h"
#include "decoder.h"
#include "tables.h"

/* How many words a number of bytes takes. */
static inline uint64_t words_for(uint64_t bytes)
{
    return bytes / FXT_WORD_BYTES + (bytes % FXT_WORD_BYTES != 0);
}

/* How many words a reference to a string takes inline. */
static inline uint64_t inline_words(uint64_t ref)
{
    return ref & FXT_STRING_REF_INLINE ? words_for(ref & FXT_STRING_REF_SIZE_MASK) : 0;
}

static inline struct fxt_string take_bytes_as_string(struct decoder *d, uint64_t size)
{
    const void *data = cursor_stream(&d->c, size, FXT_E_STRING_OVERRUN, d->c.pos);

    return (struct fxt_string){(const char *)data, (uint32_t)size, 0};
}

static inline struct fxt_string take_string(struct decoder *d, uint64_t ref)
{
    struct fxt_string string = {"", 0, 0};

    if (ref & FXT_STRING_REF_INLINE) {
        string = take_bytes_as_string(d, ref & FXT_STRING_REF_SIZE_MASK);
    } else if (ref != FXT_STRING_REF_EMPTY &&
               !tables_get_string(d->tables, (uint32_t)ref, &string)) {
        string.data = NULL;
        if (d->result.unknown_string == 0) {
            d->result.unknown_string = (uint32_t)ref;
            d->result.unknown_string_byte = d->refs_pos * FXT_WORD_BYTES;
        }
    }
    string.ref = (uint16_t)ref;
    return string;
}

/* Threads are filled in field by field, where they are to be: a struct that is returned
 * and copied right away waits for the stores of its parts. */
static inline void set_thread(struct fxt_thread *thread, uint64_t ref, uint64_t process,
                              uint64_t koid)
{
    thread->process = process;
    thread->thread = koid;
    thread->ref = (uint8_t)ref;
    thread->known = true;
}

static inline void look_up_thread(struct decoder *d, uint64_t ref,
                                  struct fxt_thread *thread)
{
    thread->ref = (uint8_t)ref;
    if (!tables_get_thread(d->tables, (uint32_t)ref, thread) &&
        d->result.unknown_thread == 0) {
        d->result.unknown_thread = (uint32_t)ref;
        d->result.unknown_thread_byte = d->refs_pos * FXT_WORD_BYTES;
    }
}

static inline void take_thread(struct decoder *d, uint64_t ref, struct fxt_thread *thread)
{
    if (ref == FXT_THREAD_REF_INLINE) {
        set_thread(thread, ref, 0, 0);
        thread->process = cursor_word(&d->c);
        thread->thread = cursor_word(&d->c);
    } else {
        look_up_thread(d, ref, thread);
    }
}

/* A reference to a process, which is one word if inline. */
static inline void take_process(struct decoder *d, uint64_t ref,
                                struct fxt_thread *thread)
{
    if (ref == FXT_THREAD_REF_INLINE)
        set_thread(thread, ref, cursor_word(&d->c), 0);
    else
        look_up_thread(d, ref, thread);
}

static inline struct fxt_bytes take_payload(struct decoder *d, uint64_t size,
                                            uint64_t size_at)
{
    const void *data = cursor_stream(&d->c, size, FXT_E_BLOB_OVERRUN, size_at);

    return (struct fxt_bytes){data, size};
}

/* The types of arguments whose value is one word, whatever the bits in it mean. */
enum {
    ARGS_WITH_WORD = 1 << FXT_ARG_INT64 | 1 << FXT_ARG_UINT64 | 1 << FXT_ARG_DOUBLE |
                     1 << FXT_ARG_POINTER | 1 << FXT_ARG_KOID
};

/* Takes `n_args` arguments into d->args, of which the first `n_taken` are there already.
 */
void take_args(struct decoder *d, uint64_t n_taken, uint64_t n_args);

/* Takes one argument, whose header was loaded from before the cursor, inside the words
 * that its own size gives it. */
void take_arg(struct decoder *d, uint64_t header, struct fxt_arg *arg);

/* Takes the remaining words of a kind of record that this version does not know. */
void take_unknown(struct decoder *d, enum fxt_code code, uint64_t value);

#endif
