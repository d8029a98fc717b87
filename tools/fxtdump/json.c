/* SPDX-License-Identifier: BSD-2-Clause */
/* See json.h. */
#include "json.h"

#include <math.h>

#include "tools/common/enum_names.h"
#include "common/base/quote.h"

void json_enum(struct text *out, const char *key, const char *name, uint64_t number)
{
    if (name != NULL)
        json_word(out, key, name);
    else
        json_u64(out, key, number);
}

void json_string(struct text *out, const char *key, const struct fxt_string *string)
{
    json_key(out, key);
    if (string->data != NULL) {
        quote_json(out, string->data, string->size);
    } else {
        text_str(out, "{\"ref\":");
        text_u64(out, string->ref);
        text_char(out, '}');
    }
}

static void add_address(struct text *out, uint64_t address)
{
    text_str(out, "\"0x");
    text_hex(out, address, 1);
    text_char(out, '"');
}

void json_address(struct text *out, const char *key, uint64_t address)
{
    json_key(out, key);
    add_address(out, address);
}

void json_bytes(struct text *out, const char *key, struct fxt_bytes bytes)
{
    json_key(out, key);
    text_char(out, '"');
    text_hex_bytes(out, bytes.data, (size_t)bytes.size);
    text_char(out, '"');
}

void json_addresses(struct text *out, const char *key, struct fxt_words words)
{
    json_key(out, key);
    text_char(out, '[');
    for (uint64_t i = 0; i < words.count; i++) {
        if (i > 0)
            text_char(out, ',');
        add_address(out, fxt_words_get(words, i));
    }
    text_char(out, ']');
}

/* ---- Arguments --------------------------------------------------------------------- */

/* JSON has no numbers for what is not finite. */
static void add_double(struct text *out, double value)
{
    json_key(out, "value");
    if (isfinite(value))
        text_double(out, value);
    else if (isnan(value))
        text_str(out, "\"NaN\"");
    else
        text_str(out, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

static void add_int(struct text *out, int64_t value)
{
    json_key(out, "value");
    text_i64(out, value);
}

static void add_bool(struct text *out, bool value)
{
    json_key(out, "value");
    text_str(out, value ? "true" : "false");
}

static void add_value(struct text *out, const struct fxt_arg *arg)
{
    switch (arg->type) {
    case FXT_ARG_INT32:
        add_int(out, arg->value.int32);
        break;
    case FXT_ARG_UINT32:
        json_u64(out, "value", arg->value.uint32);
        break;
    case FXT_ARG_INT64:
        add_int(out, arg->value.int64);
        break;
    case FXT_ARG_UINT64:
        json_u64(out, "value", arg->value.uint64);
        break;
    case FXT_ARG_DOUBLE:
        add_double(out, arg->value.float64);
        break;
    case FXT_ARG_STRING:
        json_string(out, "value", &arg->value.string);
        break;
    case FXT_ARG_POINTER:
        json_address(out, "value", arg->value.pointer);
        break;
    case FXT_ARG_KOID:
        json_u64(out, "value", arg->value.koid);
        break;
    case FXT_ARG_BOOL:
        add_bool(out, arg->value.boolean);
        break;
    case FXT_ARG_BLOB:
        json_bytes(out, "value", arg->value.blob);
        break;
    default:
        json_null(out, "value");
    }
}

void json_args(struct text *out, const struct fxt_arg *args, uint32_t n_args)
{
    json_key(out, "args");
    text_char(out, '[');
    for (uint32_t i = 0; i < n_args; i++) {
        size_t start;

        if (i > 0)
            text_char(out, ',');
        start = out->size;
        json_string(out, "name", &args[i].name);
        /* The first member's comma makes way for the brace. */
        out->data[start] = '{';
        json_enum(out, "type", name_arg_type(args[i].type), args[i].type);
        add_value(out, &args[i]);
        text_char(out, '}');
    }
    text_char(out, ']');
}
