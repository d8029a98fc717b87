/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_answers.h. */
#include "debug_answers.h"

#include <stdlib.h>
#include <string.h>

/* ---- Messages ---------------------------------------------------------------------- */

static bool take_string(struct debug_answers *a, const char *bytes, size_t size)
{
    MEMORY_ADD(a->starts, a->n_strings, a->string_capacity, a->strings.size);
    text_add(&a->strings, bytes, size);
    text_char(&a->strings, '\0');
    return true;
}

/* Strings are terminated, the last one too. */
static bool is_scope(const struct debug_answers *a, uint32_t number)
{
    size_t start;

    if (number == 0 || number > a->n_strings)
        return number == 0;
    start = a->starts[number - 1];
    return strnlen(a->strings.data + start, DEBUG_SCOPE_MAX + 1) <= DEBUG_SCOPE_MAX;
}

/* A parent must precede its children, so that no function contains itself. */
static bool take_function(struct debug_answers *a, const char *bytes, size_t size)
{
    struct debug_answered_function f;

    if (size != sizeof(f))
        return false;
    memcpy(&f, bytes, sizeof(f));
    if (f.parent > a->n_functions || f.name > a->n_strings || !is_scope(a, f.scope) ||
        f.file > a->n_strings || f.call_file > a->n_strings)
        return false;
    f.depth = 1;
    if (f.parent > 0)
        f.depth = (uint16_t)(a->functions[f.parent - 1].depth + 1);
    if (f.depth > DEBUG_DEPTH_MAX)
        return false;
    MEMORY_ADD(a->functions, a->n_functions, a->function_capacity, f);
    return true;
}

static bool take_answer(struct debug_answers *a, const char *bytes, size_t size)
{
    struct debug_answer answer;

    if (size != sizeof(answer) || a->n_answers == a->max_answers)
        return false;
    memcpy(&answer, bytes, sizeof(answer));
    if (answer.file > a->n_strings || answer.function > a->n_functions)
        return false;
    MEMORY_ADD(a->answers, a->n_answers, a->answer_capacity, answer);
    return true;
}

static bool take_split(struct debug_answers *a, const char *bytes, size_t size)
{
    uint32_t file;

    if (size != sizeof(file))
        return false;
    memcpy(&file, bytes, sizeof(file));
    if (file == 0 || file > a->n_strings || a->n_split == UINT32_MAX)
        return false;
    if (a->n_split++ == 0)
        a->split_file = file;
    return true;
}

static bool take_end(struct debug_answers *a, const char *bytes, size_t size)
{
    if (size != sizeof(a->end))
        return false;
    memcpy(&a->end, bytes, sizeof(a->end));
    return a->end != DEBUG_END_GOOD || a->n_answers == a->max_answers;
}

static bool take_message(struct debug_answers *a, uint32_t kind, const char *bytes,
                         size_t size)
{
    switch (kind) {
    case DEBUG_STRING:
        return take_string(a, bytes, size);
    case DEBUG_FUNCTION:
        return take_function(a, bytes, size);
    case DEBUG_ANSWER:
        return take_answer(a, bytes, size);
    case DEBUG_END:
        return take_end(a, bytes, size);
    case DEBUG_SPLIT:
        return take_split(a, bytes, size);
    default:
        return false;
    }
}

bool debug_answers_take(void *answers, const void *bytes, size_t size)
{
    struct debug_answers *a = (struct debug_answers *)answers;
    struct debug_header header;
    size_t at = 0;

    a->n_bytes += size;
    a->is_faulty |= a->n_bytes > a->max_bytes;
    if (a->is_faulty || a->end != 0)
        return false;
    text_add(&a->rest, bytes, size);
    while (a->end == 0 && a->rest.size - at >= sizeof(header)) {
        memcpy(&header, a->rest.data + at, sizeof(header));
        if (header.size > DEBUG_MESSAGE_MAX) {
            a->is_faulty = true;
            return false;
        }
        if (header.size > a->rest.size - at - sizeof(header))
            break;
        at += sizeof(header);
        if (!take_message(a, header.kind, a->rest.data + at, header.size)) {
            a->is_faulty = true;
            return false;
        }
        at += header.size;
    }
    a->rest.size -= at;
    if (a->rest.size > 0)
        memmove(a->rest.data, a->rest.data + at, a->rest.size);
    return a->end == 0;
}

/* ---- Looking up -------------------------------------------------------------------- */

static const char *answered_string(const struct debug_answers *a, uint32_t number)
{
    return number > 0 ? a->strings.data + a->starts[number - 1] : NULL;
}

void debug_answers_get(const struct debug_answers *a, size_t number,
                       struct source_lines *lines)
{
    struct debug_answer answer = a->answers[number];
    struct source_line line = {.file = answered_string(a, answer.file),
                               .line = answer.line};
    uint32_t i = answer.function;

    if (i == 0 && line.file != NULL)
        source_lines_add(lines, line);
    while (i > 0) {
        const struct debug_answered_function *f = &a->functions[i - 1];
        const char *file = answered_string(a, f->file);

        line.name = answered_string(a, f->name);
        line.scope = answered_string(a, f->scope);
        line.is_plain = f->is_plain != 0;
        line.entry = f->entry;
        line.home = file;
        if (file != NULL && line.file != NULL && strcmp(file, line.file) == 0)
            line.start_line = f->start_line;
        source_lines_add(lines, line);
        line = (struct source_line){
            .file = answered_string(a, f->call_file),
            .line = f->call_line,
        };
        i = f->parent;
    }
}

const char *debug_answers_split(const struct debug_answers *a)
{
    return answered_string(a, a->split_file);
}

void debug_answers_free(struct debug_answers *a)
{
    text_free(&a->strings);
    memory_release(a->starts);
    memory_release(a->functions);
    memory_release(a->answers);
    text_free(&a->rest);
    *a = (struct debug_answers){.n_answers = 0};
}
