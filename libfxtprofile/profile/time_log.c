/* SPDX-License-Identifier: BSD-2-Clause */
/* See time_log.h. */
#include "time_log.h"

#include <stdlib.h>
#include <unistd.h>

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

static bool write_all(int fd, const char *data, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t n = pwrite(fd, data, size, (off_t)offset);

        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

static void close_file(void *context)
{
    fclose((FILE *)context);
}

/* What was written only in part is written over, or never read. */
static void move_to_file(struct time_log *log)
{
    if (log->file == NULL) {
        log->file = tmpfile();
        if (log->file != NULL)
            memory_cleanup_add(&log->cleanup, close_file, log->file);
    }
    log->is_stuck = log->file == NULL || !write_all(fileno(log->file), log->bytes.data,
                                                    log->bytes.size, log->n_filed);
    if (log->is_stuck)
        return;
    log->n_filed += log->bytes.size;
    log->bytes.size = 0;
}

static unsigned char read_file_byte(const struct time_log *log, struct time_log_reader *r)
{
    ssize_t n;

    if (r->at - r->window_start >= r->window_size) {
        n = pread(fileno(log->file), r->window, sizeof(r->window), (off_t)r->at);
        if (n <= 0)
            memory_fail("a temporary file cannot be read");
        r->window_start = r->at;
        r->window_size = (size_t)n;
    }
    return r->window[r->at++ - r->window_start];
}

static unsigned char read_byte(const struct time_log *log, struct time_log_reader *r)
{
    if (r->at < log->n_filed)
        return read_file_byte(log, r);
    return (unsigned char)log->bytes.data[r->at++ - log->n_filed];
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
    if (log->bytes.size >= TIME_LOG_MEMORY && !log->is_stuck)
        move_to_file(log);
    write_number(&log->bytes, fold_sign((uint64_t)sample - log->sample));
    write_number(&log->bytes, fold_sign(time_ns - log->time_ns));
    log->sample = sample;
    log->time_ns = time_ns;
}

bool time_log_next(const struct time_log *log, struct time_log_reader *reader)
{
    if (reader->at >= log->n_filed + log->bytes.size)
        return false;
    reader->sample += (uint32_t)unfold_sign(read_number(log, reader));
    reader->time_ns += unfold_sign(read_number(log, reader));
    return true;
}

void time_log_free(struct time_log *log)
{
    text_free(&log->bytes);
    if (log->file != NULL) {
        memory_cleanup_remove(&log->cleanup);
        fclose(log->file);
    }
    *log = (struct time_log){.n_filed = 0};
}
