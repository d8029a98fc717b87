/* SPDX-License-Identifier: BSD-2-Clause */
/* See time_log.h. */
#include "time_log.h"

#include <endian.h>
#include <string.h>

#include <fxt/compiler.h>

/* A difference, modulo 2^64, small where it is a small step in either direction. */
static uint64_t fold_sign(uint64_t difference)
{
    return difference >> 63 != 0 ? ~(difference << 1) : difference << 1;
}

static uint64_t unfold_sign(uint64_t folded)
{
    return (folded & 1) != 0 ? ~(folded >> 1) : folded >> 1;
}

/* ---- Entries ----------------------------------------------------------------------- */

/*
 * Numbers have as many bytes as they need, 1 to 8: the first byte of an entry is how many
 * those of the sample are, and in its upper half those of the time. The sizes cannot be
 * predicted, so that numbers are stored and loaded as 8 bytes without a branch: what is
 * after an entry is overwritten by the next one, and ignored.
 */
enum { NUMBER_MAX = 8, ENTRY_MAX = 1 + 2 * NUMBER_MAX };

static unsigned count_bytes(uint64_t number)
{
    return (71U - (unsigned)__builtin_clzll(number | 1)) / 8;
}

static void store_number(char *to, uint64_t number)
{
    number = htole64(number);
    memcpy(to, &number, sizeof(number));
}

static uint64_t load_number(const unsigned char *from, unsigned n_bytes)
{
    uint64_t number;

    memcpy(&number, from, sizeof(number));
    return le64toh(number) & UINT64_MAX >> (64 - 8 * n_bytes);
}

void time_log_add(struct time_log *log, uint32_t sample, uint64_t time_ns)
{
    uint64_t samples = fold_sign((uint64_t)sample - log->sample);
    uint64_t times = fold_sign(time_ns - log->time_ns);
    unsigned n_sample = count_bytes(samples);
    unsigned n_time = count_bytes(times);
    char *to;

    if (log->bytes.bytes.size >= TIME_LOG_MEMORY && !log->is_stuck)
        log->is_stuck = !spill_move(&log->bytes);
    to = text_room(&log->bytes.bytes, ENTRY_MAX);
    to[0] = (char)(n_sample | n_time << 4);
    store_number(to + 1, samples);
    store_number(to + 1 + n_sample, times);
    log->bytes.bytes.size += 1 + n_sample + n_time;
    log->sample = sample;
    log->time_ns = time_ns;
}

/* The window has room for an entry after what is read. */
static void read_window(const struct time_log *log, struct time_log_reader *r)
{
    r->window_start = r->at;
    r->window_size = spill_read(&log->bytes, r->at, r->window, TIME_LOG_WINDOW);
}

bool time_log_next(const struct time_log *log, struct time_log_reader *r)
{
    uint64_t size = spill_size(&log->bytes);
    uint64_t window_end = r->window_start + r->window_size;
    const unsigned char *from;
    unsigned n_sample;
    unsigned n_time;

    if (r->at >= size)
        return false;
    if (FXT_UNLIKELY(window_end < size && window_end - r->at < ENTRY_MAX))
        read_window(log, r);
    from = r->window + (r->at - r->window_start);
    n_sample = from[0] & 15;
    n_time = from[0] >> 4;
    r->sample += (uint32_t)unfold_sign(load_number(from + 1, n_sample));
    r->time_ns += unfold_sign(load_number(from + 1 + n_sample, n_time));
    r->at += 1 + n_sample + n_time;
    return true;
}

void time_log_free(struct time_log *log)
{
    spill_free(&log->bytes);
    *log = (struct time_log){.sample = 0};
}
