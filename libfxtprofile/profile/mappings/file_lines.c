/* SPDX-License-Identifier: BSD-2-Clause */
/* See file_lines.h. */
#include "file_lines.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/sort.h"

/* ---- Files ------------------------------------------------------------------------- */

static uint64_t hash_key(struct file_key key)
{
    uint64_t hash = hash_word(hash_start(), key.has_build_id);

    hash = hash_word(hash, key.build_id);
    return hash_word(hash_word(hash, key.name), key.boot);
}

static bool same_key(struct file_key a, struct file_key b)
{
    return a.has_build_id == b.has_build_id && a.build_id == b.build_id &&
           a.name == b.name && a.boot == b.boot;
}

static bool find_file(const struct file_lines *l, struct file_key key, uint32_t *number)
{
    struct table_probe probe = table_probe(&l->file_table, hash_key(key));

    while (table_next(&l->file_table, &probe, number)) {
        if (same_key(l->files[*number], key))
            return true;
    }
    return false;
}

uint32_t file_lines_file(struct file_lines *l, struct file_key key)
{
    uint32_t number;

    if (find_file(l, key, &number))
        return number;
    table_add(&l->file_table, hash_key(key), l->n_files);
    MEMORY_ADD(l->files, l->n_files, l->file_capacity, key);
    return (uint32_t)(l->n_files - 1);
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

    if (l->n_addresses > 0)
        qsort(l->addresses, l->n_addresses, sizeof(*l->addresses), order_addresses);
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
    uint32_t file;
    size_t low = 0;
    size_t high = l->n_addresses;

    if (!find_file(l, key, &file))
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
