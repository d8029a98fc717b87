/* SPDX-License-Identifier: BSD-2-Clause */
/* See maps.h. */
#include "maps.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

enum { LINE_MAX_SIZE = 1024 };

/* ---- Reading ----------------------------------------------------------------------- */

struct lines {
    int file;
    char bytes[1024];
    size_t n;
    size_t at;
    /* The line that was read last, ended by a newline and a zero byte; one that is too
     * long is truncated. */
    char line[LINE_MAX_SIZE];
    size_t size;
};

static bool next_byte(struct lines *lines, char *byte)
{
    if (lines->at == lines->n) {
        ssize_t n = read(lines->file, lines->bytes, sizeof(lines->bytes));

        if (n <= 0)
            return false;
        lines->n = (size_t)n;
        lines->at = 0;
    }
    *byte = lines->bytes[lines->at++];
    return true;
}

static bool next_line(struct lines *lines)
{
    char byte = 0;

    lines->size = 0;
    while (byte != '\n') {
        if (!next_byte(lines, &byte))
            return false;
        if (lines->size < LINE_MAX_SIZE - 2 || byte == '\n')
            lines->line[lines->size++] = byte;
    }
    lines->line[lines->size] = '\0';
    return true;
}

static bool open_maps(struct lines *lines)
{
    lines->n = 0;
    lines->at = 0;
    lines->file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    return lines->file >= 0;
}

/* Parses the start of a line: 7f00-8f00 r-xp. Returns the rest of the line. */
static const char *read_range(const struct lines *lines, struct range *range)
{
    const char *at = lines->line;

    range->start = text_number(&at, 16);
    at += *at == '-';
    range->limit = text_number(&at, 16);
    return at + (*at == ' ');
}

/* ---- Code -------------------------------------------------------------------------- */

static bool is_known(const struct code *code, struct range range)
{
    uint32_t n = __atomic_load_n(&code->n_ranges, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < n; i++) {
        if (code->ranges[i].start == range.start && code->ranges[i].limit == range.limit)
            return true;
    }
    return false;
}

static void append_lines(struct table *t, const struct lines *lines)
{
    struct heap_header_v1 *h = t->header;
    uint64_t used = h->maps_used;

    if (used > h->maps_size || lines->size > h->maps_size - used ||
        !table_ask(t, t->maps + used, lines->size)) {
        __atomic_fetch_add(&h->lost_maps, 1, __ATOMIC_RELAXED);
        return;
    }
    memcpy(t->maps + used, lines->line, lines->size);
    __atomic_store_n(&h->maps_used, used + lines->size, __ATOMIC_RELEASE);
}

static void take_line(struct code *code, struct table *t, const struct lines *lines)
{
    struct range range;
    const char *at = read_range(lines, &range);

    if (strlen(at) < 3 || at[2] != 'x' || is_known(code, range))
        return;
    append_lines(t, lines);
    if (code->n_ranges == CODE_RANGES_MAX)
        return;
    code->ranges[code->n_ranges] = range;
    __atomic_store_n(&code->n_ranges, code->n_ranges + 1, __ATOMIC_RELEASE);
}

void code_look(struct code *code, struct table *t, uint32_t scan)
{
    struct lines lines;

    if (__atomic_exchange_n(&code->is_busy, 1, __ATOMIC_ACQUIRE) != 0)
        return;
    if (open_maps(&lines)) {
        while (next_line(&lines))
            take_line(code, t, &lines);
        close(lines.file);
        __atomic_store_n(&code->scan, scan, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&code->is_busy, 0, __ATOMIC_RELEASE);
}
