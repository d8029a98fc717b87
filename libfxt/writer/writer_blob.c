/* SPDX-License-Identifier: BSD-2-Clause */
/* Large blobs whose payload comes in pieces; see fxt/writer.h. */
#include "writer_state.h"

static bool is_large_blob(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_LARGE && record->kind == FXT_LARGE_BLOB &&
           record->large_blob.format <= FXT_LARGE_BLOB_NO_METADATA;
}

static enum fxt_code begin_blob(struct fxt_writer *w, const struct fxt_record *record)
{
    enum fxt_code code = writer_check_turn(w, false);

    if (code == FXT_OK && !is_large_blob(record))
        code = FXT_E_INVALID;
    if (code == FXT_OK)
        code = writer_buffer_record(w, record);
    if (code != FXT_OK)
        return code;
    w->in_blob = true;
    w->blob_left = record->large_blob.payload.size;
    w->blob_padding = writer_padding(w->blob_left);
    return write_buffer_flush_if_full(&w->out);
}

static enum fxt_code append_payload(struct fxt_writer *w, const void *data, size_t size)
{
    enum fxt_code code = writer_check_turn(w, true);

    if (code != FXT_OK || size == 0)
        return code;
    if (data == NULL)
        return FXT_E_INVALID;
    if (size > w->blob_left)
        return FXT_E_BLOB_SIZE;
    w->blob_left -= size;
    code = write_buffer_put(&w->out, data, size);
    return code == FXT_OK ? write_buffer_flush_if_full(&w->out) : code;
}

enum fxt_code writer_end_blob(struct fxt_writer *w)
{
    enum fxt_code code = writer_check_turn(w, true);
    bool is_short = w->blob_left > 0;

    if (code != FXT_OK)
        return code;
    w->in_blob = false;
    code = write_buffer_zeros(&w->out, w->blob_left + w->blob_padding);
    if (code == FXT_OK)
        code = write_buffer_flush_if_full(&w->out);
    return code == FXT_OK && is_short ? FXT_E_BLOB_SIZE : code;
}

enum fxt_code fxt_writer_begin_blob(struct fxt_writer *w, const struct fxt_record *record)
{
    if (w->out.busy)
        return FXT_E_BUSY;
    return writer_note(w, begin_blob(w, record));
}

enum fxt_code fxt_writer_append(struct fxt_writer *w, const void *data, size_t size)
{
    if (w->out.busy)
        return FXT_E_BUSY;
    return writer_note(w, append_payload(w, data, size));
}

enum fxt_code fxt_writer_end_blob(struct fxt_writer *w)
{
    if (w->out.busy)
        return FXT_E_BUSY;
    return writer_note(w, writer_end_blob(w));
}
