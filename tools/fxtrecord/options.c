/* SPDX-License-Identifier: BSD-2-Clause */
/* See record_options.h: the command line. */
#include "record_options.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/parse.h"
#include "tools/common/command_line.h"
#include "tools/fxtrecord/debugger/rsp_target.h"

static const char usage[] =
    "Usage: fxtrecord [OPTION...] COMMAND [ARGUMENT...]\n"
    "       fxtrecord [OPTION...] -p PID[,PID...] | -t TID[,TID...] | --cgroup PATH | "
    "-a\n"
    "       fxtrecord [OPTION...] --gdb HOST:PORT|SOCKET\n"
    "\n"
    "Samples the stacks of a command, of processes with all their threads and children,\n"
    "of single threads, of control groups, or of the whole system, or of several of "
    "these,\n"
    "and writes them as an FXT archive; or of all CPUs of a machine through a debug "
    "stub,\n"
    "such as qemu's.\n";

static const char statuses[] =
    "\n"
    "Exit status: the command's; without one 0; 1 if nothing could be recorded or\n"
    "written; 2 if the command line could not be used.\n";

/* ---- Values ------------------------------------------------------------------------ */

static const char *const methods[] = {
    [FXT_SAMPLER_PERF] = "perf", [FXT_SAMPLER_SIGNAL] = "signal"};

static const char *const call_graphs[] = {[FXT_SAMPLER_CALL_GRAPH_AUTO] = "auto",
                                          [FXT_SAMPLER_UNWIND_TABLES] = "dwarf",
                                          [FXT_SAMPLER_FRAME_POINTERS] = "fp"};

#define FILE_SIZE_MIN 65536
#define FILE_SIZE_REFUSAL                                                                \
    "--max-size and --rotate take a number of bytes from 64K on, such as 100M or 2G"

static bool take_frequency(struct option_given *given)
{
    struct record_options *o = given->options;
    uint64_t hz;

    if (!parse_u64(given->value, &hz) || hz == 0 || hz > 100000)
        return false;
    o->period_ns = 1000000000 / hz;
    return true;
}

static bool take_stack_size(struct option_given *given)
{
    struct record_options *o = given->options;
    uint64_t size;

    if (!parse_size(given->value, &size) || size == 0 || size % 8 != 0 ||
        size > FXT_SAMPLER_STACK_SIZE_MAX)
        return false;
    o->stack_size = (uint32_t)size;
    return true;
}

static void add_target(struct record_options *o, struct record_target target)
{
    o->targets = memory_reallocate(o->targets, (o->n_targets + 1) * sizeof(*o->targets));
    o->targets[o->n_targets++] = target;
}

/* Numbers separated by commas. */
static bool take_ids(struct option_given *given, enum fxt_sampler_target target)
{
    char *rest = memory_copy_string(given->value);

    while (rest != NULL) {
        uint64_t id;

        if (!parse_u64(strsep(&rest, ","), &id) || id == 0 || id > INT32_MAX)
            return false;
        add_target(given->options,
                   (struct record_target){.kind = target, .id = (pid_t)id});
    }
    return true;
}

static bool take_processes(struct option_given *given)
{
    return take_ids(given, FXT_SAMPLER_PROCESS);
}

static bool take_threads(struct option_given *given)
{
    return take_ids(given, FXT_SAMPLER_THREAD);
}

static bool take_cgroup(struct option_given *given)
{
    add_target(given->options,
               (struct record_target){.kind = FXT_SAMPLER_CGROUP, .name = given->value});
    return true;
}

static bool take_events(struct option_given *given)
{
    event_options_take(given->options, given->value);
    return true;
}

static bool take_architecture(struct option_given *given)
{
    struct record_options *o = given->options;

    o->machine = rsp_machine_named(given->value);
    return o->machine != RSP_UNKNOWN_MACHINE;
}

static bool take_gdb(struct option_given *given)
{
    struct record_options *o = given->options;

    o->with_gdb = given->value != NULL ? given->value : "gdb";
    return true;
}

/* ---- Options ----------------------------------------------------------------------- */

#define OPTION_STRUCT struct record_options

static const struct option_entry options_taken[] = {
    {"frequency", 'F', "HZ",
     OPTION_VALUE(
         OPTION_CALL_(take_frequency),
         OPTION_REFUSAL_("-F takes a number of samples a second, from 1 to 100000")),
     "samples a second on each CPU (default: 997)"},
    {"period", 0, "TIME",
     OPTION_VALUE(OPTION_NUMBER_(period_ns, parse_duration, FXT_SAMPLER_PERIOD_MIN_NS,
                                 FXT_SAMPLER_PERIOD_MAX_NS),
                  OPTION_REFUSAL_("--period takes a time from 10us on, such as 1ms")),
     "the same as the time between two, such as 1ms or 250us"},
    {"pid", 'p', "PID,...",
     OPTION_VALUE(OPTION_CALL_(take_processes),
                  OPTION_REFUSAL_("-p and -t take numbers separated by commas")),
     "these processes, until the last one ends"},
    {"tid", 't', "TID,...",
     OPTION_VALUE(OPTION_CALL_(take_threads),
                  OPTION_REFUSAL_("-p and -t take numbers separated by commas")),
     "these threads"},
    {"cgroup", 0, "PATH", OPTION_CALL(take_cgroup),
     "this control group, such as that of a container, and those below it"},
    {"all", 'a', NULL, OPTION_FLAG(is_system), "everything, but for idle CPUs"},
    {"duration", 'd', "TIME",
     OPTION_VALUE(OPTION_NUMBER_(duration_ns, parse_time, 1, UINT64_MAX),
                  OPTION_REFUSAL_("-d takes a time above 0, such as 10 or 500ms")),
     "stop after this time: seconds, or with a unit (ms, us, s)"},
    {"buffer-size", 0, "SIZE",
     OPTION_VALUE(
         OPTION_NUMBER_(buffer_size, parse_size, 1, FXT_SAMPLER_BUFFER_SIZE_MAX),
         OPTION_REFUSAL_(
             "--buffer-size takes a number of bytes up to 1G, such as 65536 or 4M")),
     "how much memory there is for samples of each CPU (default: 64M)"},
    {"kernel", 0, NULL, OPTION_BITS(flags, FXT_SAMPLER_KERNEL_ONLY),
     "only what runs in the kernel"},
    {"user", 0, NULL, OPTION_BITS(flags, FXT_SAMPLER_USER_ONLY),
     "only what runs outside it"},
    {"method", 0, "METHOD",
     OPTION_VALUE(OPTION_WORD_(method, methods),
                  OPTION_REFUSAL_("--method is perf or signal")),
     "perf or signal (default: perf, else signal)"},
    {"event", 'e', "EVENT,...", OPTION_CALL(take_events),
     "what is sampled: cpu-clock (the default), task-clock, cycles, instructions, "
     "cache-misses, branch-misses, page-faults, context-switches and others"},
    {"count", 'c', "N",
     OPTION_VALUE(OPTION_NUMBER_(source_count, parse_u64, 1, INT64_MAX),
                  OPTION_REFUSAL_("--count takes a number of events above 0")),
     "of events that are no clocks, a sample for every N (default: adapted to -F)"},
    {"trace", 0, NULL, OPTION_BITS(flags, FXT_SAMPLER_SCHEDULING),
     "what the scheduler does, too: context switches and wakeups"},
    {"off-cpu", 0, NULL, OPTION_BITS(flags, FXT_SAMPLER_SCHEDULING | FXT_SAMPLER_OFF_CPU),
     "the same, with the stack of each thread where it is switched out"},
    {"call-graph", 0, "HOW",
     OPTION_VALUE(OPTION_WORD_(call_graph, call_graphs),
                  OPTION_REFUSAL_("--call-graph is auto, dwarf or fp")),
     "find callers by unwind tables (dwarf) or by frame pointers (fp), or by tables "
     "where "
     "that is supported (auto, the default)"},
    {"stack-size", 0, "SIZE",
     OPTION_VALUE(OPTION_CALL_(take_stack_size),
                  OPTION_REFUSAL_("--stack-size takes a number of bytes up to 65528, a "
                                  "multiple of 8, such as 16K")),
     "how much of a stack is unwound by tables (default, and at most: 65528)"},
    {"backtraces", 0, NULL, OPTION_BITS(flags, FXT_SAMPLER_BACKTRACES),
     "profiler backtraces in place of large blobs"},
    {"output", 'o', "FILE", OPTION_STRING(output), "the archive (default: trace.fxt)"},
    {"compress", 0, NULL, OPTION_FLAG(compresses),
     "compress it by zstd while it is recorded (default: to trace.fxt.zst)"},
    {"max-size", 0, "SIZE",
     OPTION_VALUE(OPTION_NUMBER_(max_bytes, parse_size, FILE_SIZE_MIN, UINT64_MAX),
                  OPTION_REFUSAL_(FILE_SIZE_REFUSAL)),
     "stop before the archive is larger than this"},
    {"rotate", 0, "SIZE",
     OPTION_VALUE(OPTION_NUMBER_(rotate_bytes, parse_size, FILE_SIZE_MIN, UINT64_MAX),
                  OPTION_REFUSAL_(FILE_SIZE_REFUSAL)),
     "begin another archive when one has this size: trace.0001.fxt and so on"},
    {"keep", 0, "N",
     OPTION_VALUE(OPTION_NUMBER_(n_kept, parse_u64, 1, UINT64_MAX),
                  OPTION_REFUSAL_("--keep takes a number above 0")),
     "with --rotate, keep only so many, and remove the oldest"},
    {"note-removed", 0, NULL, OPTION_FLAG(notes_removed),
     "with --keep, leave an empty file for each that is removed, which fxtship sends as "
     "a "
     "loss"},
    {"last", 0, "TIME",
     OPTION_VALUE(
         OPTION_NUMBER_(last_ns, parse_time, 1, FXT_SAMPLER_PERIOD_MAX_NS),
         OPTION_REFUSAL_("--last takes a time up to a day, such as 30 or 500ms")),
     "keep only the samples of the last seconds, in memory; write them at the end, and "
     "with SIGUSR2"},
    {"embed-symbols", 0, NULL, OPTION_FLAG(embeds_symbols),
     "store the functions, lines and inlined calls at all addresses at the end of the "
     "archive"},
    {"no-debuginfod", 0, NULL, OPTION_FLAG(no_debuginfod),
     "with --embed-symbols, do not request missing files from the servers in "
     "DEBUGINFOD_URLS"},
    {"no-program-traces", 0, NULL, OPTION_FLAG(no_program_traces),
     "without what programs trace with fxt/trace.h, which is merged into the archive "
     "otherwise"},
    {"regions", 0, "DIR", OPTION_STRING(regions),
     "each CPU's region as it is, cpu0.bin and so on, and names.fxt with all that is not "
     "a sample"},
    {"gdb", 0, "HOST:PORT|SOCKET",
     OPTION_VALUE(OPTION_STRING_(gdb), OPTION_FLAG_(has_gdb_option)),
     "stop the target of this debug stub again and again"},
    {"samples", 0, "N",
     OPTION_VALUE(OPTION_NUMBER_(n_captures, parse_u64, 1, UINT64_MAX),
                  OPTION_FLAG_(has_gdb_option),
                  OPTION_REFUSAL_("--samples takes a number above 0")),
     "how many times (default: 200)"},
    {"interval", 0, "TIME",
     OPTION_VALUE(
         OPTION_NUMBER_(interval_ns, parse_time, 0, FXT_SAMPLER_PERIOD_MAX_NS),
         OPTION_FLAG_(has_gdb_option),
         OPTION_REFUSAL_("--interval takes a time up to a day, such as 0.1 or 50ms")),
     "how long it runs in between (default: 0.1s)"},
    {"architecture", 0, "NAME",
     OPTION_VALUE(OPTION_CALL_(take_architecture), OPTION_FLAG_(has_gdb_option),
                  OPTION_REFUSAL_("--architecture is x86-64, aarch64 or riscv64")),
     "of the target, if the stub does not state it: x86-64, aarch64 or riscv64"},
    {"with-gdb", 0, "[=PROGRAM]",
     OPTION_VALUE(OPTION_CALL_(take_gdb), OPTION_FLAG_(has_gdb_option)),
     "let gdb do it, which needs no frame pointers but much more time, and leave its log "
     "(default: in trace.log), which fxt2folded and fxt2pprof read"},
    {"elf", 0, "FILE",
     OPTION_VALUE(OPTION_LIST_(elf_files), OPTION_FLAG_(has_gdb_option)),
     "a file that the target runs, for unwinding"},
    {"quiet", 'q', NULL, OPTION_FLAG(quiet), "print errors only"},
    {"help", 'h', NULL, OPTION_NOTHING, "print this and exit"},
    {"version", 'V', NULL, OPTION_NOTHING, "print the version and exit"},
    OPTIONS_END,
};

static const struct option_group groups[] = {
    {NULL, options_taken},
    {NULL, NULL},
};

void options_read(struct record_options *options, int argc, char **argv)
{
    /* The arguments after the command's name are the command's. */
    static const struct command_line line = {.program = FXTRECORD_PROGRAM,
                                             .usage = usage,
                                             .groups = groups,
                                             .column = 26,
                                             .ending = statuses,
                                             .mode = "+"};
    int status;

    *options = (struct record_options){.buffer_size = 64 << 20,
                                       .n_captures = 200,
                                       .interval_ns = 100000000,
                                       .argc = argc,
                                       .argv = argv};
    status = command_line_read(&line, options, argc, argv);
    if (status >= 0)
        exit(status);
    if (optind < argc)
        options->command = argv + optind;
    event_options_settle(options);
    options_check(options);
}
