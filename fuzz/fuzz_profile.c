/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes through all that the converters do with an input: decompressed if they are
 * compressed, read as regions or as an archive, collected, put in order, located, and
 * written in every format. What is written must be what readers of the format accept, and
 * each must have all samples.
 *
 * The last bytes of an input are options, so that a file is a seed once they are added;
 * one bit says that there are more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/profile_write.h>
#include <fxt/writer.h>

#include "judge.h"
#include "judge_text.h"
#include "libfxtprofile/import/symbols/symbol_records.h"
#include "libfxtprofile/output/line_records.h"
#include "libfxtprofile/output/outputs.h"
#include "libfxtprofile/pipeline.h"
#include "quiet_client.h"
#include "pooled.h"

enum { OPTION_BYTES = 3, MORE_OPTION_BYTES = 2 };

/* Which number a format has: both of a profile's, the one that was chosen, the count, or
 * the count of the samples that have the chosen one. */
enum value { VALUE_ALL, VALUE_CHOSEN, VALUE_COUNT, VALUE_COUNT_OF_CHOSEN };

struct judgement {
    const struct output_format *format;
    const char *(*judge)(const char *data, size_t size, uint64_t total);
    enum value value;
};

/* All formats are written; what is written in one without a row must only not crash. */
static const struct judgement judgements[] = {
    {&output_pprof, judge_pprof, VALUE_ALL},
    {&output_folded, judge_folded, VALUE_CHOSEN},
    {&output_markup, judge_markup, VALUE_COUNT},
    {&output_svg, judge_svg, VALUE_CHOSEN},
    {&output_speedscope, judge_speedscope, VALUE_CHOSEN},
    {&output_json, judge_captures, VALUE_COUNT},
    {&output_firefox, judge_timeline, VALUE_COUNT},
    {&output_html, judge_html, VALUE_COUNT_OF_CHOSEN},
    {&output_chrome, judge_timeline, VALUE_COUNT},
};

struct options {
    struct import_settings import;
    struct output_settings settings;
    struct filter filter;
    struct fxt_profile_options build;
    uint64_t wanted_point;
    bool only_heap_counters;
    bool has_cpus;
    struct cpu_set cpus;
    bool has_window;
    struct time_window window;
};

/* ---- Options ----------------------------------------------------------------------- */

static void take_roots(struct output_settings *settings, unsigned which)
{
    static const enum fxt_profile_root roots[] = {
        FXT_PROFILE_ROOT_CPU, FXT_PROFILE_ROOT_PROCESS, FXT_PROFILE_ROOT_THREAD};

    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        if (which >> i & 1)
            settings->roots[settings->n_roots++] = roots[i];
    }
    settings->has_roots = true;
}

static void take_flame(struct fxt_profile_output *wanted, unsigned which)
{
    wanted->frame_height = FXT_PROFILE_MIN_FRAME_HEIGHT;
    wanted->min_width = which & 1 ? FXT_PROFILE_MAX_MIN_WIDTH : 10;
    wanted->palette =
        which >> 1 & 1 ? FXT_PROFILE_PALETTE_MODULE : FXT_PROFILE_PALETTE_HOT;
    wanted->upright = which >> 2 & 1;
    wanted->reverse = which >> 3 & 1;
}

static void add_numbers(struct filter_numbers *to, const uint64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        filter_add_number(to, numbers[i]);
}

/* What the inputs of the corpus have in them, and what is everywhere. */
static void take_filter(struct filter *filter, unsigned which)
{
    static const uint64_t processes[] = {1045, 1};
    static const uint64_t threads[] = {2077, 2, 0};

    if (which & 1)
        add_numbers(&filter->processes, processes, 2);
    if (which >> 1 & 1)
        filter_add_pattern(&filter->process_names, "[a-s]*?");
    if (which >> 2 & 1)
        add_numbers(&filter->threads, threads, 3);
    filter->hides_idle = which >> 3 & 1;
    filter->folds_recursion = which >> 4 & 1;
    if (filter->hides_idle)
        filter_add_expression(&filter->idle, "[02468ae]$");
    if (which >> 5 & 1)
        filter_add_expression(&filter->above, "^.*\\+0x|[1357]$|^[a-m]");
    if (which >> 6 & 1)
        filter_add_expression(&filter->below, "[159b]|[k-z]");
}

static void take_more_options(struct options *options, const uint8_t *b)
{
    take_filter(&options->filter, b[0] & 0x7f);
    if (b[0] >> 7)
        options->build.source = (b[1] >> 3 & 3u) != 3  ? FXT_PROFILE_SPANS
                                : (b[1] >> 2 & 1) != 0 ? FXT_PROFILE_WAKEUPS
                                : (b[1] & 1) != 0      ? FXT_PROFILE_WALL_CLOCK
                                                       : FXT_PROFILE_OFF_CPU;
    options->settings.wanted.no_merge = b[1] & 1;
    options->settings.wanted.annotate = b[1] >> 1 & 1;
    options->settings.wanted.raw_labels = b[1] >> 2 & 1;
    /* Of different formats. */
    options->settings.wanted.embedded = options->settings.wanted.raw_labels;
    options->wanted_point = options->settings.wanted.annotate ? 2 : 0;
    options->only_heap_counters =
        options->settings.wanted.raw_labels && options->settings.wanted.no_merge;
    options->settings.wanted.value = (enum fxt_profile_value)((b[1] >> 3 & 3u) % 3);
    options->has_window = b[1] >> 5 & 1;
    options->window.first_ns = b[1] >> 6 & 1 ? 1000 : 0;
    options->window.last_ns = b[1] >> 7 & 1 ? UINT64_MAX : 2000;
}

static void take_options(struct options *options, const uint8_t *b)
{
    static const uint64_t region_sizes[] = {0, 0, 0, 0, 64, 128, 320, 1024};
    static const uint64_t rates[] = {0, 1, 1000000000, UINT64_MAX};

    options->import.content = FXT_PROFILE_CONTENT_FXT;
    options->import.stream = (enum fxt_stream)((b[0] & 3u) % 3);
    options->import.byte_order = (enum fxt_byte_order)((b[0] >> 2 & 3u) % 3);
    options->import.resync = b[0] >> 4 & 1;
    options->has_cpus = b[0] >> 5 & 1;
    options->build.is_zircon_arm64 = b[0] >> 7;
    options->settings.wanted.no_gzip = true;
    options->import.region_size = region_sizes[b[1] & 7u];
    options->import.ticks_per_second = rates[b[1] >> 3 & 3u];
    take_roots(&options->settings, b[2] & 7u);
    options->build.keep_blocks = b[2] >> 3 & 1;
    take_flame(&options->settings.wanted, b[2] >> 4);
}

/* ---- The pipeline ------------------------------------------------------------------ */

/* The sum of one of the profile's values. */
static uint64_t sum(const struct profile *profile, uint32_t type)
{
    uint64_t total = 0;

    for (size_t i = 0; i < profile->n_samples; i++)
        total =
            judge_add_up(total, (uint64_t)profile->values[i * profile->n_types + type]);
    return total;
}

/* How many samples there are; of several events, only those of the chosen one. */
static uint64_t count_chosen(const struct profile *profile, uint32_t type)
{
    uint64_t total = 0;

    for (size_t i = 0; i < profile->n_samples; i++) {
        const int64_t *values = profile->values + i * profile->n_types;

        if (!profile->has_events || values[type] != 0)
            total = judge_add_up(total, (uint64_t)values[0]);
    }
    return total;
}

static uint64_t expected(enum value value, const struct profile *profile,
                         const struct output_settings *settings)
{
    uint64_t total = 0;

    if (value == VALUE_COUNT)
        return sum(profile, 0);
    if (value == VALUE_COUNT_OF_CHOSEN)
        return count_chosen(profile, output_value_type(profile, settings));
    if (value == VALUE_CHOSEN)
        return sum(profile, output_value_type(profile, settings));
    for (uint32_t type = 0; type < profile->n_types; type++)
        total = judge_add_up(total, sum(profile, type));
    return total;
}

/* What is wrong with the text, or NULL. */
static const char *judge(const struct output_format *format, const struct text *text,
                         const struct profile *profile,
                         const struct output_settings *settings)
{
    for (size_t i = 0; i < sizeof(judgements) / sizeof(judgements[0]); i++) {
        const struct judgement *j = &judgements[i];
        uint64_t total = expected(j->value, profile, settings);

        if (j->format != format)
            continue;
        if (format == &output_folded && settings->wanted.no_merge)
            return judge_unmerged(text->data, text->size, total);
        return j->judge(text->data, text->size, total);
    }
    return NULL;
}

static void check_output(const struct output_entry *entry, const struct profile *profile,
                         const struct output_settings *settings)
{
    struct text text = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(&text);
    const char *fault;

    entry->format->write(profile, settings, output);
    output_close(output, true, &why);
    fault = judge(entry->format, &text, profile, settings);
    if (fault != NULL) {
        fprintf(stderr, "%s: %s\n", entry->name, fault);
        abort();
    }
}

static void check_outputs(const struct profile *profile, bool keeps_pcs,
                          const struct output_settings *settings)
{
    const struct output_entry *entry;

    for (unsigned i = 1; (entry = output_entry((enum fxt_profile_format)i)) != NULL;
         i++) {
        if (profile->is_of_heap && entry->format->heap_refusal != NULL)
            continue;
        if (entry->format->keeps_pcs && !keeps_pcs)
            continue;
        check_output(entry, profile, settings);
    }
}

/* What is in the profile and what the filters took is what there was. What blocks of
 * heaps stand for may be more than there are numbers. */
static void check_counts(const struct profile *profile, const struct collect *collect)
{
    if (sum(profile, 0) == collect->tally.n_samples || profile->is_of_heap)
        return;
    fprintf(stderr, "%llu samples were taken, and the profile has %llu\n",
            (unsigned long long)collect->tally.n_samples,
            (unsigned long long)sum(profile, 0));
    abort();
}

/* There is a moment for each sample. */
static void check_moments(const struct profile *profile)
{
    size_t expected_moments = profile->is_of_heap ? 0 : (size_t)sum(profile, 0);

    if (!profile->is_timeline || profile->n_moments == expected_moments)
        return;
    fprintf(stderr, "%zu moments of %zu samples\n", profile->n_moments, expected_moments);
    abort();
}

static uint64_t take_lines(struct modules *modules, const struct line_record *lines)
{
    struct fxt_arg args[] = {
        {.name = fxt_string_from("entry_words"), .type = FXT_ARG_UINT32},
        {.name = fxt_string_from("entries"), .type = FXT_ARG_UINT64},
        {.name = fxt_string_from("module"), .type = FXT_ARG_STRING},
    };
    struct fxt_record record = {.type = FXT_RECORD_LARGE, .args = args, .n_args = 3};

    args[0].value.uint32 = FILE_LINES_WORDS;
    args[1].value.uint64 = lines->n_entries;
    args[2].value.string = fxt_string_from("module");
    record.large_blob.payload =
        (struct fxt_bytes){lines->payload.data, lines->payload.size};
    return line_records_take(modules, &record);
}

/* What is written of the lines in the input is read without a fault. */
static void check_lines(const struct profile *profile)
{
    struct line_records records = {.n = 0};
    struct modules modules = {.n_modules = 0};

    line_records_make(&records, profile);
    for (size_t i = 0; i < records.n; i++) {
        if (take_lines(&modules, &records.all[i]) > 0) {
            fprintf(stderr, "records of lines cannot be read\n");
            abort();
        }
    }
    modules_finish(&modules);
}

/* What depends on the format: whether PCs are kept, whether samples are sorted; and
 * whether cut stacks show it. */
enum { WITHOUT_PCS = 1, ANY_ORDER = 2, SHOWS_ENDS = 4 };

static void convert(struct input *input, const struct options *options, unsigned how)
{
    struct import_file file = {"input", PROFILE_NO_CPU, PROFILE_NO_CPU};
    struct pipeline pipeline = {.first_loss = 0};
    struct fxt_profile_options build = options->build;
    struct pipeline_settings what = {
        .options = &build,
        .only_heap_counters = options->only_heap_counters,
        .has_times = options->settings.wanted.no_merge,
        .keeps_pcs = (how & WITHOUT_PCS) == 0,
        .is_any_order = (how & ANY_ORDER) != 0,
        .is_timeline = options->settings.wanted.no_merge &&
                       options->build.source == FXT_PROFILE_SAMPLES,
        .cpus = options->has_cpus ? &options->cpus : NULL,
        .window = options->has_window ? &options->window : NULL,
    };
    struct import_settings settings = options->import;
    const struct profile *profile = &pipeline.profile;

    build.show_cuts = (how & SHOWS_ENDS) != 0;
    settings.client = &quiet_client;
    pipeline_init(&pipeline);
    pipeline_start(&pipeline, &what);
    pipeline.heap.wanted_point = options->wanted_point;
    pipeline_load_open(&pipeline, &settings, input, &file);
    pipeline_finish(&pipeline, &options->filter);
    check_counts(profile, &pipeline.collect);
    check_moments(profile);
    check_lines(profile);
    check_outputs(profile, what.keeps_pcs, &options->settings);
}

static void run(void *context)
{
    const struct fuzz_input *in = context;
    const uint8_t *data = in->data;
    size_t size = in->size - OPTION_BYTES;
    struct options options = {.has_cpus = false};
    struct input *input;
    unsigned how;

    take_options(&options, data + size);
    how = data[size + 1] >> 5;
    if (data[size] >> 6 & 1 && size >= MORE_OPTION_BYTES) {
        size -= MORE_OPTION_BYTES;
        take_more_options(&options, data + size);
    }
    if (options.has_cpus)
        parse_cpu_list("0,2", &options.cpus);
    input = input_from_memory(data, size);
    convert(input, &options, how);
    input_close(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= OPTION_BYTES)
        run_pooled(run, data, size);
    return 0;
}
