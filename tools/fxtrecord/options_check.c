/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_check.h. */
#include "options_check.h"

#include <stdlib.h>

#include "tools/common/output_name.h"
#include "tools/common/report.h"

_Noreturn void options_refuse(const char *message)
{
    complain(FXTRECORD_PROGRAM, NULL, "%s; try %s --help", message, FXTRECORD_PROGRAM);
    exit(FXTRECORD_USAGE);
}

/* Options about what is sampled, and how often, are not for debug stubs. */
static void check_gdb_options(struct record_options *o)
{
    const uint32_t modes =
        FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_USER_ONLY | FXT_SAMPLER_CYCLES;

    if (o->command != NULL || o->target != 0)
        options_refuse("--gdb, a command, -p, -t and -a exclude each other");
    if (o->period_ns != 0 || o->method != FXT_SAMPLER_AUTO || (o->flags & modes) != 0)
        options_refuse("--gdb samples everything, every --interval: it takes none of -F, "
                       "--period, --method, --event, --kernel, --user");
    if (o->call_graph != FXT_SAMPLER_CALL_GRAPH_AUTO || o->stack_size != 0)
        options_refuse("--gdb takes neither --call-graph nor --stack-size");
    if (o->elf != NULL && o->with_gdb == NULL)
        options_refuse("--elf is for --with-gdb; without it give the file to fxt2folded");
    if (o->regions != NULL && o->with_gdb != NULL)
        options_refuse("--with-gdb writes a log, and no regions");
    if (o->output == NULL && o->with_gdb != NULL)
        o->output = "trace.log";
}

/* gdb's log is text. */
static bool has_suitable_name(const struct record_options *o)
{
    if (o->with_gdb != NULL)
        return output_name_check_text(FXTRECORD_PROGRAM, o->output, false);
    return output_name_check_archive(FXTRECORD_PROGRAM, o->output);
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
    else if (o->command == NULL && o->target == 0)
        options_refuse("nothing to record: give a command, -p, -t, -a or --gdb");
    if (o->command != NULL && o->target != 0)
        options_refuse("a command, -p, -t and -a exclude each other");
    if ((o->flags & both) == both)
        options_refuse("--kernel and --user exclude each other");
    if ((o->flags & only_perf) != 0 && o->method == FXT_SAMPLER_SIGNAL)
        options_refuse("--method signal cannot sample the kernel, or count cycles");
    if (o->stack_size != 0 && o->call_graph == FXT_SAMPLER_FRAME_POINTERS)
        options_refuse("--stack-size is for unwind tables, not for --call-graph fp");
    if (o->output != NULL && o->regions != NULL)
        options_refuse("-o and --regions exclude each other");
    if (o->output == NULL)
        o->output = "trace.fxt";
    if (!has_suitable_name(o))
        exit(FXTRECORD_USAGE);
}
