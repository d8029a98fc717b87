/* SPDX-License-Identifier: BSD-2-Clause */
/* See arg_text.h. */
#include "arg_text.h"

#include <fxt/format.h>

#include "common/base/arg_value.h"
#include "common/base/binary.h"
#include "common/base/quote.h"

void arg_text_add(struct text *text, const struct fxt_profile_event_arg *arg)
{
    arg_value_add(text, arg->type, arg->number, arg->string.data, arg->string.size);
}

static bool is_plain(const struct fxt_profile_event_arg *arg)
{
    double value = double_of_bits(arg->number);

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
