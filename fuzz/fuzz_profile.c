/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes through all that the converters do with an input: decompressed if they are
 * compressed, read as regions or as an archive, collected, put in order, located, and
 * written in every format. What is written must be what readers of the format accept, and
 * each must have all samples.
 *
 * The last bytes of an input are options, so that a file is a seed once they are added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "judge.h"
#include "load.h"
#include "locate.h"
#include "outputs.h"
#include "summary.h"

enum { OPTION_BYTES = 3 };

struct written {
    const char *name;
    const struct output_format *format;
    const char *(*judge)(const char *data, size_t size, uint64_t total);
};

static const struct written all_written[] = {
    {"pprof", &output_pprof, judge_pprof},
    {"folded", &output_folded, judge_folded},
    {"svg", &output_svg, judge_svg},
};

/* ---- Options ----------------------------------------------------------------------- */

static void take_roots(struct output_settings *settings, unsigned which)
{
    static const enum folded_root roots[] = {FOLDED_CPU, FOLDED_PROCESS, FOLDED_THREAD};

    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        if (which >> i & 1)
            settings->roots[settings->n_roots++] = roots[i];
    }
}

static void take_flame(struct flame_settings *flame, unsigned which)
{
    flame->frame_height = FLAME_FRAME_HEIGHT_MIN;
    flame->min_width = which & 1 ? FLAME_MIN_WIDTH_MAX : 10;
    flame->palette = which >> 1 & 1 ? PALETTE_MODULE : PALETTE_HOT;
    flame->inverted = which >> 2 & 1;
    flame->reverse = which >> 3 & 1;
}

static void take_options(struct options *options, const uint8_t *b)
{
    static const uint64_t region_sizes[] = {0, 0, 0, 0, 64, 128, 320, 1024};
    static const uint64_t rates[] = {0, 1, 1000000000, UINT64_MAX};

    options->program = "fuzz_profile";
    options->quiet = true;
    options->stream = (enum fxt_stream)((b[0] & 3u) % 3);
    options->byte_order = (enum fxt_byte_order)((b[0] >> 2 & 3u) % 3);
    options->resync = b[0] >> 4 & 1;
    options->has_cpus = b[0] >> 5 & 1;
    options->settings.plain = true;
    options->region_size = region_sizes[b[1] & 7u];
    options->ticks_per_second = rates[b[1] >> 3 & 3u];
    take_roots(&options->settings, b[2] & 7u);
    take_flame(&options->settings.flame, b[2] >> 4);
}

/* ---- The pipeline ------------------------------------------------------------------ */

static void check_output(const struct written *written, const struct profile *profile,
                         const struct output_settings *settings)
{
    struct text text = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(&text);
    const char *fault;

    written->format->write(profile, settings, output);
    output_close(output, true, &why);
    fault = written->judge(text.data, text.size, (uint64_t)profile_total(profile, 0));
    if (fault != NULL) {
        fprintf(stderr, "%s: %s\n", written->name, fault);
        abort();
    }
    text_free(&text);
}

static void check_counts(const struct collect *collect)
{
    if ((uint64_t)profile_total(collect->profile, 0) == collect->tally.n_samples)
        return;
    fprintf(stderr, "%llu samples were taken, and the profile has %lld\n",
            (unsigned long long)collect->tally.n_samples,
            (long long)profile_total(collect->profile, 0));
    abort();
}

static void convert(struct input *input, const struct options *options)
{
    struct symbolizer symbolizer = {NULL, 0, 0};
    struct modules modules = {.n_modules = 0};
    struct profile profile;
    struct collect collect = {
        .profile = &profile,
        .modules = &modules,
        .cpus = options->has_cpus ? &options->cpus : NULL,
        .values = {1},
    };
    struct load_result loaded;

    profile_init(&profile);
    profile_add_type(&profile, "samples", "count");
    loaded = load_input(options, &collect, input, "input");
    profile_finish(&profile);
    modules_finish(&modules);
    profile_locate(&profile, &modules, &symbolizer);
    check_counts(&collect);
    summary_comment(&profile, &collect.tally, loaded.n_errors);
    for (size_t i = 0; i < sizeof(all_written) / sizeof(all_written[0]); i++)
        check_output(&all_written[i], &profile, &options->settings);
    profile_free(&profile);
    modules_free(&modules);
    collect_free(&collect);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options options = {.quiet = true};
    struct input *input;

    if (size < OPTION_BYTES)
        return 0;
    size -= OPTION_BYTES;
    take_options(&options, data + size);
    if (options.has_cpus)
        parse_cpu_list("0,2", &options.cpus);
    input = input_from_memory(data, size);
    convert(input, &options);
    input_close(input);
    cpu_set_free(&options.cpus);
    return 0;
}
