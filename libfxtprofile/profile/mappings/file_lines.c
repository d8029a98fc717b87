/* SPDX-License-Identifier: BSD-2-Clause */
/* See file_lines.h. */
#include "file_lines.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/base/sort.h"

/* ---- Files ------------------------------------------------------------------------- */

uint32_t file_lines_file(struct file_lines *l, struct file_key key)
{
    return TABLE_PUT(&l->file_table, l->files, l->n_files, l->file_capacity, &key,
                     build_id, name, boot, has_build_id);
}

/* ---- Lines ------------------------------------------------------------------------- */

uint32_t file_lines_string(struct file_lines *l, struct string string)
{
    struct text text = {NULL, 0, 0};
    uint32_t number;

    text_add(&text, string.data, string.size);
    text_char(&text, '\0');
    number = string_table_add(&l->strings, text.data, text.size);
    text_free(&text);
    return number;
}

void file_lines_start(struct file_lines *l, uint32_t file, uint64_t address)
{
    MEMORY_ADD(l->addresses, l->n_addresses, l->address_capacity,
               (struct file_address){address, file, (uint32_t)l->n_lines, 0, false});
}

bool file_lines_add(struct file_lines *l, struct file_line line)
{
    struct file_address *last = &l->addresses[l->n_addresses - 1];

    if (last->n == FILE_LINES_DEPTH_MAX || l->n_lines == UINT32_MAX)
        return false;
    MEMORY_ADD(l->lines, l->n_lines, l->line_capacity, line);
    last->n++;
    last->has_source |= file_lines_text(l, line.source_file)[0] != '\0';
    return true;
}

static int order_addresses(const void *left, const void *right)
{
    const struct file_address *a = (const struct file_address *)left;
    const struct file_address *b = (const struct file_address *)right;

    if (a->file != b->file)
        return order_numbers(a->file, b->file);
    if (a->address != b->address)
        return order_numbers(a->address, b->address);
    /* The last one comes first, but for those without a line. */
    if ((a->n == 0) != (b->n == 0))
        return order_numbers(a->n == 0, b->n == 0);
    return order_numbers(b->first, a->first);
}

void file_lines_finish(struct file_lines *l)
{
    size_t n = 0;

    SORT(l->addresses, l->n_addresses, order_addresses);
    for (size_t i = 0; i < l->n_addresses; i++) {
        const struct file_address *next = &l->addresses[i];
        const struct file_address *last = n > 0 ? &l->addresses[n - 1] : NULL;

        if (next->n == 0 ||
            (last != NULL && last->file == next->file && last->address == next->address))
            continue;
        l->addresses[n++] = *next;
    }
    l->n_addresses = n;
}

/* ---- Looking up -------------------------------------------------------------------- */

const struct file_address *file_lines_find(const struct file_lines *l,
                                           struct file_key key, uint64_t address)
{
    uint32_t file =
        TABLE_FIND(&l->file_table, l->files, &key, build_id, name, boot, has_build_id);
    size_t low = 0;
    size_t high = l->n_addresses;

    if (file == TABLE_NONE)
        return NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct file_address *at = &l->addresses[middle];

        if (at->file == file && at->address == address)
            return at;
        if (at->file < file || (at->file == file && at->address < address))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *file_lines_text(const struct file_lines *l, uint32_t string)
{
    return string_table_get(&l->strings, string).data;
}

void file_lines_free(struct file_lines *l)
{
    memory_release(l->files);
    memory_release(l->addresses);
    memory_release(l->lines);
    table_free(&l->file_table);
    string_table_free(&l->strings);
}
