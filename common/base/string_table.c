/* SPDX-License-Identifier: BSD-2-Clause */
/* See string_table.h. */
#include "string_table.h"

#include <assert.h>
#include <string.h>

#include "sort.h"

struct string string_table_get(const struct string_table *strings, uint32_t number)
{
    size_t start = number > 0 ? strings->ends[number - 1] : 0;

    assert(number < strings->n);
    /* A set that holds only the empty string has no bytes at all. */
    if (strings->ends[number] == start)
        return (struct string){"", 0};
    return (struct string){strings->bytes.data + start, strings->ends[number] - start};
}

static bool find_string(const struct string_table *strings, uint64_t hash,
                        const char *data, size_t size, uint32_t *number)
{
    struct table_probe probe = table_probe(&strings->table, hash);

    while (table_next(&strings->table, &probe, number)) {
        struct string known = string_table_get(strings, *number);

        if (known.size == size && (size == 0 || memcmp(known.data, data, size) == 0))
            return true;
    }
    return false;
}

bool string_table_find(const struct string_table *strings, const char *data, size_t size,
                       uint32_t *number)
{
    return find_string(strings, hash_bytes(data, size), data, size, number);
}

uint32_t string_table_add(struct string_table *strings, const char *data, size_t size)
{
    uint64_t hash = hash_bytes(data, size);
    uint32_t number;

    if (find_string(strings, hash, data, size, &number))
        return number;
    table_add(&strings->table, hash, strings->n);
    strings->ends = memory_grow(strings->ends, strings->n, &strings->capacity,
                                sizeof(*strings->ends));
    text_add(&strings->bytes, data, size);
    strings->ends[strings->n] = strings->bytes.size;
    return (uint32_t)strings->n++;
}

int string_compare(struct string a, struct string b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.data, b.data, common);

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

struct string string_last_component(struct string path)
{
    for (size_t i = path.size; i > 0; i--) {
        if (path.data[i - 1] == '/')
            return (struct string){path.data + i, path.size - i};
    }
    return path;
}

struct row {
    struct string name;
    uint32_t number;
};

SORT_ORDER(order_rows, struct row, BY_ORDER(string_compare(a->name, b->name)));

uint32_t *string_table_sort(struct string_table *strings)
{
    struct row *rows = memory_allocate(strings->n * sizeof(*rows));
    uint32_t *numbers = memory_allocate(strings->n * sizeof(*numbers));
    struct string_table sorted = {.n = 0};

    for (uint32_t i = 0; i < strings->n; i++)
        rows[i] = (struct row){string_table_get(strings, i), i};
    SORT(rows, strings->n, order_rows);
    for (uint32_t i = 0; i < strings->n; i++)
        numbers[rows[i].number] =
            string_table_add(&sorted, rows[i].name.data, rows[i].name.size);
    memory_release(rows);
    string_table_free(strings);
    *strings = sorted;
    return numbers;
}

void string_table_free(struct string_table *strings)
{
    text_free(&strings->bytes);
    memory_release(strings->ends);
    table_free(&strings->table);
    *strings = (struct string_table){.n = 0};
}
