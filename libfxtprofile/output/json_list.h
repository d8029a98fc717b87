/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON in the making, of which most is long lists: elements are separated by commas, and
 * what was made is handed to the output now and then.
 */
#ifndef FXTPROFILE_OUTPUT_JSON_LIST_H
#define FXTPROFILE_OUTPUT_JSON_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/io/output.h"
#include "common/base/quote.h"
#include "common/base/string_table.h"
#include "common/base/text.h"

struct json_list {
    struct text text;
    struct output *output;
    /* The list that was begun last has an element. */
    bool has_elements;
};

enum { JSON_LIST_ROOM = 1 << 16 };

/* Text that is JSON as it is. */
static inline void json_raw(struct json_list *json, const char *text)
{
    text_str(&json->text, text);
}

/* Begins a list, or an object, after a text such as "\"times\":[". */
static inline void json_begin(struct json_list *json, const char *text)
{
    text_str(&json->text, text);
    json->has_elements = false;
}

/* The next element begins. */
static inline void json_next(struct json_list *json)
{
    if (json->text.size >= JSON_LIST_ROOM)
        output_text(json->output, &json->text);
    if (json->has_elements)
        text_char(&json->text, ',');
    json->has_elements = true;
}

/* Ends a list, which was an element itself, or part of one. */
static inline void json_end(struct json_list *json, const char *text)
{
    text_str(&json->text, text);
    json->has_elements = true;
}

static inline void json_u64(struct json_list *json, uint64_t number)
{
    text_u64(&json->text, number);
}

static inline void json_i64(struct json_list *json, int64_t number)
{
    text_i64(&json->text, number);
}

static inline void json_string(struct json_list *json, struct string string)
{
    quote_json_shown(&json->text, string.data, string.size);
}

/* ,"key":number */
static inline void json_member(struct json_list *json, const char *key, uint64_t number)
{
    text_str(&json->text, ",\"");
    text_str(&json->text, key);
    text_str(&json->text, "\":");
    text_u64(&json->text, number);
}

#endif
