/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The members of a JSON object, each with a comma before it: the first member of an
 * object is written without these functions. Values are as documented in fxtdump(1): all
 * digits of integers, addresses in hex, what has no name as a number.
 */
#ifndef FXTDUMP_JSON_H
#define FXTDUMP_JSON_H

#include <stdint.h>
#include <string.h>

#include <fxt/types.h>

#include "common/base/text.h"

/* ,"name": */
static inline void json_key(struct text *out, const char *name)
{
    size_t size = strlen(name);
    char *to = text_room(out, size + 4);

    to[0] = ',';
    to[1] = '"';
    memcpy(to + 2, name, size);
    to[size + 2] = '"';
    to[size + 3] = ':';
    out->size += size + 4;
}

static inline void json_u64(struct text *out, const char *key, uint64_t value)
{
    json_key(out, key);
    text_u64(out, value);
}

static inline void json_null(struct text *out, const char *key)
{
    json_key(out, key);
    text_str(out, "null");
}

/* A word that is known to need no quoting. */
static inline void json_word(struct text *out, const char *key, const char *word)
{
    json_key(out, key);
    text_char(out, '"');
    text_str(out, word);
    text_char(out, '"');
}

/* A number's name or, where it has none (NULL), the number. */
void json_enum(struct text *out, const char *key, const char *name, uint64_t number);

/* A string of a record, or {"ref": N} if it was never registered. */
void json_string(struct text *out, const char *key, const struct fxt_string *string);

/* A number in hex, in quotes. */
void json_address(struct text *out, const char *key, uint64_t address);

/* Bytes as hex digits. */
void json_bytes(struct text *out, const char *key, struct fxt_bytes bytes);

/* PCs or other addresses as an array. */
void json_addresses(struct text *out, const char *key, struct fxt_words words);

/* "args": an array of objects. */
void json_args(struct text *out, const struct fxt_arg *args, uint32_t n_args);

#endif
