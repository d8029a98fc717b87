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

/* ---- Plain events ------------------------------------------------------------------ */

static bool is_inline(uint64_t ref)
{
    return (ref & FXT_STRING_REF_INLINE) != 0;
}

/* How many words an argument has whose first word is this, if its strings are registered
 * and the bits without a meaning are zero; else 0. */
static uint64_t count_plain_arg_words(uint64_t header)
{
    uint64_t value = FXT_GET(header, ARG_VALUE);

    if (is_inline(FXT_GET(header, ARG_NAME)))
        return 0;
    switch (FXT_GET(header, RECORD_TYPE)) {
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
        return 1;
    case FXT_ARG_STRING:
        return value < FXT_STRING_REF_INLINE ? 1 : 0;
    case FXT_ARG_INT64:
    case FXT_ARG_UINT64:
    case FXT_ARG_DOUBLE:
    case FXT_ARG_POINTER:
    case FXT_ARG_KOID:
        return value == 0 ? 2 : 0;
    default:
        return 0;
    }
}

/* Where plain arguments end, in words; 0 if one of them is not plain. The reader has
 * found that they are inside the record. */
static uint64_t find_end_of_args(const struct fxt_record *record)
{
    const struct fxt_words words = {record->data, record->size / FXT_WORD_BYTES,
                                    record->swapped};
    uint64_t at = 2;

    for (uint32_t i = 0; i < record->n_args; i++) {
        uint64_t header = fxt_words_get(words, at);
        uint64_t n_words = count_plain_arg_words(header);

        if (n_words == 0 || n_words != FXT_GET(header, ARG_WORDS))
            return 0;
        at += n_words;
    }
    return at;
}

bool check_spelling_is_plain(const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;
    uint64_t end;

    if (record->type != FXT_RECORD_EVENT || record->kind > FXT_EVENT_FLOW_END ||
        e->thread.ref == FXT_THREAD_REF_INLINE || is_inline(e->category.ref) ||
        is_inline(e->name.ref))
        return false;
    if (record->kind == FXT_EVENT_DURATION_COMPLETE && e->end_timestamp < e->timestamp)
        return false;
    end = find_end_of_args(record);
    if (end > 0 && record->kind != FXT_EVENT_INSTANT &&
        record->kind != FXT_EVENT_DURATION_BEGIN &&
        record->kind != FXT_EVENT_DURATION_END)
        end++;
    return end == FXT_GET(record->header, RECORD_WORDS);
}

/* ---- Records ----------------------------------------------------------------------- */

bool check_spelling_by_writer(struct check_spelling *c, const struct fxt_record *record)
{
    bool is_same;
    enum fxt_code code;

    if (c->writer == NULL || c->swapped != record->swapped) {
        fxt_writer_destroy(c->writer);
        start_writer(c, record->swapped);
    }
    c->record = record;
    c->n_compared = 0;
    c->is_equal = true;
    code = fxt_writer_write(c->writer, record);
    is_same = c->is_equal && c->n_compared == record->size;
    if (code == FXT_OK && !is_same)
        finding_add(c->findings, rule_of(record), record->offset);
    else if (code == FXT_E_END_BEFORE_BEGIN)
        finding_add(c->findings, RULE_NEGATIVE_DURATION, record->offset);
    else if (code == FXT_E_STRING_SIZE)
        finding_add(c->findings, RULE_STRING_SIZE, record->offset);
    return code == FXT_OK && is_same;
}

bool check_spelling(struct check_spelling *c, const struct fxt_record *record)
{
    return check_spelling_is_plain(record) || check_spelling_by_writer(c, record);
}

void check_spelling_free(struct check_spelling *c)
{
    fxt_writer_destroy(c->writer);
}
