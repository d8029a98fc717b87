/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_args.h. */
#include "event_args.h"

#include <fxt/format.h>

#include "common/base/arg_value.h"
#include "common/base/binary.h"

void event_arg_add_value(const struct profile_events *events,
                         const struct profile_arg *arg, struct text *text)
{
    struct string bytes = {NULL, 0};

    if (arg->type == FXT_ARG_STRING || arg->type == FXT_ARG_BLOB)
        bytes = string_table_get(&events->strings, (uint32_t)arg->value);
    arg_value_add(text, arg->type, arg->value, bytes.data, bytes.size);
}

bool event_arg_is_number(const struct profile_arg *arg)
{
    double value = double_of_bits(arg->value);

    switch (arg->type) {
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
    case FXT_ARG_INT64:
    case FXT_ARG_UINT64:
        return true;
    case FXT_ARG_DOUBLE:
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
