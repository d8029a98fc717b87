/* SPDX-License-Identifier: BSD-2-Clause */
/* A writer's life and its calls; see fxt/writer.h. */
#include <errno.h>

#include "encode_header.h"
#include "assign_refs.h"
#include "libfxt/options.h"
#include "word_writer.h"
#include "writer_state.h"

/* Room for registrations, and for any record but a large blob with arguments or with a
 * payload that is not gathered. */
enum {
    GATHERED_WORDS = FXT_GATHERED_PAYLOAD_SIZE_MAX / FXT_WORD_BYTES,
    ROOM_WORDS = ASSIGN_REFS_WORDS + ENCODE_BLOB_HEAD_WORDS + GATHERED_WORDS
};

/* ---- A writer's life --------------------------------------------------------------- */

/* Copies the options that a caller of this or another version passes, with defaults for
 * what it leaves zero. */
static bool take_options(struct fxt_writer_options *to,
                         const struct fxt_writer_options *from)
{
    if (!options_copy(to, sizeof(*to), from))
        return false;
    if (to->buffer_size == 0)
        to->buffer_size = FXT_DEFAULT_BUFFER_SIZE;
    if (to->max_kept_bytes == 0)
        to->max_kept_bytes = FXT_DEFAULT_MAX_KEPT_BYTES;
    if (to->name_unresolved && to->strings != FXT_REFERENCES_TABLE)
        return false;
    return to->write != NULL && to->buffer_size <= SIZE_MAX / 2 &&
           (uint32_t)to->byte_order <= FXT_BYTE_ORDER_BIG &&
           (uint32_t)to->strings <= FXT_REFERENCES_AS_GIVEN &&
           (uint32_t)to->threads <= FXT_REFERENCES_AS_GIVEN;
}

enum fxt_code fxt_writer_create(const struct fxt_writer_options *options,
                                struct fxt_writer **writer)
{
    struct fxt_writer_options taken;
    struct memory own;
    struct fxt_writer *w;

    *writer = NULL;
    if (!take_options(&taken, options))
        return FXT_E_INVALID;
    own = memory_make(taken.resize, taken.resize_context, UINT64_MAX);
    w = (struct fxt_writer *)memory_zeroed(&own, sizeof(*w));
    if (w == NULL)
        return FXT_E_NO_MEMORY;
    w->own = own;
    w->kept = memory_make(taken.resize, taken.resize_context, taken.max_kept_bytes);
    w->assigner.strings = taken.strings;
    w->assigner.threads = taken.threads;
    w->assigner.name_unresolved = taken.name_unresolved;
    intern_init(&w->assigner.intern, &w->kept);
    w->assigner.intern.one_table = taken.one_table;
    w->file.fd = -1;
    w->swapped = taken.byte_order != FXT_BYTE_ORDER_AUTO &&
                 taken.byte_order != FXT_BYTE_ORDER_HOST;
    if (!write_buffer_init(&w->out, &w->own, taken.write, taken.context,
                           taken.buffer_size, ROOM_WORDS)) {
        fxt_writer_destroy(w);
        return FXT_E_NO_MEMORY;
    }
    *writer = w;
    return FXT_OK;
}

enum fxt_code fxt_writer_open(const struct fxt_writer_options *options, const char *path,
                              struct fxt_writer **writer)
{
    static const struct fxt_writer_options defaults = {.size = sizeof(defaults)};
    struct fxt_writer_options taken;
    enum fxt_code code;
    int error;

    *writer = NULL;
    if (!options_copy(&taken, sizeof(taken), options != NULL ? options : &defaults) ||
        taken.write != NULL || taken.context != NULL)
        return FXT_E_INVALID;
    taken.size = sizeof(taken);
    taken.write = write_file_write;
    code = fxt_writer_create(&taken, writer);
    if (code != FXT_OK)
        return code;
    (*writer)->out.context = &(*writer)->file;
    if (write_file_open(&(*writer)->file, path))
        return FXT_OK;
    error = errno;
    fxt_writer_destroy(*writer);
    *writer = NULL;
    errno = error;
    return FXT_E_FILE;
}

void fxt_writer_destroy(struct fxt_writer *w)
{
    struct memory own;

    if (w == NULL || w->out.busy)
        return;
    packed_sources_free(&w->packed, &w->own);
    write_file_close(&w->file);
    intern_free(&w->assigner.intern);
    write_buffer_free(&w->out);
    own = w->own;
    memory_free(&own, w, sizeof(*w));
}

/* ---- Records ----------------------------------------------------------------------- */

/* The general path. There is room for the record. */
static enum fxt_code buffer_any(struct fxt_writer *w, const struct fxt_record *record)
{
    struct write_buffer *out = &w->out;
    struct encode_refs refs;
    struct word_writer words;
    enum fxt_code code;

    word_writer_init(&words, write_buffer_end(out),
                     (out->capacity - out->pos) / FXT_WORD_BYTES, w->swapped);
    code = assign_refs(&w->assigner, record, &refs, &words);
    if (code == FXT_OK)
        code = encode_record(&words, record, &refs);
    if (FXT_UNLIKELY(code != FXT_OK)) {
        intern_undo(&w->assigner.intern);
        return code;
    }
    if (assign_refs_skips(&w->assigner, record))
        return FXT_OK;
    out->pos += (size_t)words.pos * FXT_WORD_BYTES;
    assign_refs_written(&w->assigner, record);
    return FXT_OK;
}

enum fxt_code writer_buffer_record(struct fxt_writer *w, const struct fxt_record *record)
{
    struct write_buffer *out = &w->out;
    enum fxt_code code = encode_check_args(record);
    uint64_t n_words = 0;

    if (code == FXT_OK)
        code = write_buffer_room(out, ASSIGN_REFS_WORDS + encode_room(record) +
                                          GATHERED_WORDS);
    if (code != FXT_OK)
        return code;
    if (!w->swapped)
        n_words = plain_write(&w->assigner, record, write_buffer_end(out));
    if (n_words == 0)
        return buffer_any(w, record);
    out->pos += (size_t)n_words * FXT_WORD_BYTES;
    return FXT_OK;
}

static enum fxt_code put_rest(struct fxt_writer *w, const struct encode_rest *rest)
{
    uint64_t n_swapped =
        rest->is_words && rest->swapped != w->swapped ? rest->size / FXT_WORD_BYTES : 0;
    size_t done = (size_t)n_swapped * FXT_WORD_BYTES;
    enum fxt_code code = write_buffer_swapped(&w->out, rest->data, n_swapped);

    if (code == FXT_OK)
        code = write_buffer_put(&w->out, (const unsigned char *)rest->data + done,
                                (size_t)rest->size - done);
    return code == FXT_OK ? write_buffer_zeros(&w->out, writer_padding(rest->size))
                          : code;
}

/* No memory is larger than a size_t can express. */
static bool is_there(const struct encode_rest *rest)
{
    return rest->size == 0 || (rest->data != NULL && (size_t)rest->size == rest->size);
}

static enum fxt_code write_record(struct fxt_writer *w, const struct fxt_record *record)
{
    struct encode_rest rest = encode_rest(record);
    enum fxt_code code = writer_check_turn(w, false);

    if (code == FXT_OK && !is_there(&rest))
        code = FXT_E_INVALID;
    if (code == FXT_OK)
        code = writer_buffer_record(w, record);
    if (code == FXT_OK && rest.size > 0)
        code = put_rest(w, &rest);
    return code == FXT_OK ? write_buffer_flush_if_full(&w->out) : code;
}

enum fxt_code fxt_writer_write(struct fxt_writer *w, const struct fxt_record *record)
{
    if (w->out.busy)
        return FXT_E_BUSY;
    return writer_note(w, write_record(w, record));
}

/* ---- The end ----------------------------------------------------------------------- */

enum fxt_code fxt_writer_flush(struct fxt_writer *w)
{
    if (w->out.busy)
        return FXT_E_BUSY;
    return writer_note(w, write_buffer_flush(&w->out));
}

enum fxt_code fxt_writer_finish(struct fxt_writer *w)
{
    if (w->out.busy)
        return FXT_E_BUSY;
    if (w->in_blob)
        writer_note(w, writer_end_blob(w));
    writer_note(w, write_buffer_flush(&w->out));
    w->finished = true;
    if (!write_file_close(&w->file))
        w->out.failed = true;
    if (w->out.failed && w->file.error != 0)
        errno = w->file.error;
    return w->out.failed ? FXT_E_SINK : w->first_fault;
}

uint64_t fxt_writer_offset(const struct fxt_writer *w)
{
    return w->out.n_flushed + w->out.pos;
}
