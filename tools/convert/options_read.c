/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_read.h. */
#include "options_read.h"

#include <string.h>

#include "common/base/parallel.h"

enum letter {
    LETTER_ARCHIVE = OPTIONS_FIRST_READING,
    LETTER_BYTE_ORDER,
    LETTER_CPU,
    LETTER_FROM,
    LETTER_REGION,
    LETTER_REGION_SIZE,
    LETTER_RESYNC,
    LETTER_SAMPLER,
    LETTER_THREADS,
    LETTER_TICKS
};

const struct option_entry options_reading[] = {
    {"from", LETTER_FROM, "FORMAT",
     "what each FILE is: fxt; gdb, a log of backtraces of all threads; osdk-json, the "
     "captures of cargo-osdk; or folded, lines of stacks (default: recognised by its "
     "first bytes)"},
    {"region", LETTER_REGION, NULL, "each FILE is a region, one CPU's sampler buffer"},
    {"archive", LETTER_ARCHIVE, NULL,
     "each FILE is an archive, a trace file (default: an archive if it starts with the "
     "magic number)"},
    {"region-size", LETTER_REGION_SIZE, "SIZE",
     "each FILE is regions of SIZE bytes, one after the other (suffixes K, M, G)"},
    {"cpu", LETTER_CPU, "N",
     "the next FILE is of CPU N, and its further regions of the next CPUs"},
    {"byte-order", LETTER_BYTE_ORDER, "ORDER",
     "little or big (default: from the magic number, else little)"},
    {"ticks-per-second", LETTER_TICKS, "RATE",
     "the clock rate of what does not state it, such as regions"},
    {"sampler", LETTER_SAMPLER, "NAME",
     "zircon-arm64 for regions of that sampler, whose PCs need correction (default: "
     "any)"},
    {"resync", LETTER_RESYNC, NULL, "after damage, look for the next plausible record"},
    {NULL, 0, NULL, NULL},
};

const struct option_entry options_parallel[] = {
    {"threads", LETTER_THREADS, "N",
     "read regions on N threads (default: one for each processor)"},
    {NULL, 0, NULL, NULL},
};

static bool take_sampler(struct options *o, const char *value)
{
    o->build.is_zircon_arm64 = strcmp(value, "zircon-arm64") == 0;
    return o->build.is_zircon_arm64 || strcmp(value, "any") == 0;
}

/* The content of all inputs. */
static bool take_from(struct options *o, const char *name)
{
    static const char *const names[] = {[FXT_PROFILE_CONTENT_FXT] = "fxt",
                                        [FXT_PROFILE_CONTENT_GDB_LOG] = "gdb",
                                        [FXT_PROFILE_CONTENT_OSDK_JSON] = "osdk-json",
                                        [FXT_PROFILE_CONTENT_FOLDED] = "folded"};

    for (size_t i = FXT_PROFILE_CONTENT_FXT; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0)
            o->input.content = (enum fxt_profile_content)i;
    }
    return o->input.content != FXT_PROFILE_CONTENT_ANY;
}

static bool take_cpu(struct options *o, const char *value)
{
    uint64_t cpu;

    if (!parse_u64(value, &cpu) || cpu > CPU_MAX)
        return false;
    o->has_cpu = true;
    o->cpu = (uint32_t)cpu;
    return true;
}

static bool take_threads(struct options *o, const char *value)
{
    uint64_t n;

    if (!parse_u64(value, &n) || n == 0 || n > PARALLEL_MAX)
        return false;
    o->build.n_threads = (uint32_t)n;
    return true;
}

bool options_take_reading(struct options *o, int letter, const char *value)
{
    switch ((enum letter)letter) {
    case LETTER_ARCHIVE:
        o->input.stream = FXT_STREAM_ARCHIVE;
        return true;
    case LETTER_BYTE_ORDER:
        return parse_byte_order(value, &o->input.byte_order);
    case LETTER_CPU:
        return take_cpu(o, value);
    case LETTER_FROM:
        return take_from(o, value);
    case LETTER_REGION:
        o->input.stream = FXT_STREAM_REGION;
        return true;
    case LETTER_REGION_SIZE:
        return parse_size(value, &o->input.region_size) && o->input.region_size > 0 &&
               o->input.region_size % FXT_WORD_BYTES == 0;
    case LETTER_RESYNC:
        o->build.resync = true;
        return true;
    case LETTER_SAMPLER:
        return take_sampler(o, value);
    case LETTER_THREADS:
        return take_threads(o, value);
    case LETTER_TICKS:
        return parse_u64(value, &o->build.ticks_per_second) &&
               o->build.ticks_per_second > 0;
    }
    return false;
}

bool options_have_standard_input(const struct options *options)
{
    for (size_t i = 0; i < options->n_files; i++) {
        if (strcmp(options->files[i].path, "-") == 0)
            return true;
    }
    return false;
}
