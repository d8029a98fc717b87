/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_groups.h: what the inputs are and how they are read. */
#include "option_groups.h"

#include <string.h>

#include "common/base/parallel.h"

/* The content of all inputs. */
static const char *const contents[] = {[FXT_PROFILE_CONTENT_FXT] = "fxt",
                                       [FXT_PROFILE_CONTENT_GDB_LOG] = "gdb",
                                       [FXT_PROFILE_CONTENT_OSDK_JSON] = "osdk-json",
                                       [FXT_PROFILE_CONTENT_FOLDED] = "folded"};

static bool take_sampler(struct option_given *given)
{
    struct options *o = given->options;

    o->build.is_zircon_arm64 = strcmp(given->value, "zircon-arm64") == 0;
    return o->build.is_zircon_arm64 || strcmp(given->value, "any") == 0;
}

static bool take_region_size(struct option_given *given)
{
    struct options *o = given->options;

    return parse_size(given->value, &o->input.region_size) && o->input.region_size > 0 &&
           o->input.region_size % FXT_WORD_BYTES == 0;
}

#define OPTION_STRUCT struct options

const struct option_entry options_reading[] = {
    {"from", 0, "FORMAT", OPTION_WORD(input.content, contents),
     "what each FILE is: fxt; gdb, a log of backtraces of all threads; osdk-json, the "
     "captures of cargo-osdk; or folded, lines of stacks (default: recognised by its "
     "first bytes)"},
    {"region", 0, NULL, OPTION_CONSTANT(input.stream, FXT_STREAM_REGION),
     "each FILE is a region, one CPU's sampler buffer"},
    {"archive", 0, NULL, OPTION_CONSTANT(input.stream, FXT_STREAM_ARCHIVE),
     "each FILE is an archive, a trace file (default: an archive if it starts with the "
     "magic number)"},
    {"region-size", 0, "SIZE", OPTION_CALL(take_region_size),
     "each FILE is regions of SIZE bytes, one after the other (suffixes K, M, G)"},
    {"cpu", 0, "N",
     OPTION_VALUE(OPTION_NUMBER_(cpu, parse_u64, 0, CPU_MAX), OPTION_FLAG_(has_cpu)),
     "the next FILE is of CPU N, and its further regions of the next CPUs"},
    {"byte-order", 0, "ORDER", OPTION_WORD(input.byte_order, option_byte_orders),
     "little or big (default: from the magic number, else little)"},
    {"ticks-per-second", 0, "RATE",
     OPTION_NUMBER(build.ticks_per_second, parse_u64, 1, UINT64_MAX),
     "the clock rate of what does not state it, such as regions"},
    {"sampler", 0, "NAME", OPTION_CALL(take_sampler),
     "zircon-arm64 for regions of that sampler, whose PCs need correction (default: "
     "any)"},
    {"resync", 0, NULL, OPTION_FLAG(build.resync),
     "after damage, look for the next plausible record"},
    OPTIONS_END,
};

const struct option_entry options_parallel[] = {
    {"threads", 0, "N", OPTION_NUMBER(build.n_threads, parse_u64, 1, PARALLEL_MAX),
     "read regions on N threads (default: one for each processor)"},
    OPTIONS_END,
};

bool options_have_standard_input(const struct options *options)
{
    for (size_t i = 0; i < options->n_files; i++) {
        if (strcmp(options->files[i].path, "-") == 0)
            return true;
    }
    return false;
}
