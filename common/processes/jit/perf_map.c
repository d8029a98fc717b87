/* SPDX-License-Identifier: BSD-2-Clause */
/* See jit_files.h: perf maps, /tmp/perf-PID.map: a line for each function, with its
 * address and size in hex and its name, which may have spaces. Compilers reuse memory
 * without notice: where functions overlap, the last line counts. */
#include "jit_files.h"

#include <string.h>

#include "common/base/hex.h"
#include "common/base/memory.h"

/* A larger file is not read to its end; a longer line is malformed. */
enum { LINE_MAX_BYTES = 64 << 10 };
#define FILE_MAX_BYTES ((uint64_t)1 << 30)

struct line_reader {
    struct file *file;
    uint64_t offset;
    uint64_t size;
    /* What was read and is not used yet is from `at` up to `end`. */
    char *buffer;
    size_t at;
    size_t end;
};

/* ---- Lines ------------------------------------------------------------------------- */

/* Moves the rest to the front, and fills up what is free. Returns false if there is
 * nothing more. */
static bool fill_buffer(struct line_reader *r)
{
    size_t more = LINE_MAX_BYTES - (r->end - r->at);

    memmove(r->buffer, r->buffer + r->at, r->end - r->at);
    r->end -= r->at;
    r->at = 0;
    if (more > r->size - r->offset)
        more = (size_t)(r->size - r->offset);
    if (more == 0 || !file_read(r->file, r->offset, r->buffer + r->end, more))
        return false;
    r->offset += more;
    r->end += more;
    return true;
}

/* The next line without its newline. A line that does not fit into the buffer comes in
 * parts, of which `is_whole` is false. */
static bool next_line(struct line_reader *r, struct string *line, bool *is_whole)
{
    const char *end;

    for (;;) {
        line->data = r->buffer + r->at;
        end = r->end > r->at ? memchr(line->data, '\n', r->end - r->at) : NULL;
        if (end != NULL || !fill_buffer(r))
            break;
    }
    line->data = r->buffer + r->at;
    line->size = end != NULL ? (size_t)(end - line->data) : r->end - r->at;
    *is_whole = end != NULL || r->offset == r->size;
    r->at += line->size + (end != NULL);
    return end != NULL || line->size > 0;
}

/* ---- Functions --------------------------------------------------------------------- */

/* Takes a number, with or without 0x, and the spaces after it. */
static bool take_hex(struct string *line, uint64_t *number)
{
    size_t n_digits = 0;

    if (line->size > 2 && line->data[0] == '0' && (line->data[1] | 0x20) == 'x')
        *line = (struct string){line->data + 2, line->size - 2};
    *number = 0;
    while (n_digits < line->size && hex_digit(line->data[n_digits]) >= 0) {
        if (*number >> 60 != 0)
            return false;
        *number = *number << 4 | (unsigned)hex_digit(line->data[n_digits++]);
    }
    *line = (struct string){line->data + n_digits, line->size - n_digits};
    if (n_digits == 0 || line->size == 0 || line->data[0] != ' ')
        return false;
    while (line->size > 0 && line->data[0] == ' ')
        *line = (struct string){line->data + 1, line->size - 1};
    return true;
}

static bool parse_line(struct string line, struct code_name *function,
                       struct string *name)
{
    if (!take_hex(&line, &function->start) || !take_hex(&line, &function->size))
        return false;
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    *name = line;
    return function->size > 0 && line.size > 0 && line.data[0] != '\0' &&
           function->size <= UINT64_MAX - function->start;
}

void perf_map_read(struct file *file, struct sampled_code *code, struct code_names *names)
{
    struct line_reader r = {.file = file, .buffer = memory_reserve(LINE_MAX_BYTES)};
    struct string line;
    bool is_whole;
    bool was_whole = true;

    file_refresh(file);
    r.size = file_size(file);
    if (r.size > FILE_MAX_BYTES) {
        names->n_malformed++;
        r.size = FILE_MAX_BYTES;
    }
    while (next_line(&r, &line, &is_whole)) {
        struct code_name function = {0};
        struct string name;

        if (is_whole && was_whole && parse_line(line, &function, &name))
            code_names_add(names, code, function, name);
        else
            names->n_malformed += was_whole && line.size > 0;
        was_whole = is_whole;
    }
    memory_release(r.buffer);
}
