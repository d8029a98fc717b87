/* SPDX-License-Identifier: BSD-2-Clause */
/* See take.h. Arguments, each inside the words that its own size gives it. */
#include "take.h"

/* The bits go into the union as an unsigned number, and reading the member selected by
 * the type gives them the right type. */
static void take_arg_value(struct decoder *d, uint64_t header, struct fxt_arg *arg)
{
    if (ARGS_WITH_WORD >> arg->type & 1) {
        arg->value.uint64 = cursor_word(&d->c);
        return;
    }
    switch (arg->type) {
    case FXT_ARG_NULL:
        break;
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
        arg->value.uint32 = (uint32_t)FXT_GET(header, ARG_VALUE);
        break;
    case FXT_ARG_STRING:
        arg->value.string = take_string(d, FXT_GET(header, ARG_STRING));
        break;
    case FXT_ARG_BOOL:
        arg->value.boolean = FXT_GET(header, ARG_BOOL) != 0;
        break;
    case FXT_ARG_BLOB:
        arg->value.blob = take_payload(d, FXT_GET(header, ARG_VALUE), d->c.pos);
        break;
    default:
        arg->unknown_bits = (uint32_t)FXT_GET(header, ARG_VALUE);
        arg->value.unknown = cursor_rest(&d->c);
    }
}

void take_arg(struct decoder *d, uint64_t header, struct fxt_arg *arg)
{
    struct cursor *c = &d->c;
    uint64_t start = c->pos - 1;
    uint64_t record_end = c->end;
    uint64_t n_words = FXT_GET(header, ARG_WORDS);

    if (n_words == 0) {
        cursor_fail(c, FXT_E_ARG_SIZE_ZERO, start);
        return;
    }
    if (n_words > record_end - start) {
        cursor_fail(c, FXT_E_ARG_OVERRUN, start);
        return;
    }
    d->refs_pos = start;
    c->end = start + n_words;
    c->if_short = FXT_E_ARG_SHORT;
    arg->type = (uint32_t)FXT_GET(header, RECORD_TYPE);
    arg->name = take_string(d, FXT_GET(header, ARG_NAME));
    take_arg_value(d, header, arg);
    c->if_short = FXT_E_RECORD_SHORT;
    if (c->fault != FXT_OK)
        return;
    c->pos = start + n_words;
    c->end = record_end;
    if (arg->type > FXT_ARG_BLOB && d->result.n_unknown_args++ == 0) {
        d->result.unknown_arg_type = arg->type;
        d->result.unknown_arg_byte = start * FXT_WORD_BYTES;
    }
}

void take_args(struct decoder *d, uint64_t n_taken, uint64_t n_args)
{
    d->record.n_args = (uint32_t)n_args;
    for (uint64_t i = n_taken; i < n_args && d->c.fault == FXT_OK; i++) {
        if (cursor_left(&d->c) == 0)
            cursor_fail(&d->c, FXT_E_ARG_COUNT, d->c.pos);
        else
            take_arg(d, cursor_word(&d->c), &d->args[i]);
    }
}

void take_unknown(struct decoder *d, enum fxt_code code, uint64_t value)
{
    d->record.unknown = true;
    d->record.body = cursor_rest(&d->c);
    d->result.unknown = code;
    d->result.unknown_value = value;
}
