/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_args.h. */
#include "event_args.h"

#include <string.h>

#include <fxt/format.h>

/* JSON and other formats have no word for what is not finite, so that it is text. */
static void add_double(uint64_t bits, struct text *text)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    if (value != value)
        text_str(text, "nan");
    else if (value - value != 0)
        text_str(text, value > 0 ? "inf" : "-inf");
    else
        text_double(text, value);
}

void event_arg_add_value(const struct profile_events *events,
                         const struct profile_arg *arg, struct text *text)
{
    struct string string;

    switch (arg->type) {
    case FXT_ARG_INT32:
    case FXT_ARG_INT64:
        text_i64(text, (int64_t)arg->value);
        break;
    case FXT_ARG_UINT32:
    case FXT_ARG_UINT64:
    case FXT_ARG_KOID:
        text_u64(text, arg->value);
        break;
    case FXT_ARG_POINTER:
        text_str(text, "0x");
        text_hex(text, arg->value, 1);
        break;
    case FXT_ARG_DOUBLE:
        add_double(arg->value, text);
        break;
    case FXT_ARG_BOOL:
        text_str(text, arg->value != 0 ? "true" : "false");
        break;
    case FXT_ARG_STRING:
        string = string_table_get(&events->strings, (uint32_t)arg->value);
        text_add(text, string.data, string.size);
        break;
    case FXT_ARG_BLOB:
        string = string_table_get(&events->strings, (uint32_t)arg->value);
        text_hex_bytes(text, string.data, string.size);
        break;
    case FXT_ARG_NULL:
        text_str(text, "null");
        break;
    default:
        text_printf(text, "(argument of type %u)", arg->type);
    }
}

bool event_arg_is_number(const struct profile_arg *arg)
{
    double value;

    switch (arg->type) {
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
    case FXT_ARG_INT64:
    case FXT_ARG_UINT64:
        return true;
    case FXT_ARG_DOUBLE:
        memcpy(&value, &arg->value, sizeof(value));
        return value - value == 0;
    default:
        return false;
    }
}

bool event_args_have_number(const struct profile_events *events,
                            const struct profile_event *event)
{
    for (uint32_t i = 0; i < event->n_args; i++) {
        if (event_arg_is_number(&events->args[event->first_arg + i]))
            return true;
    }
    return false;
}
