/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges of records of any bytes, in parts of any size as the inputs: what is written can
 * be read without an error, nothing is left out unless that is reported, and nothing when
 * it is merged again. The last bytes say how the input is divided, and what is known of
 * the parts.
 */
#include "common/base/io/input.h"
#include "common/base/io/output.h"
#include "read_input.h"
#include "tools/common/descriptions.h"
#include "tools/fxtmerge/merge.h"

enum { HOW_BYTES = 6, MAX_INPUTS = 4, OFFSET_NS = 100000000 };

/* As fxtmerge reads. */
enum { HOW_PARTS_ARE_READ = FXT_STREAM_AUTO | 4 };

/* Registrations are written as they are needed, and descriptions not again. */
static int count_record(void *context, const struct fxt_record *record)
{
    size_t *n = (size_t *)context;

    if (record->type > FXT_RECORD_THREAD || record->kind == FXT_METADATA_PROVIDER_EVENT)
        *n += !description_is(record);
    return 0;
}

static int ignore_fault(void *context, const struct fxt_error *error)
{
    (void)context;
    (void)error;
    return 0;
}

static int take_fault(void *context, const struct fxt_error *error)
{
    (void)context;
    require(error->severity < FXT_ERROR, "what is written can be read");
    return 0;
}

/* How many records were written. */
static size_t merge(struct merge_options *options, struct text *merged, size_t n_read)
{
    enum merge_status status;
    size_t n = 0;

    options->program = "fuzz_merge";
    options->quiet = true;
    options->opened = output_to_memory(merged);
    status = merge_archives(options);
    read_input(merged->data, merged->size, FXT_STREAM_ARCHIVE, count_record, take_fault,
               &n);
    require(n == n_read || (status == MERGE_BAD && n < n_read), "no record is lost");
    return n;
}

static void merge_again(const struct text *merged, size_t n_records)
{
    struct merge_input input = {
        .name = "merged",
        .opened = input_from_memory(merged->data, merged->size),
        .has_offset = true,
    };
    struct merge_options options = {
        .inputs = &input, .n_inputs = 1, .window_bytes = MERGE_DEFAULT_WINDOW_BYTES};
    struct text again = {NULL, 0, 0};

    require(merge(&options, &again, n_records) == n_records, "nothing is left out again");
    text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const machines[] = {"a", "b", NULL};
    struct merge_input inputs[MAX_INPUTS] = {{NULL}};
    struct merge_options options = {.inputs = inputs,
                                    .window_bytes = MERGE_DEFAULT_WINDOW_BYTES};
    struct text merged = {NULL, 0, 0};
    const uint8_t *how;
    size_t n = 0;

    if (size < HOW_BYTES)
        return 0;
    size -= HOW_BYTES;
    how = data + size;
    options.n_inputs = 1 + how[0] % MAX_INPUTS;
    options.one_table = how[0] >> 2 & 1;
    options.has_window = how[0] >> 3 & 1;
    if (options.has_window)
        options.window_bytes = how[1] * 16u;
    for (size_t i = 0; i < options.n_inputs; i++) {
        size_t part = i + 1 < options.n_inputs ? size * how[3 + i] / 255 : size;

        inputs[i].name = "part";
        inputs[i].opened = input_from_memory(data, part);
        inputs[i].machine = how[0] >> 4 & 1 ? machines[(how[2] >> i) % 3] : NULL;
        inputs[i].has_offset = how[0] >> (5 + i % 3) & 1;
        inputs[i].offset_ns = (int64_t)(i + 1) * (int8_t)how[2] * OFFSET_NS;
        read_input(data, part, HOW_PARTS_ARE_READ, count_record, ignore_fault, &n);
        data += part;
        size -= part;
    }
    n = merge(&options, &merged, n);
    merge_again(&merged, n);
    text_free(&merged);
    return 0;
}
