/* SPDX-License-Identifier: BSD-2-Clause */
/* Members of objects of JSON, each followed by a comma, which json_end removes. */
#ifndef FXTREPORT_JSON_H
#define FXTREPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <fxt/profile.h>

#include "common/base/quote.h"
#include "common/base/text.h"

static inline void json_key(struct text *text, const char *key)
{
    text_char(text, '"');
    text_str(text, key);
    text_str(text, "\":");
}

static inline void json_open(struct text *text, const char *key, char bracket)
{
    if (key != NULL)
        json_key(text, key);
    text_char(text, bracket);
}

static inline void json_end(struct text *text, char bracket)
{
    if (text->data[text->size - 1] == ',')
        text->size--;
    text_char(text, bracket);
    text_char(text, ',');
}

/* A list of objects, each on a line. */
static inline void json_open_rows(struct text *text, const char *key)
{
    json_open(text, key, '[');
    text_char(text, '\n');
}

static inline void json_end_row(struct text *text, bool is_last)
{
    json_end(text, '}');
    text->size -= is_last;
    text_char(text, '\n');
}

static inline void json_end_rows(struct text *text)
{
    text_str(text, "],");
}

static inline void json_number(struct text *text, const char *key, uint64_t number)
{
    json_key(text, key);
    text_u64(text, number);
    text_char(text, ',');
}

static inline void json_signed(struct text *text, const char *key, int64_t number)
{
    json_key(text, key);
    text_i64(text, number);
    text_char(text, ',');
}

static inline void json_double(struct text *text, const char *key, double number)
{
    json_key(text, key);
    text_double(text, number);
    text_char(text, ',');
}

static inline void json_string(struct text *text, const char *key, struct fxt_string s)
{
    json_key(text, key);
    quote_json(text, s.data, s.size);
    text_char(text, ',');
}

static inline void json_word(struct text *text, const char *key, const char *word)
{
    json_key(text, key);
    quote_json(text, word, strlen(word));
    text_char(text, ',');
}

static inline void json_flag(struct text *text, const char *key, bool flag)
{
    json_key(text, key);
    text_str(text, flag ? "true," : "false,");
}

#endif
