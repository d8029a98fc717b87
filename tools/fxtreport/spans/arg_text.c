/* SPDX-License-Identifier: BSD-2-Clause */
/* See arg_text.h. */
#include "arg_text.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/quote.h"

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void add_double(struct text *text, double value)
{
    if (value != value)
        text_str(text, "nan");
    else if (value - value != 0)
        text_str(text, value > 0 ? "inf" : "-inf");
    else
        text_double(text, value);
}

void arg_text_add(struct text *text, const struct fxt_profile_event_arg *arg)
{
    switch (arg->type) {
    case FXT_ARG_NULL:
        text_str(text, "null");
        break;
    case FXT_ARG_INT32:
    case FXT_ARG_INT64:
        text_i64(text, (int64_t)arg->number);
        break;
    case FXT_ARG_UINT32:
    case FXT_ARG_UINT64:
    case FXT_ARG_KOID:
        text_u64(text, arg->number);
        break;
    case FXT_ARG_DOUBLE:
        add_double(text, double_of(arg->number));
        break;
    case FXT_ARG_STRING:
        text_add(text, arg->string.data, arg->string.size);
        break;
    case FXT_ARG_POINTER:
        text_str(text, "0x");
        text_hex(text, arg->number, 1);
        break;
    case FXT_ARG_BOOL:
        text_str(text, arg->number != 0 ? "true" : "false");
        break;
    case FXT_ARG_BLOB:
        text_hex_bytes(text, arg->string.data, arg->string.size);
        break;
    default:
        text_printf(text, "(argument of type %u)", arg->type);
    }
}

static bool is_plain(const struct fxt_profile_event_arg *arg)
{
    double value = double_of(arg->number);

    switch (arg->type) {
    case FXT_ARG_NULL:
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
    case FXT_ARG_INT64:
    case FXT_ARG_UINT64:
    case FXT_ARG_KOID:
    case FXT_ARG_BOOL:
        return true;
    case FXT_ARG_DOUBLE:
        return value - value == 0;
    default:
        return false;
    }
}

void arg_text_add_json(struct text *text, const struct fxt_profile_event_arg *arg)
{
    struct text value = {NULL, 0, 0};

    arg_text_add(&value, arg);
    if (is_plain(arg))
        text_add(text, value.data, value.size);
    else
        quote_json(text, value.data, value.size);
    text_free(&value);
}

void arg_text_add_all(struct text *text, const struct fxt_profile *profile,
                      uint32_t event)
{
    struct fxt_profile_event_arg arg;

    for (uint32_t i = 0; fxt_profile_get_event_arg(profile, event, i, &arg) == FXT_OK;
         i++) {
        if (i > 0)
            text_str(text, ", ");
        text_add(text, arg.name.data, arg.name.size);
        text_char(text, '=');
        arg_text_add(text, &arg);
    }
}
