/* SPDX-License-Identifier: BSD-2-Clause */
/* How fuzz_round_trip.c copies an input: its last bytes. */
#ifndef FUZZ_TRIP_HOW_H
#define FUZZ_TRIP_HOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRIP_HOW_BYTES = 4 };

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

/* Takes the last bytes off an input. Returns false where it has not as many. */
static inline bool trip_how_take(const uint8_t *data, size_t *size, struct trip_how *how)
{
    const uint8_t *b;

    if (*size < TRIP_HOW_BYTES)
        return false;
    *size -= TRIP_HOW_BYTES;
    b = data + *size;
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

/* The same the other way round. */
static inline void trip_how_put(const struct trip_how *how, uint8_t bytes[TRIP_HOW_BYTES])
{
    bytes[0] =
        (uint8_t)(how->strings | how->threads << 2 | how->from << 4 | how->to << 6);
    bytes[1] = (uint8_t)(how->kept_limit | how->buffer_size << 3 | how->resync << 6);
    bytes[2] = (uint8_t)how->fail_at;
    bytes[3] = 0;
}

#endif
