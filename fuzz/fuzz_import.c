/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a debugger's log, as captures in JSON, or as folded stacks: what could be
 * read is a profile whose stacks all are in the folded stacks and in the JSON that are
 * written of it; and that JSON, or of folded stacks these, read again, give the same
 * bytes.
 *
 * The last byte of an input has the options.
 */
#include <string.h>

#include "judge.h"
#include "libfxtprofile/output/outputs.h"
#include "libfxtprofile/pipeline.h"
#include "quiet_client.h"
#include "pooled.h"

struct options {
    struct import_settings import;
    struct output_settings settings;
    struct filter filter;
    bool has_cpus;
    struct cpu_set cpus;
};

static void check_output(const struct output_format *format,
                         const struct profile *profile, const struct options *options,
                         struct text *text)
{
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(text);

    format->write(profile, &options->settings, output);
    require(output_close(output, true, &why), "memory can be written");
}

static void check_folded(const struct profile *profile, const struct options *options,
                         uint64_t total)
{
    struct text text = {NULL, 0, 0};
    const char *fault;

    check_output(&output_folded, profile, options, &text);
    fault = options->settings.wanted.no_merge
                ? judge_unmerged(text.data, text.size, total)
                : judge_folded(text.data, text.size, total);
    require(fault == NULL, fault);
}

static bool is_folded(const struct options *options)
{
    return options->import.content == FXT_PROFILE_CONTENT_FOLDED;
}

/* Reads an input, and writes it as JSON, or folded. Returns how many errors there were.
 */
static uint64_t convert(const void *data, size_t size, const struct options *options,
                        struct text *written)
{
    struct input *input = input_from_memory(data, size);
    struct import_file file = {"input", PROFILE_NO_CPU, PROFILE_NO_CPU};
    struct pipeline pipeline = {.first_loss = 0};
    static const struct fxt_profile_options build = {.source = FXT_PROFILE_SAMPLES};
    struct pipeline_settings what = {.options = &build,
                                     .has_times = true,
                                     .cpus = options->has_cpus ? &options->cpus : NULL};
    struct import_settings settings = options->import;
    uint64_t n_samples;
    uint64_t n_errors;
    const char *fault;

    settings.client = &quiet_client;
    pipeline_init(&pipeline);
    pipeline_start(&pipeline, &what);
    pipeline_load_open(&pipeline, &settings, input, &file);
    pipeline_finish(&pipeline, &options->filter);
    n_samples = pipeline.collect.tally.n_samples;
    n_errors = pipeline.loaded.n_errors;
    check_folded(&pipeline.profile, options, n_samples);
    if (is_folded(options)) {
        check_output(&output_folded, &pipeline.profile, options, written);
    } else {
        check_output(&output_json, &pipeline.profile, options, written);
        fault = judge_captures(written->data, written->size, n_samples);
        require(fault == NULL, fault);
    }
    input_close(input);
    return n_errors;
}

static void run(void *context)
{
    const struct fuzz_input *in = context;
    const uint8_t *data = in->data;
    size_t size = in->size - 1;
    struct options options = {.has_cpus = false};
    struct text first = {NULL, 0, 0};
    struct text second = {NULL, 0, 0};

    options.import.content =
        data[size] & 1 ? FXT_PROFILE_CONTENT_OSDK_JSON : FXT_PROFILE_CONTENT_GDB_LOG;
    if (data[size] >> 4 & 1)
        options.import.content = FXT_PROFILE_CONTENT_FOLDED;
    /* Folded stacks are in no order that could stay as it is. */
    options.settings.wanted.no_merge = data[size] >> 3 & 1 && !is_folded(&options);
    options.import.full_names = data[size] >> 1 & 1;
    options.has_cpus = data[size] >> 2 & 1;
    if (options.has_cpus)
        parse_cpu_list("0,2", &options.cpus);
    convert(data, size, &options, &first);
    if (!is_folded(&options))
        options.import.content = FXT_PROFILE_CONTENT_OSDK_JSON;
    require(convert(first.data, first.size, &options, &second) == 0,
            "no error in what was written");
    require(first.size == second.size &&
                (first.size == 0 || memcmp(first.data, second.data, first.size) == 0),
            "what is written stays as it is");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        run_pooled(run, data, size);
    return 0;
}
