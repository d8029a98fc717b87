/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/common.h>

#include "base/parse.h"
#include "options_check.h"
#include "tools/common/option_table.h"
#include "tools/common/report.h"
#include "tools/fxtrecord/debugger/rsp_target.h"
#include "base/text.h"

static const char usage[] =
    "Usage: fxtrecord [OPTION...] COMMAND [ARGUMENT...]\n"
    "       fxtrecord [OPTION...] -p PID[,PID...] | -t TID[,TID...] | -a\n"
    "       fxtrecord [OPTION...] --gdb HOST:PORT|SOCKET\n"
    "\n"
    "Samples the stacks of a command, of processes with all their threads and children,\n"
    "of single threads, or of the whole system, and writes them as an FXT archive; or "
    "of\n"
    "all CPUs of a machine through a debug stub, such as qemu's.\n";

static const char statuses[] =
    "\n"
    "Exit status: the command's; without one 0; 1 if nothing could be recorded or\n"
    "written; 2 if the command line could not be used.\n";

enum {
    OPTION_ARCHITECTURE = OPTION_FIRST_LONG,
    OPTION_BACKTRACES,
    OPTION_BUFFER_SIZE,
    OPTION_CALL_GRAPH,
    OPTION_ELF,
    OPTION_EVENT,
    OPTION_GDB,
    OPTION_INTERVAL,
    OPTION_KERNEL,
    OPTION_METHOD,
    OPTION_PERIOD,
    OPTION_REGIONS,
    OPTION_SAMPLES,
    OPTION_STACK_SIZE,
    OPTION_USER,
    OPTION_WITH_GDB
};

static const struct option_entry options_taken[] = {
    {"frequency", 'F', "HZ", "samples a second on each CPU (default: 997)"},
    {"period", OPTION_PERIOD, "TIME",
     "the same as the time between two, such as 1ms or 250us"},
    {"pid", 'p', "PID,...", "these processes, until the last one ends"},
    {"tid", 't', "TID,...", "these threads"},
    {"all", 'a', NULL, "everything, but for idle CPUs"},
    {"duration", 'd', "TIME",
     "stop after this time: seconds, or with a unit (ms, us, s)"},
    {"buffer-size", OPTION_BUFFER_SIZE, "SIZE",
     "the size of each CPU's region (default: 64M)"},
    {"kernel", OPTION_KERNEL, NULL, "only what runs in the kernel"},
    {"user", OPTION_USER, NULL, "only what runs outside it"},
    {"method", OPTION_METHOD, "METHOD", "perf or signal (default: perf, else signal)"},
    {"event", OPTION_EVENT, "EVENT",
     "what the period counts: cpu-clock (the default) or cycles"},
    {"call-graph", OPTION_CALL_GRAPH, "HOW",
     "find callers by unwind tables (dwarf) or by frame pointers (fp), or by tables where "
     "that is supported (auto, the default)"},
    {"stack-size", OPTION_STACK_SIZE, "SIZE",
     "how much of a stack is unwound by tables (default: 32K; at most 65528)"},
    {"backtraces", OPTION_BACKTRACES, NULL,
     "profiler backtraces in place of large blobs"},
    {"output", 'o', "FILE", "the archive (default: trace.fxt)"},
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
    {"elf", OPTION_ELF, "FILE", "the file with the symbols, for gdb"},
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

static uint64_t period_of_frequency(const char *value)
{
    uint64_t hz;

    if (!parse_u64(value, &hz) || hz == 0 || hz > 100000)
        options_refuse("-F takes a number of samples a second, from 1 to 100000");
    return 1000000000 / hz;
}

static uint64_t period_of_time(const char *value)
{
    uint64_t ns;

    if (!parse_duration(value, &ns) || ns < FXT_SAMPLER_PERIOD_MIN_NS ||
        ns > FXT_SAMPLER_PERIOD_MAX_NS)
        options_refuse("--period takes a time from 10us on, such as 1ms");
    return ns;
}

static uint64_t take_duration(const char *value)
{
    uint64_t ns;

    if (!parse_time(value, &ns) || ns == 0)
        options_refuse("-d takes a time above 0, such as 10 or 500ms");
    return ns;
}

static uint64_t take_buffer_size(const char *value)
{
    uint64_t size;

    if (!parse_size(value, &size) || size == 0 || size > FXT_SAMPLER_BUFFER_SIZE_MAX)
        options_refuse(
            "--buffer-size takes a number of bytes up to 1G, such as 65536 or 4M");
    return size;
}

static enum fxt_sampler_method take_method(const char *value)
{
    if (strcmp(value, "perf") == 0)
        return FXT_SAMPLER_PERF;
    if (strcmp(value, "signal") != 0)
        options_refuse("--method is perf or signal");
    return FXT_SAMPLER_SIGNAL;
}

static enum fxt_sampler_call_graph take_call_graph(const char *value)
{
    if (strcmp(value, "auto") == 0)
        return FXT_SAMPLER_CALL_GRAPH_AUTO;
    if (strcmp(value, "dwarf") == 0)
        return FXT_SAMPLER_UNWIND_TABLES;
    if (strcmp(value, "fp") != 0)
        options_refuse("--call-graph is auto, dwarf or fp");
    return FXT_SAMPLER_FRAME_POINTERS;
}

static uint32_t take_stack_size(const char *value)
{
    uint64_t size;

    if (!parse_size(value, &size) || size == 0 || size % 8 != 0 ||
        size > FXT_SAMPLER_STACK_SIZE_MAX)
        options_refuse("--stack-size takes a number of bytes up to 65528, a multiple of 8, "
                       "such as 16K");
    return (uint32_t)size;
}

static void take_event(struct record_options *o, const char *value)
{
    o->flags &= ~(uint32_t)FXT_SAMPLER_CYCLES;
    if (strcmp(value, "cycles") == 0)
        o->flags |= FXT_SAMPLER_CYCLES;
    else if (strcmp(value, "cpu-clock") != 0)
        options_refuse("--event is cpu-clock or cycles");
}

static uint64_t take_samples(const char *value)
{
    uint64_t n;

    if (!parse_u64(value, &n) || n == 0)
        options_refuse("--samples takes a number above 0");
    return n;
}

static uint64_t take_interval(const char *value)
{
    uint64_t ns;

    if (!parse_time(value, &ns) || ns > FXT_SAMPLER_PERIOD_MAX_NS)
        options_refuse("--interval takes a time up to a day, such as 0.1 or 50ms");
    return ns;
}

static int take_architecture(const char *value)
{
    enum rsp_machine machine = rsp_machine_named(value);

    if (machine == RSP_UNKNOWN_MACHINE)
        options_refuse("--architecture is x86-64, aarch64 or riscv64");
    return machine;
}

/* Takes an option about debug stubs; returns false for any other. */
static bool take_gdb_option(struct record_options *o, int option, const char *value)
{
    switch (option) {
    case OPTION_ARCHITECTURE:
        o->machine = take_architecture(value);
        break;
    case OPTION_ELF:
        o->elf = value;
        break;
    case OPTION_GDB:
        o->gdb = value;
        break;
    case OPTION_INTERVAL:
        o->interval_ns = take_interval(value);
        break;
    case OPTION_SAMPLES:
        o->n_captures = take_samples(value);
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

static void set_target(struct record_options *o, enum fxt_sampler_target target)
{
    if (o->target != 0 && o->target != target)
        options_refuse("-p, -t and -a exclude each other");
    o->target = target;
}

/* Numbers separated by commas. */
static void take_ids(struct record_options *o, enum fxt_sampler_target target,
                     const char *value)
{
    char *list = memory_copy_string(value);
    char *rest = list;
    char *word;

    set_target(o, target);
    while ((word = strsep(&rest, ",")) != NULL) {
        uint64_t id;

        if (!parse_u64(word, &id) || id == 0 || id > INT32_MAX)
            options_refuse("-p and -t take numbers separated by commas");
        o->ids = memory_reallocate(o->ids, (o->n_ids + 1) * sizeof(*o->ids));
        o->ids[o->n_ids++] = (pid_t)id;
    }
    memory_release(list);
}

static void take_option(struct record_options *o, int option, const char *value)
{
    if (take_gdb_option(o, option, value))
        return;
    switch (option) {
    case 'F':
        o->period_ns = period_of_frequency(value);
        break;
    case OPTION_PERIOD:
        o->period_ns = period_of_time(value);
        break;
    case 'p':
        take_ids(o, FXT_SAMPLER_PROCESS, value);
        break;
    case 't':
        take_ids(o, FXT_SAMPLER_THREAD, value);
        break;
    case 'a':
        set_target(o, FXT_SAMPLER_SYSTEM);
        break;
    case 'd':
        o->duration_ns = take_duration(value);
        break;
    case OPTION_BUFFER_SIZE:
        o->buffer_size = take_buffer_size(value);
        break;
    case OPTION_KERNEL:
        o->flags |= FXT_SAMPLER_KERNEL_ONLY;
        break;
    case OPTION_USER:
        o->flags |= FXT_SAMPLER_USER_ONLY;
        break;
    case OPTION_METHOD:
        o->method = take_method(value);
        break;
    case OPTION_CALL_GRAPH:
        o->call_graph = take_call_graph(value);
        break;
    case OPTION_STACK_SIZE:
        o->stack_size = take_stack_size(value);
        break;
    case OPTION_EVENT:
        take_event(o, value);
        break;
    case OPTION_BACKTRACES:
        o->flags |= FXT_SAMPLER_BACKTRACES;
        break;
    case 'o':
        o->output = value;
        break;
    case OPTION_REGIONS:
        o->regions = value;
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
    options_check(options);
}
