/* SPDX-License-Identifier: BSD-2-Clause */
/* See time_log.h. */
#include "time_log.h"

/* A difference, modulo 2^64, small where it is a small step in either direction. */
static uint64_t fold_sign(uint64_t difference)
{
    return difference >> 63 != 0 ? ~(difference << 1) : difference << 1;
}

static uint64_t unfold_sign(uint64_t folded)
{
    return (folded & 1) != 0 ? ~(folded >> 1) : folded >> 1;
}

static void write_number(struct text *bytes, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        text_char(bytes, (char)(unsigned char)(number | 0x80));
    text_char(bytes, (char)number);
}

static unsigned char read_byte(const struct time_log *log, struct time_log_reader *r)
{
    if (r->at - r->window_start >= r->window_size) {
        r->window_start = r->at;
        r->window_size = spill_read(&log->bytes, r->at, r->window, sizeof(r->window));
    }
    return r->window[r->at++ - r->window_start];
}

static uint64_t read_number(const struct time_log *log, struct time_log_reader *r)
{
    uint64_t number = 0;
    unsigned char byte;
    int shift = 0;

    do {
        byte = read_byte(log, r);
        number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte >= 0x80);
    return number;
}

void time_log_add(struct time_log *log, uint32_t sample, uint64_t time_ns)
{
    if (log->bytes.bytes.size >= TIME_LOG_MEMORY && !log->is_stuck)
        log->is_stuck = !spill_move(&log->bytes);
    write_number(&log->bytes.bytes, fold_sign((uint64_t)sample - log->sample));
    write_number(&log->bytes.bytes, fold_sign(time_ns - log->time_ns));
    log->sample = sample;
    log->time_ns = time_ns;
}

bool time_log_next(const struct time_log *log, struct time_log_reader *reader)
{
    if (reader->at >= spill_size(&log->bytes))
        return false;
    reader->sample += (uint32_t)unfold_sign(read_number(log, reader));
    reader->time_ns += unfold_sign(read_number(log, reader));
    return true;
}

void time_log_free(struct time_log *log)
{
    spill_free(&log->bytes);
    *log = (struct time_log){.sample = 0};
}
