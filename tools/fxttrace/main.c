/* SPDX-License-Identifier: BSD-2-Clause */
/* fxttrace: starts, stops and fetches the traces of programs that run, or that crashed.
 */
#include <errno.h>
#include <string.h>

#include "common/base/parse.h"
#include "actions.h"
#include "tools/common/command_line.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

static const char usage[] =
    "Usage: fxttrace [PID]\n"
    "       fxttrace --start [OPTION]... PID\n"
    "       fxttrace --stop PID\n"
    "       fxttrace --categories PATTERNS PID\n"
    "       fxttrace -o FILE PID\n"
    "       fxttrace -o FILE --core CORE\n"
    "       fxttrace -o FILE --recover STREAM\n"
    "Lists the programs that use fxt/trace.h; starts and stops their traces, switches "
    "the\n"
    "categories, and writes what they have traced, while they run or from a core dump.\n";

#define OPTION_STRUCT struct fxttrace_options

static const struct option_entry actions[] = {
    {"start", 0, NULL, OPTION_FLAG(starts),
     "start a trace to the file of -o, or else to the program's memory"},
    {"stop", 0, NULL, OPTION_FLAG(stops), "stop the trace"},
    {"core", 0, "CORE", OPTION_NAME(core), "of the program that this core dump is of"},
    {"recover", 0, "STREAM", OPTION_NAME(streamed),
     "join a stream and its .rings, which a program leaves that is killed"},
    OPTIONS_END,
};

static const struct option_entry tracing[] = {
    {"categories", 0, "PATTERNS", OPTION_STRING(categories),
     "trace these categories, as in \"net,db*\" or \"-alloc\""},
    {"size", 0, "SIZE", OPTION_NUMBER(max_bytes, parse_size, 1, UINT64_MAX),
     "the most bytes (K, M, G); 1G by default, and 64M in memory and of a stream's "
     "rings"},
    {"keep-last", 0, NULL, OPTION_FLAG(keeps_last),
     "overwrite the oldest events, rather than drop new ones"},
    {"stream", 0, NULL, OPTION_FLAG(streams),
     "write all events to the file or pipe of -o while they are traced"},
    OPTIONS_END,
};

static const struct option_entry general[] = {
    {"output", 'o', "FILE", OPTION_NAME(output), "write to FILE"},
    {"quiet", 'q', NULL, OPTION_FLAG(quiet), "print errors only"},
    OPTIONS_OF_ALL,
};

static const struct option_group groups[] = {
    {NULL, actions}, {"Starting", tracing}, {NULL, general}, {NULL, NULL}};

/* What can only be judged of all options together. */
static const char *find_fault(const struct fxttrace_options *o)
{
    bool has_file = o->core != NULL || o->streamed != NULL;

    if (has_file && (o->process != 0 || o->starts || o->stops))
        return "--core and --recover exclude PID, --start and --stop";
    if (o->core != NULL && o->streamed != NULL)
        return "--core and --recover exclude each other";
    if (o->starts && o->stops)
        return "--start and --stop exclude each other";
    if (o->process == 0 && (o->starts || o->stops || o->categories != NULL))
        return "--start, --stop and --categories need a PID";
    if (o->process == 0 && !has_file && o->output != NULL)
        return "-o needs a PID, --core or --recover";
    if (!o->starts && (o->max_bytes > 0 || o->keeps_last || o->streams))
        return "--size, --keep-last and --stream are for --start";
    if (o->streams && (o->output == NULL || o->keeps_last))
        return "--stream needs -o, and excludes --keep-last";
    if (!o->starts && (o->categories != NULL) + (o->output != NULL) + o->stops > 1)
        return "--stop, --categories and -o exclude each other without --start";
    if (o->starts && o->output != NULL && strcmp(o->output, "-") == 0)
        return "--start needs a file: not -o -";
    return NULL;
}

static bool take_process(struct fxttrace_options *o, int n, char **arguments)
{
    uint64_t id;

    if (n == 0)
        return true;
    if (n > 1 || !parse_u64(arguments[0], &id) || id == 0 || id > INT32_MAX)
        return complain(FXTTRACE_PROGRAM, NULL,
                        "one PID can be given, which is a number");
    o->process = (pid_t)id;
    return true;
}

/* Returns -1 if the options are there, or else an exit status. */
static int parse_options(struct fxttrace_options *o, int argc, char **argv)
{
    static const struct command_line line = {
        .program = FXTTRACE_PROGRAM, .usage = usage, .groups = groups, .column = 26};
    int status = command_line_read(&line, o, argc, argv);
    const char *fault;

    if (status >= 0)
        return status;
    if (!take_process(o, argc - optind, argv + optind))
        return program_refuse_usage(FXTTRACE_PROGRAM);
    fault = find_fault(o);
    if (fault != NULL)
        complain(FXTTRACE_PROGRAM, NULL, "%s", fault);
    if (fault != NULL ||
        (o->output != NULL && !output_name_check_archive(FXTTRACE_PROGRAM, o->output)))
        return program_refuse_usage(FXTTRACE_PROGRAM);
    if (o->starts && o->output == NULL && o->max_bytes == 0)
        o->max_bytes = (uint64_t)64 << 20;
    return -1;
}

static enum fxttrace_status use_core(const struct fxttrace_options *o)
{
    struct target target;
    struct text why = {NULL, 0, 0};
    enum fxttrace_status status = FXTTRACE_UNUSABLE;

    if (target_open_core(&target, o->core, &why))
        status = fetch(&target, o->core, o->output);
    else
        complain_text(FXTTRACE_PROGRAM, o->core, &why);
    target_close(&target);
    return status;
}

static enum fxttrace_status use_target(const struct fxttrace_options *o,
                                       const struct target *target, const char *name)
{
    if (o->starts)
        return control_start(target, name, o);
    if (o->stops)
        return control_stop(target, name);
    if (o->categories != NULL)
        return control_switch(target, name, o->categories);
    if (o->output != NULL)
        return fetch(target, name, o->output);
    return list_one(target, name);
}

static enum fxttrace_status use_process(const struct fxttrace_options *o,
                                        const char *name)
{
    bool writes = o->starts || o->stops || o->categories != NULL;
    enum fxttrace_status status;
    struct target target;

    if (!target_open_process(&target, o->process, writes)) {
        complain(FXTTRACE_PROGRAM, name, "%s",
                 errno == ENOENT ? "there is no such process" : strerror(errno));
        return FXTTRACE_UNUSABLE;
    }
    status = use_target(o, &target, name);
    target_close(&target);
    return status;
}

static int run_fxttrace(void *context, int argc, char **argv)
{
    struct fxttrace_options o = {.process = 0};
    int status = parse_options(&o, argc, argv);

    (void)context;
    if (status >= 0)
        return status;
    if (o.core != NULL)
        return use_core(&o);
    if (o.streamed != NULL)
        return recover(o.streamed, o.output);
    return o.process != 0 ? (int)use_process(&o, argv[optind]) : (int)list_all(&o);
}

int main(int argc, char **argv)
{
    return program_main(FXTTRACE_PROGRAM, run_fxttrace, NULL, argc, argv);
}
