/* SPDX-License-Identifier: BSD-2-Clause */
/* See encode_header.h. What all records have: a header with their type and size. Their
 * contents are encode.c's. */
#include "encode_header.h"

#include <stddef.h>

#include <fxt/sample.h>

#include "put.h"

/* FXT_OK, or the code for what this version does not know about the record: encode_fields
 * writes all types and kinds that are known here. An event of an unknown kind is known
 * but for its last words. */
static enum fxt_code find_unknown(const struct fxt_record *r)
{
    switch (r->type) {
    case FXT_RECORD_METADATA:
        if (r->kind == 0 || r->kind > FXT_METADATA_TRACE_INFO)
            return FXT_E_UNKNOWN_METADATA;
        return FXT_OK;
    case FXT_RECORD_SCHEDULING:
        return r->kind > FXT_SCHEDULING_THREAD_WAKEUP ? FXT_E_UNKNOWN_SCHEDULING : FXT_OK;
    case FXT_RECORD_PROFILER:
        return r->kind > FXT_PROFILER_BACKTRACE ? FXT_E_UNKNOWN_PROFILER : FXT_OK;
    case FXT_RECORD_LARGE:
        if (r->kind != FXT_LARGE_BLOB)
            return FXT_E_UNKNOWN_LARGE;
        return r->large_blob.format > FXT_LARGE_BLOB_NO_METADATA
                   ? FXT_E_UNKNOWN_BLOB_FORMAT
                   : FXT_OK;
    case FXT_RECORD_INITIALIZATION:
    case FXT_RECORD_STRING:
    case FXT_RECORD_THREAD:
    case FXT_RECORD_EVENT:
    case FXT_RECORD_BLOB:
    case FXT_RECORD_USERSPACE_OBJECT:
    case FXT_RECORD_KERNEL_OBJECT:
    case FXT_RECORD_LOG:
        return FXT_OK;
    default:
        return FXT_E_UNKNOWN_RECORD;
    }
}

/* The header's bits that this version does not know, with one field of them replaced. */
#define REPLACED(header, p, field, value)                                                \
    (((header) & ~FXT_PUT(field, UINT64_MAX)) | PUT(p, field, value))

static uint64_t put_unknown(struct word_writer *p, const struct fxt_record *r,
                            enum fxt_code code, const struct encode_refs *refs)
{
    uint64_t header = r->header;

    if (!refs->as_given)
        word_writer_fail(p, code);
    if (r->type != FXT_RECORD_LARGE)
        put_unknown_words(p, r, code);
    else if (!r->unknown || r->body.data == NULL)
        word_writer_fail(p, code);
    switch (r->type) {
    case FXT_RECORD_METADATA:
        return REPLACED(header, p, METADATA_TYPE, r->kind);
    case FXT_RECORD_SCHEDULING:
        return REPLACED(header, p, SCHEDULING_TYPE, r->kind);
    case FXT_RECORD_PROFILER:
        return REPLACED(header, p, PROFILER_TYPE, r->kind);
    case FXT_RECORD_LARGE:
        header = REPLACED(header, p, LARGE_TYPE, r->kind);
        return r->kind != FXT_LARGE_BLOB
                   ? header
                   : REPLACED(header, p, LARGE_BLOB_FORMAT, r->large_blob.format);
    default:
        return header;
    }
}

/* Whether decode.c calls take_args for such a record. */
static bool has_args(const struct fxt_record *r)
{
    switch (r->type) {
    case FXT_RECORD_EVENT:
    case FXT_RECORD_USERSPACE_OBJECT:
    case FXT_RECORD_KERNEL_OBJECT:
        return true;
    case FXT_RECORD_SCHEDULING:
        return r->kind == FXT_SCHEDULING_CONTEXT_SWITCH ||
               r->kind == FXT_SCHEDULING_THREAD_WAKEUP;
    case FXT_RECORD_LARGE:
        return r->kind == FXT_LARGE_BLOB &&
               r->large_blob.format == FXT_LARGE_BLOB_METADATA;
    default:
        return false;
    }
}

enum fxt_code encode_check_some_args(const struct fxt_record *r)
{
    if (r->n_args > FXT_ARGS_MAX || !has_args(r))
        return FXT_E_ARGS_MANY;
    return r->args != NULL ? FXT_OK : FXT_E_INVALID;
}

struct encode_rest encode_large_rest(const struct fxt_record *r)
{
    const struct fxt_bytes *payload = &r->large_blob.payload;
    uint64_t body_size = UINT64_MAX;

    if (r->body.count <= FXT_MAX(LARGE_WORDS))
        body_size = r->body.count * FXT_WORD_BYTES;
    if (find_unknown(r) != FXT_OK)
        return (struct encode_rest){r->body.data, body_size, true, r->body.swapped};
    return (struct encode_rest){payload->data, payload->size,
                                fxt_sample_is_blob(&r->large_blob, 1), r->swapped};
}

/* The size of a large record whose head has been written to the word writer. */
static uint64_t put_large_size(struct word_writer *p, const struct fxt_record *r,
                               uint64_t n_head_words)
{
    uint64_t n_words = n_head_words + words_for_bytes(encode_large_rest(r).size);

    if (n_words > FXT_MAX(LARGE_WORDS))
        word_writer_fail(p, FXT_E_RECORD_SIZE);
    return n_words;
}

enum fxt_code encode_record(struct word_writer *p, const struct fxt_record *r,
                            const struct encode_refs *refs)
{
    enum fxt_code unknown = find_unknown(r);
    uint64_t start = p->pos;
    uint64_t header;

    if (r->type != FXT_RECORD_LARGE && p->end - start > FXT_RECORD_WORDS_MAX)
        p->end = start + FXT_RECORD_WORDS_MAX;
    word_writer_put(p, 0);
    header =
        unknown == FXT_OK ? encode_fields(p, r, refs) : put_unknown(p, r, unknown, refs);
    header = REPLACED(header, p, RECORD_TYPE, r->type);
    if (r->type == FXT_RECORD_LARGE)
        header = REPLACED(header, p, LARGE_WORDS, put_large_size(p, r, p->pos - start));
    else
        header = REPLACED(header, p, RECORD_WORDS, p->pos - start);
    if (p->fault == FXT_OK)
        word_writer_store(p, start, header);
    return p->fault;
}

void encode_string(struct word_writer *p, uint32_t index, const char *data, uint32_t size)
{
    word_writer_put(p, FXT_RECORD_STRING |
                           FXT_PUT(RECORD_WORDS, 1 + words_for_bytes(size)) |
                           FXT_PUT(STRING_INDEX, index) | FXT_PUT(STRING_SIZE, size));
    word_writer_put_bytes(p, data, size);
}

void encode_thread(struct word_writer *p, uint32_t index, uint64_t process,
                   uint64_t thread)
{
    word_writer_put(p, FXT_RECORD_THREAD | FXT_PUT(RECORD_WORDS, 3) |
                           FXT_PUT(THREAD_INDEX, index));
    word_writer_put(p, process);
    word_writer_put(p, thread);
}
