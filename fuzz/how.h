/* SPDX-License-Identifier: BSD-2-Clause */
/* How fuzz_reader.c reads an input: its last bytes. */
#ifndef FUZZ_HOW_H
#define FUZZ_HOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOW_BYTES = 4 };

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
    /* The allocation that fails; 0 is none, and 1 would be the reader's own. */
    unsigned fail_at;
};

/* Takes the last bytes off an input. Returns false where it has not as many. */
static inline bool how_take(const uint8_t *data, size_t *size, struct how *how)
{
    const uint8_t *b;

    if (*size < HOW_BYTES)
        return false;
    *size -= HOW_BYTES;
    b = data + *size;
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

#endif
