/* SPDX-License-Identifier: BSD-2-Clause */
/* See check_spelling.h. */
#include "check_spelling.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/memory.h"

static uint64_t load_word(const struct fxt_record *record, const void *from)
{
    const struct fxt_words word = {from, 1, record->swapped};

    return fxt_words_get(word, 0);
}

/* The last word of an instant may state that it is of its thread, as others are of their
 * process or global. */
static bool has_scope(const struct fxt_record *record, const unsigned char *data,
                      size_t size)
{
    const unsigned char *bytes = record->data;

    return record->type == FXT_RECORD_EVENT && record->kind == FXT_EVENT_INSTANT &&
           record->size == size + FXT_WORD_BYTES &&
           load_word(record, bytes + size) == 0 &&
           load_word(record, data) + FXT_PUT(RECORD_WORDS, 1) == record->header &&
           memcmp(data + FXT_WORD_BYTES, bytes + FXT_WORD_BYTES, size - FXT_WORD_BYTES) ==
               0;
}

/* Gets a record as it should be. Large ones come in pieces. */
static int compare(void *context, const void *data, size_t size)
{
    struct check_spelling *c = (struct check_spelling *)context;
    const unsigned char *bytes = c->record->data;
    size_t at = c->n_compared;

    c->n_compared += size;
    if (at == 0 && has_scope(c->record, data, size))
        c->n_compared += FXT_WORD_BYTES;
    else if (c->n_compared > c->record->size || memcmp(data, bytes + at, size) != 0)
        c->is_equal = false;
    return 0;
}

/* Records of one stream have one byte order. */
static void start_writer(struct check_spelling *c, bool swapped)
{
    bool is_big = swapped != FXT_HOST_IS_BIG_ENDIAN;
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = compare,
                                         .context = c,
                                         .byte_order = is_big ? FXT_BYTE_ORDER_BIG
                                                              : FXT_BYTE_ORDER_LITTLE,
                                         .strings = FXT_REFERENCES_AS_GIVEN,
                                         .threads = FXT_REFERENCES_AS_GIVEN,
                                         .buffer_size = 1};

    c->swapped = swapped;
    if (fxt_writer_create(&options, &c->writer) != FXT_OK)
        memory_fail(MEMORY_EXHAUSTED);
}

static enum rule rule_of(const struct fxt_record *record)
{
    bool has_forms =
        (record->type == FXT_RECORD_PROFILER && record->kind != FXT_PROFILER_BACKTRACE) ||
        record->type == FXT_RECORD_USERSPACE_OBJECT;

    return has_forms ? RULE_DIALECT : RULE_SURPLUS;
}

void check_spelling(struct check_spelling *c, const struct fxt_record *record)
{
    enum fxt_code code;

    if (c->writer == NULL || c->swapped != record->swapped) {
        fxt_writer_destroy(c->writer);
        start_writer(c, record->swapped);
    }
    c->record = record;
    c->n_compared = 0;
    c->is_equal = true;
    code = fxt_writer_write(c->writer, record);
    if (code == FXT_OK && (!c->is_equal || c->n_compared != record->size))
        finding_add(c->findings, rule_of(record), record->offset);
    else if (code == FXT_E_END_BEFORE_BEGIN)
        finding_add(c->findings, RULE_NEGATIVE_DURATION, record->offset);
    else if (code == FXT_E_STRING_SIZE)
        finding_add(c->findings, RULE_STRING_SIZE, record->offset);
}

void check_spelling_free(struct check_spelling *c)
{
    fxt_writer_destroy(c->writer);
}
