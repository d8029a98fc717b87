/* SPDX-License-Identifier: BSD-2-Clause */
/* See row_binary.h. */
#include "row_binary.h"

static void add_number(struct text *rows, uint64_t value, size_t n_bytes)
{
    char *to = text_room(rows, n_bytes);

    for (size_t i = 0; i < n_bytes; i++)
        to[i] = (char)(value >> (8 * i));
    rows->size += n_bytes;
}

void row_binary_u32(struct text *rows, uint32_t value)
{
    add_number(rows, value, sizeof(value));
}

void row_binary_u64(struct text *rows, uint64_t value)
{
    add_number(rows, value, sizeof(value));
}

/* LEB128. */
void row_binary_size(struct text *rows, uint64_t size)
{
    for (; size >= 0x80; size >>= 7)
        text_char(rows, (char)(size | 0x80));
    text_char(rows, (char)size);
}

void row_binary_string(struct text *rows, const void *bytes, size_t size)
{
    row_binary_size(rows, size);
    text_add(rows, bytes, size);
}

static void add_value(struct text *rows, enum column_type type, const struct cell *cell)
{
    uint64_t bits;

    switch (type) {
    case COLUMN_INT64:
    case COLUMN_TIME:
    case COLUMN_UINT64:
        row_binary_u64(rows, cell->uint64);
        return;
    case COLUMN_DOUBLE:
        memcpy(&bits, &cell->real, sizeof(bits));
        row_binary_u64(rows, bits);
        return;
    case COLUMN_BOOL:
        text_char(rows, cell->int64 != 0);
        return;
    case COLUMN_STRING:
    case COLUMN_BLOB:
        row_binary_string(rows, cell->bytes, cell->n_bytes);
        return;
    case COLUMN_HASH:
        text_add(rows, cell->bytes, HASH_BYTES);
        return;
    case COLUMN_HASH_LIST:
        row_binary_size(rows, cell->n_bytes / HASH_BYTES);
        text_add(rows, cell->bytes, cell->n_bytes);
        return;
    }
}

void row_binary_cell(struct text *rows, const struct column *column,
                     const struct cell *cell)
{
    if (column->is_nullable)
        text_char(rows, cell->is_null);
    if (!cell->is_null)
        add_value(rows, column->type, cell);
}
