/* SPDX-License-Identifier: BSD-2-Clause */
/* How fuzz_reader.c reads an input, and fuzz_round_trip.c copies it: its last bytes. */
#ifndef FUZZ_HOW_H
#define FUZZ_HOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOW_BYTES = 4 };

/* Takes the last bytes off an input. Returns NULL where it has not as many. */
static inline const uint8_t *how_tail(const uint8_t *data, size_t *size)
{
    if (*size < HOW_BYTES)
        return NULL;
    *size -= HOW_BYTES;
    return data + *size;
}

/* ---- Reading ----------------------------------------------------------------------- */

struct how {
    /* enum fxt_stream, enum fxt_byte_order. */
    unsigned stream;
    unsigned byte_order;
    bool resync;
    bool stable;
    bool stop;
    bool as_needed;
    /* Which of eight limits; 0 is the default. */
    unsigned record_limit;
    unsigned kept_limit;
    unsigned n_cuts;
    /* The reader has read the stream before, and was reset. */
    bool again;
    bool payloads_unused;
    /* The allocation that fails; 0 is none, and 1 would be the reader's own. */
    unsigned fail_at;
};

/* Returns false if the input is too short. */
static inline bool how_take(const uint8_t *data, size_t *size, struct how *how)
{
    const uint8_t *b = how_tail(data, size);

    if (b == NULL)
        return false;
    *how = (struct how){
        .stream = (b[0] & 3u) % 3,
        .byte_order = (b[0] >> 2 & 3u) % 3,
        .resync = b[0] >> 4 & 1,
        .stable = b[0] >> 5 & 1,
        .stop = b[0] >> 6 & 1,
        .as_needed = b[0] >> 7 & 1,
        .record_limit = b[1] & 7u,
        .kept_limit = b[1] >> 3 & 7u,
        .n_cuts = b[2] & 15u,
        .again = b[2] >> 4 & 1,
        .payloads_unused = b[2] >> 5 & 1,
        .fail_at = b[3] & 31u,
    };
    return true;
}

/* The same the other way round. */
static inline void how_put(const struct how *how, uint8_t bytes[HOW_BYTES])
{
    bytes[0] = (uint8_t)(how->stream | how->byte_order << 2 | how->resync << 4 |
                         how->stable << 5 | how->stop << 6 | how->as_needed << 7);
    bytes[1] = (uint8_t)(how->record_limit | how->kept_limit << 3);
    bytes[2] = (uint8_t)(how->n_cuts | how->again << 4);
    bytes[3] = (uint8_t)how->fail_at;
}

/* ---- Copying ----------------------------------------------------------------------- */

struct trip_how {
    /* enum fxt_references twice, enum fxt_byte_order of the input and of the copies. */
    unsigned strings;
    unsigned threads;
    unsigned from;
    unsigned to;
    /* Which of eight; 0 is the default. */
    unsigned kept_limit;
    unsigned buffer_size;
    bool resync;
    /* The writer's allocation that fails; 0 is none. */
    unsigned fail_at;
};

static inline bool trip_how_take(const uint8_t *data, size_t *size, struct trip_how *how)
{
    const uint8_t *b = how_tail(data, size);

    if (b == NULL)
        return false;
    *how = (struct trip_how){
        .strings = (b[0] & 3u) % 3,
        .threads = (b[0] >> 2 & 3u) % 3,
        .from = (b[0] >> 4 & 3u) % 3,
        .to = (b[0] >> 6 & 3u) % 3,
        .kept_limit = b[1] & 7u,
        .buffer_size = b[1] >> 3 & 7u,
        .resync = b[1] >> 6 & 1,
        .fail_at = b[2],
    };
    return true;
}

static inline void trip_how_put(const struct trip_how *how, uint8_t bytes[HOW_BYTES])
{
    bytes[0] =
        (uint8_t)(how->strings | how->threads << 2 | how->from << 4 | how->to << 6);
    bytes[1] = (uint8_t)(how->kept_limit | how->buffer_size << 3 | how->resync << 6);
    bytes[2] = (uint8_t)how->fail_at;
    bytes[3] = 0;
}

#endif
