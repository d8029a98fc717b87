/* SPDX-License-Identifier: BSD-2-Clause */
/* See framing.h: what becomes of a record that is not plain: it is kept, with its effects
 * and reports; dropped; or, in resync mode, no record at all. */
#include "framing.h"

#include "resync.h"

/* ---- Kept -------------------------------------------------------------------------- */

static void report_about_record(struct fxt_reader *r, enum fxt_code code,
                                enum fxt_severity severity, uint64_t byte, uint64_t value)
{
    struct fxt_error error = reader_error_at(r, code, r->decoder.record.header);

    error.severity = severity;
    error.byte = byte;
    error.value = value;
    reader_report(r, &error);
}

/* The reports about a record that is kept. */
static void report_remarks(struct fxt_reader *r, struct apply_result applied)
{
    const struct decode_result *decoded = &r->decoder.result;

    if (decoded->unknown != FXT_OK)
        report_about_record(r, decoded->unknown, FXT_NOTE, 0, decoded->unknown_value);
    if (decoded->n_unknown_args > 0)
        report_about_record(r, FXT_E_UNKNOWN_ARG, FXT_NOTE, decoded->unknown_arg_byte,
                            decoded->unknown_arg_type);
    if (applied.code != FXT_OK)
        report_about_record(r, applied.code, FXT_WARNING, 0, applied.value);
    if (decoded->unknown_string != 0)
        report_about_record(r, FXT_E_STRING_UNKNOWN, FXT_WARNING,
                            decoded->unknown_string_byte, decoded->unknown_string);
    if (decoded->unknown_thread != 0)
        report_about_record(r, FXT_E_THREAD_UNKNOWN, FXT_WARNING,
                            decoded->unknown_thread_byte, decoded->unknown_thread);
    if (decoded->n_left_over != 0)
        report_about_record(r, FXT_E_SAMPLE_SIZE, FXT_WARNING, decoded->left_over_byte,
                            decoded->n_left_over);
}

/* Passes a record that is kept to on_record, after its effects and its reports. */
static void keep_record(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    report_remarks(
        r, apply_record(&r->providers, &r->decoder.record, r->options.stable_input));
    reader_hand_out(r, chunk);
}

/* ---- Not kept ---------------------------------------------------------------------- */

/* Drops a record that contradicts itself; only its size is trusted. */
static void drop_record(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    const struct fxt_record *record = &r->decoder.record;
    struct fxt_error error = reader_error_at(r, r->decoder.result.fault, record->header);

    error.byte = r->decoder.result.byte;
    error.skipped = record->size;
    apply_unread(&r->providers, record->header);
    reader_advance(r, chunk, record->size);
    reader_report(r, &error);
}

/* Passes to on_record what a record whose size is not trusted holds up to its last
 * field. */
static void keep_fields(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    r->decoder.record.size -= r->decoder.result.n_surplus * FXT_WORD_BYTES;
    keep_record(r, chunk);
}

/* Starts a search where a record's size is not trusted. */
static void leave_record(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    const struct decode_result *decoded = &r->decoder.result;
    const struct fxt_record *record = &r->decoder.record;
    struct fxt_error error = reader_error_at(r, decoded->fault, record->header);

    error.byte = decoded->byte;
    if (decoded->fault == FXT_OK && record->unknown) {
        error.code = decoded->unknown;
        error.value = decoded->unknown_value;
    } else if (decoded->fault == FXT_OK) {
        error.code = FXT_E_LEADS_ASTRAY;
        error.value = record->size;
        if (resync_keeps_fields(r)) {
            keep_fields(r, chunk);
            error.offset = r->offset;
            resync_start(r, &error);
            return;
        }
    }
    resync_start(r, &error);
    reader_advance(r, chunk, FXT_WORD_BYTES);
}

enum fxt_code judge_record(struct fxt_reader *r, struct fxt_chunk *chunk, bool last)
{
    enum resync_verdict verdict =
        r->options.resync ? resync_judge(r, chunk, last) : RESYNC_YES;

    if (verdict == RESYNC_UNDECIDED)
        return FXT_NEED_MORE;
    if (verdict == RESYNC_NO)
        leave_record(r, chunk);
    else if (r->decoder.result.fault == FXT_OK)
        keep_record(r, chunk);
    else
        drop_record(r, chunk);
    return FXT_OK;
}
