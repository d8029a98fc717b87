/* SPDX-License-Identifier: BSD-2-Clause */
/* See row_binary.h. */
#include "row_binary.h"

void row_binary_string(struct text *rows, const void *bytes, size_t size)
{
    text_varint(rows, size);
    text_add(rows, bytes, size);
}

static void add_value(struct text *rows, enum column_type type, const struct cell *cell)
{
    uint64_t bits;

    switch (type) {
    case COLUMN_INT64:
    case COLUMN_TIME:
    case COLUMN_UINT64:
        text_le(rows, cell->uint64, sizeof(cell->uint64));
        return;
    case COLUMN_DOUBLE:
        memcpy(&bits, &cell->real, sizeof(bits));
        text_le(rows, bits, sizeof(bits));
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
        text_varint(rows, cell->n_bytes / HASH_BYTES);
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

/* ---- Reading ----------------------------------------------------------------------- */

const char *row_reader_bytes(struct row_reader *r, uint64_t size)
{
    const char *bytes = r->at;

    if (r->is_bad || size > (uint64_t)(r->end - r->at)) {
        r->is_bad = true;
        return NULL;
    }
    r->at += size;
    return bytes;
}

uint64_t row_reader_varint(struct row_reader *r)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const char *byte = row_reader_bytes(r, 1);

        if (byte == NULL)
            return 0;
        value |= (uint64_t)(*byte & 0x7f) << shift;
        if ((*byte & 0x80) == 0)
            return value;
    }
    r->is_bad = true;
    return 0;
}

int64_t row_reader_int64(struct row_reader *r)
{
    const char *bytes = row_reader_bytes(r, sizeof(uint64_t));
    uint64_t value = 0;

    for (size_t i = 0; bytes != NULL && i < sizeof(value); i++)
        value |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    return (int64_t)value;
}

struct string row_reader_string(struct row_reader *r)
{
    uint64_t size = row_reader_varint(r);
    const char *bytes = row_reader_bytes(r, size);

    return (struct string){bytes, bytes != NULL ? (size_t)size : 0};
}
