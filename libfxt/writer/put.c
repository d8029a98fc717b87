/* SPDX-License-Identifier: BSD-2-Clause */
/* See put.h. */
#include "put.h"

#include <string.h>

void put_text(struct word_writer *p, const struct fxt_string *s, uint64_t max,
              enum fxt_code if_over)
{
    if (s->size > max)
        word_writer_fail(p, if_over);
    else if (s->data == NULL && s->size > 0)
        word_writer_fail(p, FXT_E_STRING_UNKNOWN);
    else
        word_writer_put_bytes(p, s->data, s->size);
}

void put_bytes(struct word_writer *p, struct fxt_bytes bytes, uint64_t max,
               enum fxt_code if_over)
{
    if (bytes.size > max)
        word_writer_fail(p, if_over);
    else if (bytes.data == NULL && bytes.size > 0)
        word_writer_fail(p, FXT_E_INVALID);
    else
        word_writer_put_bytes(p, bytes.data, bytes.size);
}

void put_words(struct word_writer *p, struct fxt_words words)
{
    if (words.data == NULL && words.count > 0)
        word_writer_fail(p, FXT_E_INVALID);
    else
        word_writer_put_words(p, words);
}

void put_unknown_words(struct word_writer *p, const struct fxt_record *record,
                       enum fxt_code code)
{
    if (!record->unknown || record->body.data == NULL)
        word_writer_fail(p, code);
    else
        word_writer_put_words(p, record->body);
}

/* ---- Arguments --------------------------------------------------------------------- */

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* The words of a type that may one day be understood, and its bits, which may refer to
 * something. */
static uint64_t put_unknown_value(struct word_writer *p, const struct fxt_arg *arg,
                                  bool as_given)
{
    if (arg->value.unknown.data == NULL || (arg->unknown_bits != 0 && !as_given))
        word_writer_fail(p, FXT_E_UNKNOWN_ARG);
    else
        word_writer_put_words(p, arg->value.unknown);
    return PUT(p, RECORD_TYPE, arg->type) | FXT_PUT(ARG_VALUE, arg->unknown_bits);
}

/* Returns what the value has in the header, beside the type. */
static uint64_t put_value(struct word_writer *p, const struct fxt_arg *arg,
                          uint16_t string_ref, bool as_given)
{
    switch (arg->type) {
    case FXT_ARG_NULL:
        return 0;
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
        return FXT_PUT(ARG_VALUE, arg->value.uint32);
    case FXT_ARG_INT64:
    case FXT_ARG_UINT64:
    case FXT_ARG_POINTER:
    case FXT_ARG_KOID:
        word_writer_put(p, arg->value.uint64);
        return 0;
    case FXT_ARG_DOUBLE:
        word_writer_put(p, bits_of(arg->value.float64));
        return 0;
    case FXT_ARG_STRING:
        put_string(p, &arg->value.string, string_ref);
        return FXT_PUT(ARG_STRING, string_ref);
    case FXT_ARG_BOOL:
        return FXT_PUT(ARG_BOOL, arg->value.boolean);
    case FXT_ARG_BLOB:
        put_bytes(p, arg->value.blob, FXT_MAX(ARG_VALUE), FXT_E_ARG_SIZE);
        return FXT_PUT(ARG_VALUE, arg->value.blob.size);
    default:
        return put_unknown_value(p, arg, as_given);
    }
}

static void put_arg(struct word_writer *p, const struct fxt_arg *arg, uint16_t name_ref,
                    uint16_t string_ref, bool as_given)
{
    uint64_t start = p->pos;
    uint64_t header;

    word_writer_put(p, 0);
    put_string(p, &arg->name, name_ref);
    header = put_value(p, arg, string_ref, as_given);
    if (p->fault == FXT_OK)
        word_writer_store(p, start,
                          header | arg->type | FXT_PUT(ARG_NAME, name_ref) |
                              FXT_PUT(ARG_WORDS, p->pos - start));
}

/* An argument has at most 4095 words. Where the whole record has no more, its own limit
 * comes first. */
void put_args(struct word_writer *p, const struct fxt_record *record,
              const struct encode_refs *refs)
{
    uint64_t record_end = p->end;

    for (uint32_t i = 0; i < record->n_args && p->fault == FXT_OK; i++) {
        if (record_end - p->pos > FXT_MAX(ARG_WORDS)) {
            p->end = p->pos + FXT_MAX(ARG_WORDS);
            p->if_full = FXT_E_ARG_SIZE;
        }
        put_arg(p, &record->args[i], refs->arg_names[i], refs->arg_strings[i],
                refs->as_given);
        p->if_full = FXT_E_RECORD_SIZE;
        if (p->fault == FXT_OK)
            p->end = record_end;
    }
}
