/* SPDX-License-Identifier: BSD-2-Clause */
/* See decoder.h: userspace objects, whose process is inline in one of two forms. */
#include "decoder.h"

#include <string.h>

#include "take.h"

/* Returns a word from its copy, made if there is none yet; 0 past the end. */
static uint64_t copy_word(struct decoder *d, uint64_t pos)
{
    uint64_t bit = (uint64_t)1 << pos % 64;

    if (pos >= d->c.end)
        return 0;
    if ((d->is_copied[pos / 64] & bit) == 0) {
        d->is_copied[pos / 64] |= bit;
        d->words[pos] = cursor_load_(&d->c, pos);
    }
    return d->words[pos];
}

/* Copies what take_args loads from `pos` on: each argument's header and the word after
 * its name. */
static void copy_args(struct decoder *d, uint64_t pos, uint64_t n_args)
{
    uint64_t n_words = 1;

    for (uint64_t i = 0; i < n_args && n_words > 0; i++) {
        uint64_t header = copy_word(d, pos);

        copy_word(d, pos + 1 + inline_words(FXT_GET(header, ARG_NAME)));
        n_words = FXT_GET(header, ARG_WORDS);
        pos += n_words;
    }
}

/* Moves the cursor to copies of the words that decoding loads from the rest of a
 * userspace object whose process takes `n_koids` words. So the record can be decoded both
 * ways and each word is still loaded once. Pointers passed to the caller point into the
 * record. */
static void copy_userspace_object(struct decoder *d, uint64_t header, uint64_t n_koids)
{
    uint64_t pos = d->c.pos;

    for (uint64_t i = 0; i < n_koids; i++)
        copy_word(d, pos + i);
    pos += n_koids + inline_words(FXT_GET(header, USERSPACE_OBJECT_NAME));
    copy_args(d, pos, FXT_GET(header, USERSPACE_OBJECT_ARGS));
    d->c.words = (const unsigned char *)d->words;
    d->c.words_swapped = false;
}

/* Decodes the rest of a userspace object with the process inline as `n_koids` words, from
 * the cursor `start`. Returns how many words are left over, or -1. */
static int64_t try_userspace_object(struct decoder *d, struct cursor start,
                                    uint64_t header, uint64_t n_koids)
{
    struct fxt_userspace_object *o = &d->record.userspace_object;

    decode_result_start(&d->result);
    d->refs_pos = 0;
    d->c = start;
    copy_userspace_object(d, header, n_koids);
    take_process(d, FXT_THREAD_REF_INLINE, &o->process);
    if (n_koids == 2)
        o->process.thread = cursor_word(&d->c);
    o->name = take_string(d, FXT_GET(header, USERSPACE_OBJECT_NAME));
    take_args(d, 0, FXT_GET(header, USERSPACE_OBJECT_ARGS));
    return d->c.fault == FXT_OK ? (int64_t)cursor_left(&d->c) : -1;
}

/* The format's reference has only the process koid inline, Fuchsia's writer the process
 * and the thread. The form that fills the record exactly is used; else one that fits, the
 * reference's first. */
void decode_userspace_object(struct decoder *d, uint64_t header)
{
    struct fxt_userspace_object *o = &d->record.userspace_object;
    uint64_t ref = FXT_GET(header, USERSPACE_OBJECT_THREAD);
    struct cursor start;
    int64_t over_one, over_two;

    o->pointer = cursor_word(&d->c);
    if (ref != FXT_THREAD_REF_INLINE) {
        take_process(d, ref, &o->process);
        o->name = take_string(d, FXT_GET(header, USERSPACE_OBJECT_NAME));
        take_args(d, 0, FXT_GET(header, USERSPACE_OBJECT_ARGS));
        return;
    }
    memset(d->is_copied, 0, (d->n_words / 64 + 1) * sizeof(d->is_copied[0]));
    start = d->c;
    over_one = try_userspace_object(d, start, header, 1);
    if (over_one == 0)
        return;
    over_two = try_userspace_object(d, start, header, 2);
    if (over_two == 0 || (over_one < 0 && over_two > 0))
        return;
    try_userspace_object(d, start, header, 1);
}
