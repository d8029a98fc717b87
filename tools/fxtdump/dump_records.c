/* SPDX-License-Identifier: BSD-2-Clause */
/* See dump_state.h. */
#include "dump_state.h"

/* How much output is buffered before it is written. */
enum { PIECE = 1 << 18 };

/* How many bytes are printed after a point where the framing was lost. */
enum { FATAL_BYTES = 1 << 12 };

int dump_write_lines(struct dump *d)
{
    output_text(d->output, &d->lines);
    return output_failed(d->output);
}

static int end_line(struct dump *d)
{
    return d->lines.size >= PIECE ? dump_write_lines(d) : 0;
}

/* ---- Faults ------------------------------------------------------------------------ */

int dump_print_fault(struct dump *d, const struct fault *fault)
{
    d->n_skipped += fault->size;
    if (d->options->stats) {
        stats_fault(&d->stats, fault);
        return 0;
    }
    if (d->options->tree) {
        tree_take_fault(&d->tree, fault);
        return 0;
    }
    d->options->printer->fault(&d->lines, &d->context, fault);
    return end_line(d);
}

static struct fault fault_of(const struct dump *d, const struct fxt_error *error,
                             uint64_t size)
{
    return (struct fault){
        .offset = error->offset,
        .size = size,
        .code = fxt_code_name(error->code),
        .message = error->message,
        .error = error,
        .swapped = fxt_reader_byte_order(d->reader) != FXT_BYTE_ORDER_HOST,
    };
}

/* Finds the bytes that could not be read as far as they are still in memory. */
static void find_bytes(const struct dump *d, struct fault *fault)
{
    uint64_t in_memory = input_offset(d->input) - d->region_offset;
    uint64_t skip = fault->offset - in_memory;
    size_t size = input_size(d->input);

    if (fault->offset < in_memory || skip >= size)
        return;
    fault->data = input_data(d->input) + skip;
    size -= (size_t)skip;
    fault->n_data = fault->size < size ? (size_t)fault->size : size;
}

static int print_error(struct dump *d, const struct fxt_error *error)
{
    struct fault fault = fault_of(d, error, error->skipped);

    find_bytes(d, &fault);
    return dump_print_fault(d, &fault);
}

/* The framing was lost: keeps what will be printed about it. */
static void keep_fatal(struct dump *d, const struct fxt_error *error)
{
    struct fault fault = fault_of(d, error, FATAL_BYTES);

    find_bytes(d, &fault);
    d->has_fatal = true;
    d->fatal = *error;
    d->fatal_bytes.size = 0;
    text_add(&d->fatal_bytes, fault.data, fault.n_data);
}

void dump_print_fatal(struct dump *d, uint64_t n_bytes)
{
    struct fault fault = fault_of(d, &d->fatal, n_bytes - d->fatal.offset);
    size_t size = d->fatal_bytes.size;

    fault.data = d->fatal_bytes.data;
    fault.n_data = fault.size < size ? (size_t)fault.size : size;
    dump_print_fault(d, &fault);
}

int dump_take_error(void *context, const struct fxt_error *error)
{
    struct dump *d = (struct dump *)context;

    report_error(&d->report, d->place.data, error);
    switch (error->severity) {
    case FXT_NOTE:
    case FXT_WARNING:
        stats_remark(&d->stats, error);
        break;
    case FXT_ERROR:
        return print_error(d, error);
    case FXT_FATAL:
        keep_fatal(d, error);
        break;
    }
    return 0;
}

/* ---- Records ----------------------------------------------------------------------- */

/* Whether a record is the last one of an archive of libfxtsampler. */
static bool is_end(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_EVENT && !record->unknown &&
           record->kind == FXT_EVENT_INSTANT &&
           fxt_string_is(record->event.category, "fxtrecord") &&
           fxt_string_is(record->event.name, "recording_end");
}

int dump_print_record(void *context, const struct fxt_record *record)
{
    struct dump *d = (struct dump *)context;

    d->n_records++;
    d->has_end = d->options->follows && (d->has_end || is_end(record));
    if (d->options->printer == &print_text)
        kernel_functions_take(&d->kernel, record);
    if (!filter_takes(&d->options->filter, record))
        return 0;
    d->options->printer->record(&d->lines, &d->context, record);
    d->stopped = ++d->n_taken == d->options->max_records;
    return end_line(d) || d->stopped;
}

int dump_count_record(void *context, const struct fxt_record *record)
{
    struct dump *d = (struct dump *)context;
    bool wanted = filter_takes(&d->options->filter, record);

    d->n_records++;
    stats_record(&d->stats, record, wanted);
    if (!wanted)
        return 0;
    d->stopped = ++d->n_taken == d->options->max_records;
    return d->stopped;
}

int dump_take_event(void *context, const struct fxt_record *record)
{
    struct dump *d = (struct dump *)context;

    d->n_records++;
    tree_take(&d->tree, &d->context, record);
    return 0;
}

void dump_print_tree(struct dump *d)
{
    tree_finish(&d->tree);
    while (!d->stopped && tree_print_next(&d->tree, &d->lines, &d->context)) {
        d->stopped = ++d->n_taken == d->options->max_records;
        if (end_line(d))
            break;
    }
    tree_print_rest(&d->tree, &d->lines);
    tree_clear(&d->tree);
}
