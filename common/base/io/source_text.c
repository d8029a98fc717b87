/* SPDX-License-Identifier: BSD-2-Clause */
/* See source_text.h. */
#include "source_text.h"

#include <string.h>

#include "common/base/io/file.h"
#include "common/base/memory.h"

/* How large a file may be, how large all of them, and how many; and how much of a line is
 * shown. */
enum {
    FILE_MAX = 8 << 20,
    ALL_MAX = 64 << 20,
    N_FILES_MAX = 1000,
    LINE_MAX_BYTES = 1000
};

static void find_lines(struct source_text *file)
{
    const char *data = file->content.data;

    for (size_t at = 0; at < file->content.size;) {
        const char *end = memchr(data + at, '\n', file->content.size - at);

        MEMORY_ADD(file->lines, file->n_lines, file->line_capacity, (uint32_t)at);
        at = end != NULL ? (size_t)(end - data) + 1 : file->content.size;
    }
}

static void read_file(struct source_texts *s, struct source_text *to)
{
    struct text path = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct file *file;
    uint64_t size;

    text_add(&path, to->name.data, to->name.size);
    text_char(&path, '\0');
    file = file_open(path.data, &why);
    text_free(&path);
    text_free(&why);
    if (file == NULL)
        return;
    size = file_size(file);
    if (size > 0 && size <= FILE_MAX && size <= ALL_MAX - s->n_bytes &&
        file_read(file, 0, text_room(&to->content, (size_t)size), (size_t)size)) {
        to->content.size = (size_t)size;
        s->n_bytes += (size_t)size;
        find_lines(to);
    }
    file_close(file);
}

static bool is_usable(struct fxt_string name)
{
    return name.size > 0 && name.data[0] == '/' &&
           memchr(name.data, '\0', name.size) == NULL;
}

/* NULL if it cannot be read. */
static struct source_text *find_file(struct source_texts *s, struct fxt_string name)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->files[i].name.size == name.size &&
            memcmp(s->files[i].name.data, name.data, name.size) == 0)
            return &s->files[i];
    }
    if (s->n == N_FILES_MAX || !is_usable(name))
        return NULL;
    s->files = memory_grow(s->files, s->n, &s->capacity, sizeof(*s->files));
    s->files[s->n] = (struct source_text){.name = name};
    read_file(s, &s->files[s->n]);
    return &s->files[s->n++];
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool source_texts_add_whole(struct source_texts *s, struct fxt_string name, uint32_t line,
                            struct text *text)
{
    const struct source_text *file = find_file(s, name);
    size_t start;
    size_t end;

    if (file == NULL || line == 0 || line > file->n_lines)
        return false;
    start = file->lines[line - 1];
    end = line < file->n_lines ? file->lines[line] : file->content.size;
    end = end - start > LINE_MAX_BYTES ? start + LINE_MAX_BYTES : end;
    while (end > start && is_space(file->content.data[end - 1]))
        end--;
    text_add(text, file->content.data + start, end - start);
    return true;
}

bool source_texts_add(struct source_texts *s, struct fxt_string name, uint32_t line,
                      struct text *text)
{
    struct text whole = {NULL, 0, 0};
    size_t start = 0;

    if (source_texts_add_whole(s, name, line, &whole)) {
        while (start < whole.size && is_space(whole.data[start]))
            start++;
        if (start < whole.size)
            text_add(text, whole.data + start, whole.size - start);
    }
    start = whole.size - start;
    text_free(&whole);
    return start > 0;
}
