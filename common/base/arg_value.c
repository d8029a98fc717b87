/* SPDX-License-Identifier: BSD-2-Clause */
/* See arg_value.h. */
#include "arg_value.h"

#include <fxt/format.h>

#include "binary.h"

/* JSON and other formats have no word for what is not finite, so that it is text. */
static void add_double(struct text *text, double value)
{
    if (value != value)
        text_str(text, "nan");
    else if (value - value != 0)
        text_str(text, value > 0 ? "inf" : "-inf");
    else
        text_double(text, value);
}

void arg_value_add(struct text *text, unsigned type, uint64_t number, const char *bytes,
                   size_t size)
{
    switch (type) {
    case FXT_ARG_INT32:
    case FXT_ARG_INT64:
        text_i64(text, (int64_t)number);
        break;
    case FXT_ARG_UINT32:
    case FXT_ARG_UINT64:
    case FXT_ARG_KOID:
        text_u64(text, number);
        break;
    case FXT_ARG_POINTER:
        text_str(text, "0x");
        text_hex(text, number, 1);
        break;
    case FXT_ARG_DOUBLE:
        add_double(text, double_of_bits(number));
        break;
    case FXT_ARG_BOOL:
        text_str(text, number != 0 ? "true" : "false");
        break;
    case FXT_ARG_STRING:
        text_add(text, bytes, size);
        break;
    case FXT_ARG_BLOB:
        text_hex_bytes(text, bytes, size);
        break;
    case FXT_ARG_NULL:
        text_str(text, "null");
        break;
    default:
        text_printf(text, "(argument of type %u)", type);
    }
}
