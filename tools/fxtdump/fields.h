/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of the fields of the format's header words, by which words are printed bit by
 * bit.
 */
#ifndef FXTDUMP_FIELDS_H
#define FXTDUMP_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/* How to print a field's value. */
enum field_unit {
    FIELD_NUMBER,
    FIELD_HEX,
    FIELD_SIGNED,
    FIELD_WORDS,
    FIELD_BYTES,
    FIELD_STRING,
    FIELD_THREAD
};

struct field {
    const char *name;
    /* Both are part of it, as in fxt/format.h. */
    unsigned low;
    unsigned high;
    enum field_unit unit;
    /* The name of the value, where it may have one. */
    const char *(*value_name)(uint64_t value);
};

/* The fields of a word from bit 0 on; what lies between them is unused. */
struct fields {
    const struct field *fields;
    size_t n;
};

/* The fields of a record's header, by its own type and kind; for a type or kind that this
 * version does not know, only those that all have in common. */
struct fields fields_of_record(uint64_t header);

/* The fields of the second word of a large blob of this format (enum
 * fxt_large_blob_format), and of an argument's header. */
struct fields fields_of_large_blob(uint32_t format);
struct fields fields_of_arg(uint64_t header);

/* Prints a word's fields on a line each, bits that no field has included. */
void fields_print(struct text *out, struct fields fields, uint64_t word);

#endif
