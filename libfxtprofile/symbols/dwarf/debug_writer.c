/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_writer.h. */
#include "debug_writer.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/table_items.h"

enum { PENDING_MAX = 1 << 15 };

void debug_writer_flush(struct debug_writer *w)
{
    if (!w->is_stopped && w->pending.size > 0)
        w->is_stopped = !w->take(w->context, w->pending.data, w->pending.size);
    w->pending.size = 0;
}

static void write_message(struct debug_writer *w, enum debug_kind kind, const void *bytes,
                          size_t size)
{
    struct debug_header header = {.kind = kind, .size = (uint32_t)size};

    text_add(&w->pending, &header, sizeof(header));
    text_add(&w->pending, bytes, size);
    if (w->pending.size >= PENDING_MAX)
        debug_writer_flush(w);
}

/* A string that is too long for a message is truncated. */
static uint32_t put_string(struct debug_writer *w, const char *string)
{
    size_t n_before = w->n_strings;
    uint32_t number;

    if (string == NULL)
        return 0;
    number = TABLE_PUT_NUMBER(&w->table, w->strings, w->n_strings, w->capacity, string);
    if (w->n_strings > n_before)
        write_message(w, DEBUG_STRING, string, strnlen(string, DEBUG_MESSAGE_MAX));
    return number + 1;
}

static void put_function(struct debug_writer *w, struct debug_function *f,
                         uint32_t parent)
{
    struct debug_answered_function answered = {
        .entry = f->entry,
        .parent = parent,
        .name = put_string(w, f->name),
        .scope = put_string(w, f->scope),
        .file = put_string(w, f->file),
        .call_file = put_string(w, f->call_file),
        .start_line = f->start_line,
        .call_line = f->call_line,
        .is_plain = f->is_plain,
    };

    write_message(w, DEBUG_FUNCTION, &answered, sizeof(answered));
    f->number = ++w->n_functions;
}

/* The number of a function, which is written unless it was before: its parent first. */
static uint32_t string_number(struct debug_writer *w, struct debug_unit *unit, uint32_t i)
{
    struct debug_function *chain[DEBUG_DEPTH_MAX];
    uint32_t parent = 0;
    size_t n = 0;

    while (i != DEBUG_NO_FUNCTION && n < DEBUG_DEPTH_MAX && parent == 0) {
        chain[n] = debug_unit_function(unit, i);
        i = chain[n]->parent;
        parent = chain[n++]->number;
    }
    for (; n > 0; n--) {
        if (chain[n - 1]->number == 0)
            put_function(w, chain[n - 1], parent);
        parent = chain[n - 1]->number;
    }
    return parent;
}

void debug_writer_answer(struct debug_writer *w, struct debug_unit *unit,
                         struct debug_spot spot)
{
    struct debug_answer answer = {
        .file = put_string(w, spot.file),
        .line = spot.line,
        .function = string_number(w, unit, spot.function),
    };

    write_message(w, DEBUG_ANSWER, &answer, sizeof(answer));
}

void debug_writer_split(struct debug_writer *w, const char *file)
{
    uint32_t number = put_string(w, file);

    if (number > 0)
        write_message(w, DEBUG_SPLIT, &number, sizeof(number));
}

void debug_writer_end(struct debug_writer *w, enum debug_end end)
{
    uint32_t number = end;

    write_message(w, DEBUG_END, &number, sizeof(number));
    debug_writer_flush(w);
}
