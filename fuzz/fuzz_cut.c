/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts of records of any bytes: whatever is kept of them, each part can be read without
 * an error, and a copy of a copy is the same. The last two bytes say how the input is
 * read, and what is kept.
 */
#include <string.h>

#include <fxt/reader.h>

#include "pooled.h"
#include "tools/fxtcut/cutter.h"

enum { HOW_BYTES = 2 };

struct target {
    struct trace_cutter cutter;
    struct fxt_reader_options options;
    enum fxt_byte_order byte_order;
    /* The part that is being written. */
    struct output *output;
    struct text bytes;
};

/* ---- Reading what was written ------------------------------------------------------ */

static int take_fault(void *context, const struct fxt_error *error)
{
    (void)context;
    require(error->severity < FXT_ERROR, "what is written can be read");
    return 0;
}

static void check_part(struct target *t)
{
    const struct fxt_reader *input = t->cutter.taker.reader;
    struct fxt_chunk chunk = {t->bytes.data, t->bytes.size, 0};
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_error = take_fault,
                                         .stream = fxt_reader_stream(input),
                                         .byte_order = fxt_reader_byte_order(input)};
    struct fxt_reader *reader;

    require(fxt_reader_create(&options, &reader) == FXT_OK, "there is a reader");
    fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    require(chunk.pos == chunk.size, "all of it is records");
    fxt_reader_destroy(reader);
}

static void end_part(struct target *t)
{
    struct text why = {NULL, 0, 0};

    if (t->output == NULL)
        return;
    require(output_close(t->output, true, &why), "memory can be written to");
    t->output = NULL;
    check_part(t);
}

static struct output *next_part(void *context)
{
    struct target *t = (struct target *)context;

    end_part(t);
    t->bytes.size = 0;
    t->output = output_to_memory(&t->bytes);
    return t->output;
}

/* ---- Cutting ----------------------------------------------------------------------- */

/* Leaves the last part in `bytes`. */
static void cut_input(struct target *t, const void *data, size_t size)
{
    struct fxt_chunk chunk = {data, size, 0};
    struct fxt_reader *reader;

    t->options.size = sizeof(t->options);
    t->options.on_record = cutter_take;
    t->options.context = &t->cutter;
    t->cutter.parts.next = next_part;
    t->cutter.parts.context = t;
    if (fxt_reader_create(&t->options, &reader) != FXT_OK)
        return;
    t->cutter.taker.reader = reader;
    fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    cutter_finish(&t->cutter);
    end_part(t);
    cutter_free(&t->cutter);
    t->byte_order = fxt_reader_byte_order(reader);
    fxt_reader_destroy(reader);
}

static void choose(struct choice *choice, unsigned how)
{
    struct text why = {NULL, 0, 0};

    if (how & 1)
        filter_add_threads(&choice->filter, "2,11,0");
    if (how & 2)
        filter_add_kinds(&choice->filter, "event,sample,kernel_object");
    if (how & 4)
        choice_add(choice, EXPRESSION_NAME, "[a-m]", &why);
    if (how & 8)
        choice_add(choice, EXPRESSION_CATEGORY, "^.?$", &why);
}

/* A copy of what a copy has written. */
static void check_copy(const struct target *first)
{
    static const struct time_windows all_times;
    struct choice everything = {.by_process_name = false};
    struct target second = {
        .options = {.stream = first->options.stream, .byte_order = first->byte_order}};

    second.cutter.choice = &everything;
    second.cutter.windows = &all_times;
    cut_input(&second, first->bytes.data, first->bytes.size);
    require(second.bytes.size == first->bytes.size &&
                (first->bytes.size == 0 ||
                 memcmp(second.bytes.data, first->bytes.data, first->bytes.size) == 0),
            "a copy of a copy is the same");
}

static void check(void *context)
{
    const struct fuzz_input *input = context;
    const uint8_t *data = input->data;
    size_t size = input->size - HOW_BYTES;
    struct time_windows windows = {NULL, 0, 0};
    struct choice choice = {.by_process_name = false};
    struct target t = {.output = NULL};
    unsigned how = data[size] | (unsigned)data[size + 1] << 8;

    t.options.stream = (enum fxt_stream)((how & 3) % 3);
    t.options.resync = how >> 2 & 1;
    choose(&choice, how >> 3 & 15);
    for (unsigned i = 0; i < (how >> 7 & 3); i++)
        windows_add(&windows, (struct time_window){100 + 1000 * i, 5000 * i + 500});
    windows_merge(&windows);
    t.cutter.choice = &choice;
    t.cutter.windows = &windows;
    t.cutter.thin.every = how >> 9 & 3;
    t.cutter.parts.split = (struct split){(enum split_by)(how >> 11 & 3), how >> 13 & 7};
    if (t.cutter.parts.split.limit == 0)
        t.cutter.parts.split.by = SPLIT_NOT;
    cut_input(&t, data, size);
    if (t.cutter.parts.split.by == SPLIT_NOT)
        check_copy(&t);
    choice_free(&choice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= HOW_BYTES)
        run_pooled(check, data, size);
    return 0;
}
