/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work's phases that pack a text and unpack it again. What packing makes is a row of
 *
 *     n < 128, then n + 1 bytes                   those bytes
 *     128 + n, then two bytes of distance         n + 4 bytes that stood that far back
 */
#include "work_inner.h"

enum { MIN_MATCH = 4, MAX_MATCH = 127 + MIN_MATCH, MAX_RUN = 128, MAX_DISTANCE = 65535 };

static uint32_t hash_four(const unsigned char *bytes)
{
    uint32_t four = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                    (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;

    return (four * 2654435761u) >> 20;
}

/* How many bytes at `at` are the same as at `before`. */
static OWN_FRAME uint32_t match_size(const struct work *work, uint32_t before,
                                     uint32_t at)
{
    uint32_t limit = work->text_size - at;
    uint32_t size = 0;

    if (limit > MAX_MATCH)
        limit = MAX_MATCH;
    while (size < limit && work->text[before + size] == work->text[at + size])
        size++;
    return size;
}

static OWN_FRAME void put_run(struct work *work, uint32_t start, uint32_t end)
{
    unsigned char *out = work->packed + work->packed_size;

    while (start < end) {
        uint32_t size = end - start < MAX_RUN ? end - start : MAX_RUN;

        *out++ = (unsigned char)(size - 1);
        for (uint32_t i = 0; i < size; i++)
            *out++ = work->text[start++];
    }
    work->packed_size = (size_t)(out - work->packed);
}

static void put_match(struct work *work, uint32_t size, uint32_t distance)
{
    unsigned char *out = work->packed + work->packed_size;

    out[0] = (unsigned char)(128 + size - MIN_MATCH);
    out[1] = (unsigned char)distance;
    out[2] = (unsigned char)(distance >> 8);
    work->packed_size += 3;
}

/* Packs bytes from `at` on, up to the next match, and that. Returns where it got to. */
static OWN_FRAME uint32_t pack_step(struct work *work, uint32_t at)
{
    uint32_t start = at;

    for (; at + MIN_MATCH <= work->text_size; at++) {
        uint32_t *head = &work->heads[hash_four(work->text + at)];
        uint32_t before = *head;
        uint32_t size = 0;

        *head = at;
        if (before < at && at - before <= MAX_DISTANCE)
            size = match_size(work, before, at);
        if (size >= MIN_MATCH) {
            put_run(work, start, at);
            put_match(work, size, at - before);
            return at + size;
        }
    }
    put_run(work, start, work->text_size);
    return work->text_size;
}

static OWN_FRAME void pack_all(struct work *work)
{
    uint32_t at = 0;

    /* An entry may be of an older text and refer to any position: matches are verified.
     */
    while (at < work->text_size)
        at = pack_step(work, at);
}

void pack_text(struct work *work)
{
    uint64_t begun = phase_begin();

    work->packed_size = 0;
    pack_all(work);
    phase_end(&work->truth, PHASE_PACK_TEXT, begun);
}

/* Both are inlined: they call nothing, so GCC would give them no frame, and the walk
 * would miss their caller. */
static inline uint32_t unpack_all(struct work *work)
{
    const unsigned char *in = work->packed;
    const unsigned char *end = work->packed + work->packed_size;
    unsigned char *out = work->unpacked;

    while (in < end) {
        unsigned char what = *in++;

        if (what < 128) {
            for (unsigned i = 0; i <= what; i++)
                *out++ = *in++;
        } else {
            const unsigned char *from = out - (in[0] | in[1] << 8);

            for (unsigned i = 0; i < what - 128u + MIN_MATCH; i++)
                *out++ = *from++;
            in += 2;
        }
    }
    return (uint32_t)(out - work->unpacked);
}

static inline bool is_same_text(const struct work *work)
{
    for (uint32_t i = 0; i < work->text_size; i++) {
        if (work->text[i] != work->unpacked[i])
            return false;
    }
    return true;
}

void unpack_text(struct work *work)
{
    uint64_t begun = phase_begin();

    if (unpack_all(work) != work->text_size || !is_same_text(work))
        work->wrong = true;
    phase_end(&work->truth, PHASE_UNPACK_TEXT, begun);
}
