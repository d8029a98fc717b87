/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the values that records are made of to a word writer; the counterpart of
 * take.h. */
#ifndef LIBFXT_WRITER_PUT_H
#define LIBFXT_WRITER_PUT_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "encode_refs.h"
#include "word_writer.h"

static inline uint64_t put_checked_(struct word_writer *p, uint64_t value, uint64_t max)
{
    if (FXT_UNLIKELY(value > max))
        word_writer_fail(p, FXT_E_FIELD_RANGE);
    return value;
}

/* A word with one field set; a value that does not fit marks the word writer as
 * faulty. */
#define PUT(writer, field, value)                                                        \
    FXT_PUT(field, put_checked_(writer, value, FXT_MAX(field)))

/* A string that has a reference: its bytes, if it is inline. */
static inline void put_string(struct word_writer *p, const struct fxt_string *s,
                              uint16_t ref)
{
    if (ref & FXT_STRING_REF_INLINE)
        word_writer_put_bytes(p, s->data, s->size);
}

static inline void put_thread(struct word_writer *p, const struct fxt_thread *t,
                              uint8_t ref)
{
    if (ref == FXT_THREAD_REF_INLINE) {
        word_writer_put(p, t->process);
        word_writer_put(p, t->thread);
    }
}

/* A string that has no reference, of at most `max` bytes. */
void put_text(struct word_writer *p, const struct fxt_string *s, uint64_t max,
              enum fxt_code if_over);

/* At most `max` bytes. */
void put_bytes(struct word_writer *p, struct fxt_bytes bytes, uint64_t max,
               enum fxt_code if_over);

void put_words(struct word_writer *p, struct fxt_words words);

/* The record's arguments, whose number was checked. */
void put_args(struct word_writer *p, const struct fxt_record *record,
              const struct encode_refs *refs);

/* The words of a record of unknown kind, or else the fault `code`. */
void put_unknown_words(struct word_writer *p, const struct fxt_record *record,
                       enum fxt_code code);

#endif
