/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of different byte strings, numbered 0, 1, 2 in the order in which they were
 * added.
 */
#ifndef BASE_STRING_TABLE_H
#define BASE_STRING_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table.h"
#include "text.h"

/* All zero is an empty set. */
struct string_table {
    struct text bytes;
    /* Where in `bytes` each string ends; it starts where the one before it ends. */
    size_t *ends;
    size_t n;
    size_t capacity;
    struct table table;
};

/* Some bytes in a set, valid until the next string is added. */
struct string {
    const char *data;
    size_t size;
};

/* One that ends in a zero, without that. */
static inline struct string string_from(const char *data)
{
    return (struct string){data, strlen(data)};
}

/* The number of a string, which is added unless it is there. */
uint32_t string_table_add(struct string_table *strings, const char *data, size_t size);

/* Stores the number of a string. Returns false if it is not there. */
bool string_table_find(const struct string_table *strings, const char *data, size_t size,
                       uint32_t *number);

struct string string_table_get(const struct string_table *strings, uint32_t number);

/* Renumbers the strings in the order of their bytes. Returns the new number of each by
 * its old one, for the caller to free. */
uint32_t *string_table_sort(struct string_table *strings);

/* In the order of their bytes, as memcmp has it; a string before its continuations. */
int string_compare(struct string a, struct string b);

/* The part of a path after its last slash. */
struct string string_last_component(struct string path);

void string_table_free(struct string_table *strings);

#endif
