/* SPDX-License-Identifier: BSD-2-Clause */
/* See load.h. */
#include "load.h"

#include <string.h>

#include <fxt/reader.h>

#include "input.h"
#include "pump.h"
#include "report.h"

struct load {
    const struct options *options;
    struct collect *collect;
    struct load_result result;
    /* How many regions there were. */
    uint32_t n_regions;

    /* The input that is being read, what was said about it, and where in it the stream
     * begins. */
    const char *name;
    /* The CPU that it was said to be of; and the same for its next region. */
    uint32_t cpu;
    uint32_t region_cpu;
    struct report report;
    uint64_t stream_offset;
    /* A warning about the record to come. */
    bool has_held;
    struct fxt_error held;
};

/* ---- Reports ----------------------------------------------------------------------- */

static void report(struct load *l, struct fxt_error error)
{
    error.offset += l->stream_offset;
    report_error(&l->report, l->name, &error);
}

static void report_held(struct load *l)
{
    if (l->has_held)
        report(l, l->held);
    l->has_held = false;
}

/* A string that was never registered is a reason to warn, unless it is in the record by
 * which a healthy kernel tells how much it dropped: its strings are in a table of the
 * kernel's that is not part of the output. So the warning waits for its record. */
static int take_error(void *context, const struct fxt_error *error)
{
    struct load *l = (struct load *)context;

    report_held(l);
    if (error->code == FXT_E_STRING_UNKNOWN) {
        l->held = *error;
        l->has_held = true;
    } else {
        report(l, *error);
    }
    return 0;
}

static int take_record(void *context, const struct fxt_record *record)
{
    struct load *l = (struct load *)context;
    enum fxt_sample_kind kind = collect_record(l->collect, record);

    if (l->has_held) {
        if (kind == FXT_SAMPLE_DROPS && !l->options->verbose)
            l->has_held = false;
        report_held(l);
    }
    return 0;
}

/* ---- Streams ----------------------------------------------------------------------- */

/* Whether the reader should take the input for an archive: as it would itself, but the
 * collecting must know before the first record. */
static bool is_archive(const struct options *o, struct input *input)
{
    uint64_t word;

    if (o->stream != FXT_STREAM_AUTO)
        return o->stream == FXT_STREAM_ARCHIVE;
    if (!input_want(input, sizeof(word)))
        return false;
    memcpy(&word, input_data(input), sizeof(word));
    if (FXT_HOST_IS_BIG_ENDIAN)
        word = FXT_SWAP64(word);
    return (word == FXT_MAGIC_RECORD && o->byte_order != FXT_BYTE_ORDER_BIG) ||
           (word == FXT_SWAP64(FXT_MAGIC_RECORD) &&
            o->byte_order != FXT_BYTE_ORDER_LITTLE);
}

static struct fxt_reader *make_reader(struct load *l, enum fxt_stream stream)
{
    const struct options *o = l->options;
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = take_record,
        .on_error = take_error,
        .context = l,
        .stream = stream,
        .byte_order = o->byte_order,
        .resync = o->resync,
        .ticks_per_second = o->ticks_per_second,
    };
    struct fxt_reader *reader;

    /* The options are possible, so that only memory can be missing, and for that
     * must_allocate has the words. */
    if (fxt_reader_create(&options, &reader) != FXT_OK)
        must_allocate(SIZE_MAX);
    return reader;
}

static void load_stream(struct load *l, struct input *input, struct fxt_reader *reader,
                        uint32_t cpu, uint64_t limit)
{
    struct pump_result result;

    collect_start(l->collect, cpu);
    result = pump(input, reader, limit);
    collect_end(l->collect);
    if (limit != PUMP_ALL && result.n_bytes < limit && !l->options->quiet)
        complain(l->options->program, l->name,
                 "the last region has only %llu bytes of %llu",
                 (unsigned long long)result.n_bytes, (unsigned long long)limit);
    l->stream_offset += result.n_bytes;
}

/* The CPU of the next region: its place among all, unless the user says another. */
static uint32_t take_cpu(struct load *l)
{
    uint32_t place = l->n_regions++;

    return l->region_cpu != PROFILE_NO_CPU ? l->region_cpu++ : place;
}

/* An input of several regions. */
static void load_regions(struct load *l, struct input *input, struct fxt_reader *reader)
{
    while (input_want(input, 1)) {
        load_stream(l, input, reader, take_cpu(l), l->options->region_size);
        fxt_reader_reset(reader);
    }
}

static void load_streams(struct load *l, struct input *input)
{
    bool archive = is_archive(l->options, input);
    struct fxt_reader *reader =
        make_reader(l, archive ? FXT_STREAM_ARCHIVE : FXT_STREAM_REGION);

    if (l->options->region_size > 0)
        load_regions(l, input, reader);
    else if (archive)
        load_stream(l, input, reader, l->cpu, PUMP_ALL);
    else
        load_stream(l, input, reader, take_cpu(l), PUMP_ALL);
    fxt_reader_destroy(reader);
}

static void start_report(struct load *l)
{
    l->report = (struct report){.program = l->options->program,
                                .max_lines = REPORT_DEFAULT_LINES};
    if (l->options->verbose)
        l->report.max_lines = UINT64_MAX;
    if (l->options->quiet)
        l->report.max_lines = 0;
}

static void load(struct load *l, struct input *input)
{
    start_report(l);
    l->stream_offset = 0;
    load_streams(l, input);
    if (input_error(input) != NULL) {
        complain(l->options->program, l->name, "%s", input_error(input));
        l->result.failed = true;
    }
    report_rest(&l->report);
    l->result.n_errors += l->report.counts[FXT_ERROR] + l->report.counts[FXT_FATAL];
}

static void load_file(struct load *l)
{
    struct text why = {NULL, 0, 0};
    struct input *input = input_open(l->name, &why);

    if (input == NULL) {
        text_char(&why, '\0');
        complain(l->options->program, l->name, "%s", why.data);
        text_free(&why);
        l->result.n_unusable++;
        l->n_regions++;
        return;
    }
    load(l, input);
    input_close(input);
}

struct load_result load_input(const struct options *options, struct collect *collect,
                              struct input *input, const char *name)
{
    struct load l = {.options = options,
                     .collect = collect,
                     .name = name,
                     .cpu = PROFILE_NO_CPU,
                     .region_cpu = PROFILE_NO_CPU};

    load(&l, input);
    return l.result;
}

struct load_result load_inputs(const struct options *options, struct collect *collect)
{
    struct load l = {.options = options, .collect = collect};

    for (size_t i = 0; i < options->n_files; i++) {
        l.name = options->files[i].name;
        l.cpu = options->files[i].cpu;
        l.region_cpu = options->files[i].region_cpu;
        load_file(&l);
    }
    return l.result;
}
