/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h: from files through a reader to a printer. */
#include "options.h"

#include <string.h>
#include <time.h>

#include "common/base/io/pump.h"
#include "common/base/io/recognise.h"
#include "dump_state.h"

const char dump_program[] = "fxtdump";

static void set_status(struct dump *d, enum dump_status status)
{
    if (status > d->status)
        d->status = status;
}

/* ---- One input --------------------------------------------------------------------- */

/* The name of the current region in messages. */
static void name_place(struct dump *d)
{
    d->place.size = 0;
    text_str(&d->place, d->name);
    if (d->context.several_regions && d->options->region_size != PUMP_ALL) {
        text_str(&d->place, ":region ");
        text_u64(&d->place, d->context.region);
    }
    text_char(&d->place, '\0');
}

/* The file could not be read to its end: after `offset` bytes of the last region. */
static void report_input(struct dump *d, const char *message, uint64_t offset)
{
    struct fault fault = {
        .offset = offset,
        .code = "unreadable",
        .message = message,
    };

    complain(dump_program, d->name, "%s", message);
    dump_print_fault(d, &fault);
    set_status(d, DUMP_BAD);
}

static void start_region(struct dump *d)
{
    name_place(d);
    d->has_fatal = false;
    d->region_offset = input_offset(d->input);
    fxt_reader_reset(d->reader);
    if (d->options->stats) {
        stats_start_region(&d->stats, d->context.region, d->name);
    } else if (d->context.several_regions) {
        if (d->options->tree && d->context.region > 0)
            text_char(&d->lines, '\n');
        d->options->printer->region(&d->lines, &d->context, d->name);
    }
}

/* Returns true if another region follows. */
static bool dump_region(struct dump *d)
{
    struct input *input = d->input;
    struct pump_result result;
    bool more;

    start_region(d);
    result = pump(input, d->reader, d->options->region_size, NULL);
    if (d->has_fatal)
        dump_print_fatal(d, result.n_bytes);
    more = result.code != FXT_STOPPED && d->options->region_size != PUMP_ALL &&
           input_want(input, 1);
    if (!more && input_error(input) != NULL)
        report_input(d, input_error(input), result.n_bytes);
    if (d->options->stats)
        stats_end_region(&d->stats);
    if (d->options->tree)
        dump_print_tree(d);
    return more && !d->stopped;
}

static void dump_regions(struct dump *d)
{
    while (dump_region(d))
        d->context.region++;
}

/* Reports totals if there were faults. */
static void sum_up(struct dump *d)
{
    const struct report *report = &d->report;

    report_rest(report);
    if (report_is_bad(report)) {
        set_status(d, DUMP_BAD);
        if (d->options->max_lines > 0)
            complain(dump_program, d->name,
                     "records read: %llu; errors: %llu; bytes skipped: %llu",
                     (unsigned long long)d->n_records,
                     (unsigned long long)report->counts[FXT_ERROR],
                     (unsigned long long)d->n_skipped);
    }
    if (d->options->strict && report->counts[FXT_NOTE] + report->counts[FXT_WARNING] > 0)
        set_status(d, DUMP_BAD);
}

/* Returns NULL, with the reason added to `why`, for an input that cannot be used. If the
 * options state its kind, its content is not checked. */
static struct input *open_input(const struct dump *d, const char *name, struct text *why)
{
    return d->options->reader.stream == FXT_STREAM_AUTO ? recognise_open(name, why)
                                                        : input_open(name, why);
}

/* At the end of a file that grows. */
static bool wait_for_more(void *context)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    struct dump *d = (struct dump *)context;

    if (dump_write_lines(d) != 0 || d->has_end || !output_publish(d->output))
        return false;
    nanosleep(&pause, NULL);
    return true;
}

static void dump_file(struct dump *d, const char *name)
{
    struct text why = {NULL, 0, 0};
    struct input *input = open_input(d, name, &why);

    d->name = strcmp(name, "-") == 0 ? "standard input" : name;
    d->report = (struct report){
        .program = dump_program,
        .input = d->name,
        .max_lines = d->options->max_lines,
    };
    d->n_records = 0;
    d->n_skipped = 0;
    if (input == NULL) {
        complain_text(dump_program, d->name, &why);
        d->n_unusable++;
        set_status(d, DUMP_UNUSABLE);
        return;
    }
    if (input_has_more_than(input, d->options->region_size))
        d->context.several_regions = true;
    d->input = input;
    if (d->options->follows)
        input_follow(input, wait_for_more, d);
    dump_regions(d);
    sum_up(d);
    input_close(input);
}

/* ---- All of them ------------------------------------------------------------------- */

static void complain_of_output(const struct dump *d, const struct text *why)
{
    const char *name = d->options->output;

    complain(dump_program, name != NULL ? name : "standard output", "%.*s",
             (int)why->size, why->data);
}

/* A recording cannot be made again. */
static bool spares_inputs(const struct dump *d, char *const *names, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++) {
        if (!output_replaces(d->options->output, names[i]))
            continue;
        return complain(dump_program, d->options->output,
                        "is also an input, and would be overwritten");
    }
    return true;
}

static bool start_dump(struct dump *d)
{
    struct fxt_reader_options options = d->options->reader;
    struct text why = {NULL, 0, 0};

    options.size = sizeof(options);
    options.on_record = d->options->stats  ? dump_count_record
                        : d->options->tree ? dump_take_event
                                           : dump_print_record;
    options.on_error = dump_take_error;
    options.payloads_unused = d->options->stats;
    options.context = d;
    if (fxt_reader_create(&options, &d->reader) != FXT_OK)
        return complain(dump_program, NULL, "out of memory");
    d->output = output_open(d->options->output, false, &why);
    if (d->output == NULL) {
        complain_of_output(d, &why);
        text_free(&why);
        fxt_reader_destroy(d->reader);
        return false;
    }
    return true;
}

/* An existing file is not replaced if no input could be read. */
static void finish_dump(struct dump *d, bool keep)
{
    struct text why = {NULL, 0, 0};

    if (d->options->stats && d->options->stats_as_json)
        stats_print_json(&d->lines, &d->stats);
    else if (d->options->stats)
        stats_print_text(&d->lines, &d->context, &d->stats);
    dump_write_lines(d);
    if (!output_close(d->output, keep, &why)) {
        complain_of_output(d, &why);
        set_status(d, DUMP_BAD);
    }
    /* Its file. */
    sched_times_free(&d->stats.scheduling);
    fxt_reader_destroy(d->reader);
}

enum dump_status dump_files(const struct dump_options *options, char *const *names,
                            size_t n_names)
{
    struct dump d = {
        .options = options,
        .context = {.several_regions = n_names > 1,
                    .payload = options->payload,
                    .color = options->color,
                    .words_follow = options->printer == &print_hex},
    };

    if (!spares_inputs(&d, names, n_names))
        return DUMP_UNUSABLE;
    d.context.kernel = &d.kernel;
    stats_init(&d.stats, &options->filter);
    tree_init(&d.tree, &options->filter);
    if (!start_dump(&d))
        return DUMP_BAD;
    for (size_t i = 0; i < n_names && !output_failed(d.output) && !d.stopped; i++) {
        dump_file(&d, names[i]);
        d.context.region++;
    }
    finish_dump(&d, d.n_unusable < n_names);
    return d.status;
}
