/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/common.h>

#include "common/base/parse.h"
#include "events/event_options.h"
#include "option_values.h"
#include "options_check.h"
#include "tools/common/option_table.h"
#include "tools/common/report.h"
#include "common/base/text.h"

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

enum {
    OPTION_ARCHITECTURE = OPTION_FIRST_LONG,
    OPTION_BACKTRACES,
    OPTION_BUFFER_SIZE,
    OPTION_CALL_GRAPH,
    OPTION_CGROUP,
    OPTION_COMPRESS,
    OPTION_ELF,
    OPTION_EMBED_SYMBOLS,
    OPTION_GDB,
    OPTION_INTERVAL,
    OPTION_KEEP,
    OPTION_KERNEL,
    OPTION_LAST,
    OPTION_MAX_SIZE,
    OPTION_METHOD,
    OPTION_NO_DEBUGINFOD,
    OPTION_NO_PROGRAM_TRACES,
    OPTION_OFF_CPU,
    OPTION_PERIOD,
    OPTION_REGIONS,
    OPTION_ROTATE,
    OPTION_SAMPLES,
    OPTION_STACK_SIZE,
    OPTION_TRACE,
    OPTION_USER,
    OPTION_WITH_GDB
};

static const struct option_entry options_taken[] = {
    {"frequency", 'F', "HZ", "samples a second on each CPU (default: 997)"},
    {"period", OPTION_PERIOD, "TIME",
     "the same as the time between two, such as 1ms or 250us"},
    {"pid", 'p', "PID,...", "these processes, until the last one ends"},
    {"tid", 't', "TID,...", "these threads"},
    {"cgroup", OPTION_CGROUP, "PATH",
     "this control group, such as that of a container, and those below it"},
    {"all", 'a', NULL, "everything, but for idle CPUs"},
    {"duration", 'd', "TIME",
     "stop after this time: seconds, or with a unit (ms, us, s)"},
    {"buffer-size", OPTION_BUFFER_SIZE, "SIZE",
     "how much memory there is for samples of each CPU (default: 64M)"},
    {"kernel", OPTION_KERNEL, NULL, "only what runs in the kernel"},
    {"user", OPTION_USER, NULL, "only what runs outside it"},
    {"method", OPTION_METHOD, "METHOD", "perf or signal (default: perf, else signal)"},
    {"event", 'e', "EVENT,...",
     "what is sampled: cpu-clock (the default), task-clock, cycles, instructions, "
     "cache-misses, branch-misses, page-faults, context-switches and others"},
    {"count", 'c', "N",
     "of events that are no clocks, a sample for every N (default: adapted to -F)"},
    {"trace", OPTION_TRACE, NULL,
     "what the scheduler does, too: context switches and wakeups"},
    {"off-cpu", OPTION_OFF_CPU, NULL,
     "the same, with the stack of each thread where it is switched out"},
    {"call-graph", OPTION_CALL_GRAPH, "HOW",
     "find callers by unwind tables (dwarf) or by frame pointers (fp), or by tables "
     "where "
     "that is supported (auto, the default)"},
    {"stack-size", OPTION_STACK_SIZE, "SIZE",
     "how much of a stack is unwound by tables (default, and at most: 65528)"},
    {"backtraces", OPTION_BACKTRACES, NULL,
     "profiler backtraces in place of large blobs"},
    {"output", 'o', "FILE", "the archive (default: trace.fxt)"},
    {"compress", OPTION_COMPRESS, NULL,
     "compress it by zstd while it is recorded (default: to trace.fxt.zst)"},
    {"max-size", OPTION_MAX_SIZE, "SIZE", "stop before the archive is larger than this"},
    {"rotate", OPTION_ROTATE, "SIZE",
     "begin another archive when one has this size: trace.0001.fxt and so on"},
    {"keep", OPTION_KEEP, "N", "with --rotate, keep only so many, and remove the oldest"},
    {"last", OPTION_LAST, "TIME",
     "keep only the samples of the last seconds, in memory; write them at the end, and "
     "with SIGUSR2"},
    {"embed-symbols", OPTION_EMBED_SYMBOLS, NULL,
     "store the functions, lines and inlined calls at all addresses at the end of the "
     "archive"},
    {"no-debuginfod", OPTION_NO_DEBUGINFOD, NULL,
     "with --embed-symbols, do not request missing files from the servers in "
     "DEBUGINFOD_URLS"},
    {"no-program-traces", OPTION_NO_PROGRAM_TRACES, NULL,
     "without what programs trace with fxt/trace.h, which is merged into the archive "
     "otherwise"},
    {"regions", OPTION_REGIONS, "DIR",
     "each CPU's region as it is, cpu0.bin and so on, and names.fxt with all that is not "
     "a sample"},
    {"gdb", OPTION_GDB, "HOST:PORT|SOCKET",
     "stop the target of this debug stub again and again"},
    {"samples", OPTION_SAMPLES, "N", "how many times (default: 200)"},
    {"interval", OPTION_INTERVAL, "TIME", "how long it runs in between (default: 0.1s)"},
    {"architecture", OPTION_ARCHITECTURE, "NAME",
     "of the target, if the stub does not state it: x86-64, aarch64 or riscv64"},
    {"with-gdb", OPTION_WITH_GDB, "[=PROGRAM]",
     "let gdb do it, which needs no frame pointers but much more time, and leave its log "
     "(default: in trace.log), which fxt2folded and fxt2pprof read"},
    {"elf", OPTION_ELF, "FILE", "a file that the target runs, for unwinding"},
    {"quiet", 'q', NULL, "print errors only"},
    {"help", 'h', NULL, "print this and exit"},
    {"version", 'V', NULL, "print the version and exit"},
    {NULL, 0, NULL, NULL},
};

static const struct option_group groups[] = {
    {NULL, options_taken},
    {NULL, NULL},
};

/* Ends the program with text as its only result. */
static void exit_with(const char *text)
{
    if (fputs(text, stdout) < 0 || fclose(stdout) != 0) {
        complain(FXTRECORD_PROGRAM, "standard output", "cannot be written");
        exit(FXTRECORD_FAILED);
    }
    exit(0);
}

static void exit_with_version(void)
{
    struct text line = {NULL, 0, 0};

    text_printf(&line, "%s %s\n", FXTRECORD_PROGRAM, fxt_version());
    text_char(&line, '\0');
    exit_with(line.data);
}

static void exit_with_help(void)
{
    struct text help = {NULL, 0, 0};

    text_str(&help, usage);
    option_table_help(&help, groups, 26);
    text_str(&help, statuses);
    text_char(&help, '\0');
    exit_with(help.data);
}

/* ---- Options ----------------------------------------------------------------------- */

/* Takes an option about what becomes of the samples; returns false for any other. */
static bool take_file_option(struct record_options *o, int option, const char *value)
{
    switch (option) {
    case 'o':
        o->output = value;
        return true;
    case OPTION_REGIONS:
        o->regions = value;
        return true;
    case OPTION_COMPRESS:
        o->compresses = true;
        return true;
    case OPTION_MAX_SIZE:
        o->max_bytes = option_file_size(value);
        return true;
    case OPTION_ROTATE:
        o->rotate_bytes = option_file_size(value);
        return true;
    case OPTION_KEEP:
        o->n_kept = option_kept(value);
        return true;
    case OPTION_NO_DEBUGINFOD:
        o->no_debuginfod = true;
        return true;
    case OPTION_NO_PROGRAM_TRACES:
        o->no_program_traces = true;
        return true;
    case OPTION_EMBED_SYMBOLS:
        o->embeds_symbols = true;
        return true;
    case OPTION_LAST:
        o->last_ns = option_last(value);
        return true;
    default:
        return false;
    }
}

static void add_elf_file(struct record_options *o, const char *name)
{
    o->elf_files =
        memory_reallocate(o->elf_files, (o->n_elf_files + 1) * sizeof(*o->elf_files));
    o->elf_files[o->n_elf_files++] = name;
}

/* Takes an option about debug stubs; returns false for any other. */
static bool take_gdb_option(struct record_options *o, int option, const char *value)
{
    switch (option) {
    case OPTION_ARCHITECTURE:
        o->machine = option_architecture(value);
        break;
    case OPTION_ELF:
        add_elf_file(o, value);
        break;
    case OPTION_GDB:
        o->gdb = value;
        break;
    case OPTION_INTERVAL:
        o->interval_ns = option_interval(value);
        break;
    case OPTION_SAMPLES:
        o->n_captures = option_samples(value);
        break;
    case OPTION_WITH_GDB:
        o->with_gdb = value != NULL ? value : "gdb";
        break;
    default:
        return false;
    }
    o->has_gdb_option = true;
    return true;
}

static void add_target(struct record_options *o, struct record_target target)
{
    o->targets = memory_reallocate(o->targets, (o->n_targets + 1) * sizeof(*o->targets));
    o->targets[o->n_targets++] = target;
}

/* Numbers separated by commas. */
static void take_ids(struct record_options *o, enum fxt_sampler_target target,
                     const char *value)
{
    char *list = memory_copy_string(value);
    char *rest = list;
    char *word;

    while ((word = strsep(&rest, ",")) != NULL) {
        uint64_t id;

        if (!parse_u64(word, &id) || id == 0 || id > INT32_MAX)
            options_refuse("-p and -t take numbers separated by commas");
        add_target(o, (struct record_target){.kind = target, .id = (pid_t)id});
    }
    memory_release(list);
}

static void take_option(struct record_options *o, int option, const char *value)
{
    if (take_gdb_option(o, option, value) || take_file_option(o, option, value))
        return;
    switch (option) {
    case 'F':
        o->period_ns = option_frequency(value);
        break;
    case OPTION_PERIOD:
        o->period_ns = option_period(value);
        break;
    case 'p':
        take_ids(o, FXT_SAMPLER_PROCESS, value);
        break;
    case 't':
        take_ids(o, FXT_SAMPLER_THREAD, value);
        break;
    case 'a':
        o->is_system = true;
        break;
    case OPTION_CGROUP:
        add_target(o, (struct record_target){.kind = FXT_SAMPLER_CGROUP, .name = value});
        break;
    case 'd':
        o->duration_ns = option_duration(value);
        break;
    case OPTION_BUFFER_SIZE:
        o->buffer_size = option_buffer_size(value);
        break;
    case OPTION_KERNEL:
        o->flags |= FXT_SAMPLER_KERNEL_ONLY;
        break;
    case OPTION_USER:
        o->flags |= FXT_SAMPLER_USER_ONLY;
        break;
    case OPTION_METHOD:
        o->method = option_method(value);
        break;
    case OPTION_CALL_GRAPH:
        o->call_graph = option_call_graph(value);
        break;
    case OPTION_STACK_SIZE:
        o->stack_size = option_stack_size(value);
        break;
    case 'e':
        event_options_take(o, value);
        break;
    case 'c':
        o->source_count = option_count(value);
        break;
    case OPTION_TRACE:
        o->flags |= FXT_SAMPLER_SCHEDULING;
        break;
    case OPTION_OFF_CPU:
        o->flags |= FXT_SAMPLER_SCHEDULING | FXT_SAMPLER_OFF_CPU;
        break;
    case OPTION_BACKTRACES:
        o->flags |= FXT_SAMPLER_BACKTRACES;
        break;
    case 'q':
        o->quiet = true;
        break;
    case 'h':
        exit_with_help();
        break;
    case 'V':
        exit_with_version();
        break;
    default:
        /* getopt_long has reported what is wrong. */
        complain(FXTRECORD_PROGRAM, NULL, "try %s --help", FXTRECORD_PROGRAM);
        exit(FXTRECORD_USAGE);
    }
}

void options_read(struct record_options *options, int argc, char **argv)
{
    struct option_table table;
    int option;

    *options = (struct record_options){.buffer_size = 64 << 20,
                                       .n_captures = 200,
                                       .interval_ns = 100000000,
                                       .argc = argc,
                                       .argv = argv};
    option_table_make(&table, groups, "+");
    /* The arguments after the command's name are the command's. */
    while ((option = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1)
        take_option(options, option, optarg);
    option_table_free(&table);
    if (optind < argc)
        options->command = argv + optind;
    event_options_settle(options);
    options_check(options);
}
