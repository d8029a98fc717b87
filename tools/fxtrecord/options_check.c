/* SPDX-License-Identifier: BSD-2-Clause */
/* See record_options.h: which options fit together. */
#include "record_options.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/io/zstd.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"

_Noreturn void options_refuse(const char *message)
{
    exit(program_refuse(FXTRECORD_PROGRAM, message));
}

/* Options about what is sampled, and how often, are not for debug stubs. */
static void check_gdb_options(struct record_options *o)
{
    const uint32_t modes = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_USER_ONLY |
                           FXT_SAMPLER_CYCLES | FXT_SAMPLER_SCHEDULING;

    if (o->command != NULL || o->n_targets > 0 || o->is_system)
        options_refuse("--gdb excludes a command, -p, -t, --cgroup and -a");
    if (o->n_sources > 0 || o->source_count > 0 || o->period_ns != 0 ||
        o->method != FXT_SAMPLER_AUTO || (o->flags & modes) != 0)
        options_refuse(
            "--gdb samples everything, every --interval: it takes none of -F, "
            "--period, --method, --event, --count, --kernel, --user, --trace, --off-cpu");
    if (o->call_graph != FXT_SAMPLER_CALL_GRAPH_AUTO || o->stack_size != 0)
        options_refuse("--gdb takes neither --call-graph nor --stack-size");
    if (o->elf_files.n > 1 && o->with_gdb != NULL)
        options_refuse("--with-gdb takes one --elf");
    if (o->regions != NULL && o->with_gdb != NULL)
        options_refuse("--with-gdb writes a log, and no regions");
    if (o->output == NULL && o->with_gdb != NULL)
        o->output = "trace.log";
}

bool options_have_cgroup(const struct record_options *o)
{
    for (size_t i = 0; i < o->n_targets; i++) {
        if (o->targets[i].kind == FXT_SAMPLER_CGROUP)
            return true;
    }
    return false;
}

static void check_trace(const struct record_options *o)
{
    if ((o->flags & FXT_SAMPLER_SCHEDULING) == 0)
        return;
    if (o->method == FXT_SAMPLER_SIGNAL)
        options_refuse("--trace and --off-cpu need perf events, not --method signal");
    if (options_have_cgroup(o))
        options_refuse("--trace and --off-cpu exclude --cgroup: take -a, or processes");
}

bool options_sample_clock(const struct record_options *o)
{
    static const char *const names[] = {"cpu-clock", "task-clock"};

    for (uint32_t i = 0; i < o->n_sources; i++) {
        for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
            struct fxt_sampler_source clock;

            if (fxt_sampler_find_source(names[j], &clock) &&
                clock.type == o->sources[i].type && clock.config == o->sources[i].config)
                return true;
        }
    }
    return o->n_sources == 0;
}

/* gdb's log is text. */
static bool has_suitable_name(const struct record_options *o)
{
    if (o->with_gdb != NULL)
        return output_name_check_text(FXTRECORD_PROGRAM, o->output, false);
    if (o->compresses)
        return output_name_check_zstd(FXTRECORD_PROGRAM, o->output);
    return output_name_check_archive(FXTRECORD_PROGRAM, o->output);
}

static void check_files(const struct record_options *o)
{
    bool has_sizes = o->max_bytes > 0 || o->rotate_bytes > 0;

    if (o->output != NULL && o->regions != NULL)
        options_refuse("-o and --regions exclude each other");
    if ((has_sizes || o->last_ns > 0) && (o->regions != NULL || o->with_gdb != NULL))
        options_refuse("--max-size, --rotate and --last are for archives: not for "
                       "--regions or --with-gdb");
    if (o->compresses && (o->regions != NULL || o->with_gdb != NULL))
        options_refuse("--compress is for archives: not for --regions or --with-gdb");
    if (o->compresses && !zstd_exists())
        options_refuse("--compress needs libzstd, which this build lacks");
    if (o->embeds_symbols && (o->regions != NULL || o->gdb != NULL))
        options_refuse("--embed-symbols is for archives of this machine: not for "
                       "--regions or --gdb");
    if (o->no_debuginfod && !o->embeds_symbols)
        options_refuse("--no-debuginfod is for --embed-symbols");
    if ((o->max_bytes > 0) + (o->rotate_bytes > 0) + (o->last_ns > 0) > 1)
        options_refuse("--max-size, --rotate and --last exclude each other");
    if (o->n_kept > 0 && o->rotate_bytes == 0)
        options_refuse("--keep is for --rotate");
    if (o->notes_removed && o->n_kept == 0)
        options_refuse("--note-removed is for --keep");
    if (o->last_ns > 0 && (o->gdb != NULL || o->method == FXT_SAMPLER_SIGNAL))
        options_refuse("--last is for perf events: not for --gdb or --method signal");
    if ((o->rotate_bytes > 0 || o->last_ns > 0 || o->embeds_symbols) &&
        o->output != NULL && strcmp(o->output, "-") == 0)
        options_refuse("--rotate, --last and --embed-symbols need files: not -o -");
}

void options_check(struct record_options *o)
{
    const uint32_t both = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_USER_ONLY;
    const uint32_t only_perf = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_CYCLES;

    if (o->gdb != NULL)
        check_gdb_options(o);
    else if (o->has_gdb_option)
        options_refuse(
            "--samples, --interval, --architecture, --with-gdb and --elf need --gdb");
    else if (o->command == NULL && o->n_targets == 0 && !o->is_system)
        options_refuse(
            "nothing to record: give a command, -p, -t, --cgroup, -a or --gdb");
    if ((o->flags & both) == both)
        options_refuse("--kernel and --user exclude each other");
    if ((o->flags & only_perf) != 0 && o->method == FXT_SAMPLER_SIGNAL)
        options_refuse("--method signal cannot sample the kernel, or count cycles");
    check_trace(o);
    if (o->source_count > 0 && o->period_ns > 0 && !options_sample_clock(o))
        options_refuse("-F and --period are for clocks: with --count, they mean nothing "
                       "to other events");
    if (o->stack_size != 0 && o->call_graph == FXT_SAMPLER_FRAME_POINTERS)
        options_refuse("--stack-size is for unwind tables, not for --call-graph fp");
    check_files(o);
    if (o->output == NULL)
        o->output = o->compresses ? "trace.fxt.zst" : "trace.fxt";
    o->compresses = o->compresses || output_name_ends_with(o->output, ".zst");
    if (!has_suitable_name(o))
        exit(FXTRECORD_USAGE);
}
