/* SPDX-License-Identifier: BSD-2-Clause */
/* See show.h. */
#include "show.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_SHOWN = 64 };

void show_free(struct show *show)
{
    free(show->text);
    *show = (struct show){0};
}

const char *show_take(struct show *show)
{
    show_format(show, "%s", "");
    show->size = 0;
    return show->text;
}

void show_format(struct show *show, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (show->size + (size_t)n + 1 > show->room) {
        show->room = (show->size + (size_t)n + 1) * 2;
        show->text = (char *)realloc(show->text, show->room);
        if (show->text == NULL)
            abort();
    }
    va_start(args, format);
    vsnprintf(show->text + show->size, (size_t)n + 1, format, args);
    va_end(args);
    show->size += (size_t)n;
}

static void show_value(struct show *show, uint64_t value)
{
    show_format(show, value < 10000000000 ? "%llu" : "0x%llx", (unsigned long long)value);
}

static void show_number(void *context, const char *field, uint64_t value)
{
    struct show *show = (struct show *)context;

    show_format(show, " %s=", field);
    show_value(show, value);
}

static void show_hash(struct show *show, const void *data, uint64_t size)
{
    const unsigned char *b = (const unsigned char *)data;
    uint64_t hash = 0xcbf29ce484222325;

    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 0x100000001b3;
    show_format(show, "%llu hash %llx", (unsigned long long)size,
                (unsigned long long)hash);
}

static void show_characters(struct show *show, const char *data, uint32_t size)
{
    if (size > LONGEST_SHOWN) {
        show_hash(show, data, size);
        return;
    }
    for (uint32_t i = 0; i < size; i++) {
        if (data[i] >= ' ' && data[i] <= '~')
            show_format(show, "%c", data[i]);
        else
            show_format(show, "\\x%02x", (unsigned char)data[i]);
    }
}

static void show_string(void *context, const char *field, const struct fxt_string *s)
{
    struct show *show = (struct show *)context;
    bool quoted = s->ref != 0;

    show_format(show, " %s=", field);
    if (quoted && !(s->ref & 0x8000))
        show_format(show, "#%d", s->ref);
    if (s->data == NULL) {
        show_format(show, "?");
        return;
    }
    show_format(show, quoted ? "'" : "<");
    show_characters(show, s->data, s->size);
    show_format(show, quoted ? "'" : ">");
}

static void show_thread(void *context, const char *field, const struct fxt_thread *t)
{
    struct show *show = (struct show *)context;

    show_format(show, " %s=", field);
    if (t->ref != 0)
        show_format(show, t->known ? "#%d=" : "#%d?", t->ref);
    if (t->ref != 0 && !t->known)
        return;
    show_value(show, t->process);
    show_format(show, "/");
    show_value(show, t->thread);
}

static void show_bytes(void *context, const char *field, const void *data, uint64_t size)
{
    struct show *show = (struct show *)context;
    const unsigned char *b = (const unsigned char *)data;

    show_format(show, " %s=[", field);
    if (size > LONGEST_SHOWN)
        show_hash(show, data, size);
    else
        for (uint64_t i = 0; i < size; i++)
            show_format(show, "%02x", b[i]);
    show_format(show, "]");
}

static void show_words(void *context, const char *field, struct fxt_words words)
{
    struct show *show = (struct show *)context;

    show_format(show, " %s={", field);
    for (uint64_t i = 0; i < words.count; i++) {
        show_format(show, "%s", i > 0 ? " " : "");
        show_value(show, fxt_words_get(words, i));
    }
    show_format(show, "}");
}

static struct walker walker_for(struct show *show)
{
    return (struct walker){
        .context = show,
        .number = show_number,
        .string = show_string,
        .thread = show_thread,
        .bytes = show_bytes,
        .words = show_words,
    };
}

void show_content(struct show *show, const struct fxt_record *record)
{
    struct walker w = walker_for(show);

    walk_content(&w, record);
    show_format(show, "\n");
}

void show_record(struct show *show, const struct fxt_record *record)
{
    struct walker w = walker_for(show);

    walk_frame(&w, record);
    show_content(show, record);
}

void show_error(struct show *show, const struct fxt_error *error)
{
    struct walker w = walker_for(show);

    show_format(show, "%s:", fxt_code_name(error->code));
    walk_error(&w, error);
    show_format(show, "\n");
}

const char *show_difference(const char *a, const char *b)
{
    static char text[4096];
    size_t line = 0;
    size_t i = 0;

    for (; a[i] == b[i] && a[i] != '\0'; i++) {
        if (a[i] == '\n')
            line = i + 1;
    }
    if (a[i] == b[i])
        return "the same";
    snprintf(text, sizeof(text), "\n  %.*s\nis not\n  %.*s\n(after %zu bytes)",
             (int)strcspn(a + line, "\n"), a + line, (int)strcspn(b + line, "\n"),
             b + line, i);
    return text;
}
