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

static void add(struct text *bytes, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        text_char(bytes, (char)(unsigned char)(number | 0x80));
    text_char(bytes, (char)number);
}

static uint64_t take(const struct text *bytes, size_t *at)
{
    uint64_t number = 0;
    unsigned char byte;
    int shift = 0;

    do {
        byte = (unsigned char)bytes->data[(*at)++];
        number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte >= 0x80);
    return number;
}

void time_log_add(struct time_log *log, uint32_t sample, uint64_t time_ns)
{
    add(&log->bytes, fold_sign((uint64_t)sample - log->sample));
    add(&log->bytes, fold_sign(time_ns - log->time_ns));
    log->sample = sample;
    log->time_ns = time_ns;
}

bool time_log_next(const struct time_log *log, struct time_log_reader *reader)
{
    if (reader->at >= log->bytes.size)
        return false;
    reader->sample += (uint32_t)unfold_sign(take(&log->bytes, &reader->at));
    reader->time_ns += unfold_sign(take(&log->bytes, &reader->at));
    return true;
}

void time_log_free(struct time_log *log)
{
    text_free(&log->bytes);
}
