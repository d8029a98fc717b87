/* SPDX-License-Identifier: BSD-2-Clause */
/* See maps.h. */
#include "maps.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "text.h"

enum { LINE_MAX_SIZE = 1024 };

static uint64_t hash_words(const uint64_t *words, size_t n)
{
    uint64_t hash = n;

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

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

/* Reads a line, as "7f00-8f00 r-xp 1000 08:01 1234 /lib/x.so". Returns false unless it is
 * of code. */
static bool read_range(const struct lines *lines, struct code_range *range)
{
    const char *at = lines->line;
    uint64_t file[4];

    *range = (struct code_range){.start = text_number(&at, 16)};
    at += *at == '-';
    range->limit = text_number(&at, 16);
    at += *at == ' ';
    if (strlen(at) < 5 || at[2] != 'x')
        return false;
    at += 5;
    file[0] = range->start - text_number(&at, 16);
    at += *at == ' ';
    file[1] = text_number(&at, 16);
    at += *at == ':';
    file[2] = text_number(&at, 16);
    at += *at == ' ';
    file[3] = text_number(&at, 10);
    if (file[3] != 0)
        range->file = hash_words(file, 4) | 1;
    return true;
}

/* ---- Code -------------------------------------------------------------------------- */

static struct code_range *find_same(struct code *code, const struct code_range *range)
{
    for (uint32_t i = 0; i < code->n_ranges; i++) {
        struct code_range *one = &code->ranges[i];

        if (one->start == range->start && one->limit == range->limit &&
            one->file == range->file)
            return one;
    }
    return NULL;
}

static void set_shared(struct code *code, struct code_range *range)
{
    range->is_shared = true;
    if (code->high == 0 || range->start < code->low)
        __atomic_store_n(&code->low, range->start, __ATOMIC_RELAXED);
    if (range->limit > code->high)
        __atomic_store_n(&code->high, range->limit, __ATOMIC_RELAXED);
}

/* A range is there: no other file's is where it is. Code of no file is not named by
 * mappings. */
static void replace_others(struct code *code, struct code_range *range)
{
    for (uint32_t i = 0; i < code->n_ranges && range->file != 0; i++) {
        struct code_range *one = &code->ranges[i];

        if (one->start >= range->limit || range->start >= one->limit || one->file == 0 ||
            one->file == range->file)
            continue;
        set_shared(code, one);
        set_shared(code, range);
        one->is_there = false;
    }
    range->is_there = true;
}

static bool append_text(struct table *t, const char *text, size_t size)
{
    struct heap_header_v1 *h = t->header;
    uint64_t used = h->maps_used;

    if (used > h->maps_size || size > h->maps_size - used ||
        !table_ask(t, t->maps + used, size)) {
        __atomic_fetch_add(&h->lost_maps, 1, __ATOMIC_RELAXED);
        return false;
    }
    memcpy(t->maps + used, text, size);
    __atomic_store_n(&h->maps_used, used + size, __ATOMIC_RELEASE);
    return true;
}

static void take_line(struct code *code, struct table *t, const struct lines *lines)
{
    struct code_range range;
    struct code_range *known;

    if (!read_range(lines, &range))
        return;
    known = find_same(code, &range);
    if (known != NULL && known->is_there)
        return;
    if (known == NULL && code->n_ranges < CODE_RANGES_MAX) {
        known = &code->ranges[code->n_ranges++];
        *known = range;
    }
    if (known != NULL)
        replace_others(code, known);
    if (known == NULL || !known->is_shared)
        append_text(t, lines->line, lines->size);
}

/* ---- Views ------------------------------------------------------------------------- */

/* The view before the mappings were read, or the present one. */
static uint64_t hash_view(const struct code *code, bool before)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < code->n_ranges; i++) {
        const struct code_range *one = &code->ranges[i];
        uint64_t words[] = {one->start, one->limit, one->file};

        if (one->is_shared && (before ? one->was_there : one->is_there))
            hash ^= hash_words(words, 3);
    }
    return hash;
}

static const struct code_view *find_view(const struct code *code, uint64_t hash)
{
    for (uint32_t i = 0; i < code->n_views; i++) {
        if (code->views[i].hash == hash)
            return &code->views[i];
    }
    return NULL;
}

static void note_view(struct code *code, uint64_t hash, uint64_t time_ns)
{
    if (find_view(code, hash) == NULL && code->n_views < CODE_VIEWS_MAX)
        code->views[code->n_views++] = (struct code_view){hash, time_ns};
}

static void append_view(struct table *t, uint64_t time_ns)
{
    char text[32];
    struct text_line line = {text, sizeof(text), 0};

    text_add(&line, "@");
    text_add_number(&line, time_ns);
    text_add(&line, "\n");
    append_text(t, text, line.size);
}

/* All shared ranges that are there: an earlier view may have had one of them, and others
 * since. */
static void append_shared(struct code *code, struct table *t, struct lines *lines)
{
    if (!open_maps(lines))
        return;
    while (next_line(lines)) {
        struct code_range range;
        const struct code_range *known =
            read_range(lines, &range) ? find_same(code, &range) : NULL;

        if (known != NULL && known->is_shared && known->is_there)
            append_text(t, lines->line, lines->size);
    }
    close(lines->file);
}

static void change_view(struct code *code, struct table *t, struct lines *lines,
                        uint64_t now_ns)
{
    uint64_t before = hash_view(code, true);
    uint64_t hash = hash_view(code, false);
    const struct code_view *view;

    for (uint32_t i = 0; i < code->n_ranges; i++)
        code->ranges[i].was_there = code->ranges[i].is_there;
    if (hash == before)
        return;
    note_view(code, before, code->view_ns);
    view = find_view(code, hash);
    if (view != NULL) {
        __atomic_store_n(&code->view_ns, view->time_ns, __ATOMIC_RELEASE);
        return;
    }
    code->last_view_ns = now_ns > code->last_view_ns ? now_ns : code->last_view_ns + 1;
    append_view(t, code->last_view_ns);
    append_shared(code, t, lines);
    note_view(code, hash, code->last_view_ns);
    __atomic_store_n(&code->view_ns, code->last_view_ns, __ATOMIC_RELEASE);
}

uint64_t code_view_of(const struct code *code, const uint64_t *pcs, uint64_t n)
{
    uint64_t view_ns = __atomic_load_n(&code->view_ns, __ATOMIC_ACQUIRE);
    uint64_t low = __atomic_load_n(&code->low, __ATOMIC_RELAXED);
    uint64_t size = __atomic_load_n(&code->high, __ATOMIC_RELAXED) - low;

    for (uint64_t i = 0; i < n && view_ns != 0; i++) {
        if (pcs[i] - 1 - low < size)
            return view_ns;
    }
    return 0;
}

/* ---- Looking ----------------------------------------------------------------------- */

#define WAIT_NS UINT64_C(10000000)

/* Returns false if another thread has just read the mappings, or takes too long: it may
 * be this one, which a signal handler has interrupted. */
static bool begin(struct code *code, uint32_t scan)
{
    uint64_t begun_ns = 0;

    while (__atomic_exchange_n(&code->is_busy, 1, __ATOMIC_ACQUIRE) != 0) {
        uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

        begun_ns = begun_ns > 0 ? begun_ns : now_ns;
        if (__atomic_load_n(&code->scan, __ATOMIC_ACQUIRE) == scan ||
            now_ns - begun_ns > WAIT_NS)
            return false;
        sched_yield();
    }
    return true;
}

void code_look(struct code *code, struct table *t, uint32_t scan, uint64_t now_ns)
{
    struct lines lines;

    if (!begin(code, scan))
        return;
    if (open_maps(&lines)) {
        while (next_line(&lines))
            take_line(code, t, &lines);
        close(lines.file);
        change_view(code, t, &lines, now_ns);
        __atomic_store_n(&code->scan, scan, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&code->is_busy, 0, __ATOMIC_RELEASE);
}
