/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtrecord: samples programs and writes a trace. Here is the command line. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/common.h>

#include "parse.h"
#include "record.h"
#include "report.h"
#include "text.h"

static const char help[] =
    "Usage: fxtrecord [OPTION...] COMMAND [ARGUMENT...]\n"
    "       fxtrecord [OPTION...] -p PID[,PID...] | -t TID[,TID...] | -a\n"
    "\n"
    "Samples the stacks of a command, of processes with all their threads and children,\n"
    "of single threads, or of the whole system, and writes them as an FXT archive.\n"
    "\n"
    "  -F, --frequency HZ      samples a second on each CPU (default: 997)\n"
    "      --period TIME       the same as the time between two, such as 1ms or 250us\n"
    "  -p, --pid PID,...       these processes, until the last one ends\n"
    "  -t, --tid TID,...       these threads\n"
    "  -a, --all               everything, but for idle CPUs\n"
    "  -d, --duration TIME     for so long: seconds, or with a unit (ms, us, s)\n"
    "      --buffer-size SIZE  the size of each CPU's region (default: 64M)\n"
    "      --kernel            only what runs in the kernel\n"
    "      --user              only what runs outside it\n"
    "      --method METHOD     perf or signal (default: perf, else signal)\n"
    "      --backtraces        profiler backtraces in place of large blobs\n"
    "  -o, --output FILE       the archive (default: trace.fxt)\n"
    "      --regions DIR       each CPU's region as it is, cpu0.bin and so on, and\n"
    "                          names.fxt with all that is not a sample\n"
    "  -q, --quiet             say nothing but what went wrong\n"
    "  -h, --help              print this and exit\n"
    "  -V, --version           print the version and exit\n"
    "\n"
    "Exit status: the command's; without one 0; 1 if nothing could be recorded or\n"
    "written; 2 if the command line could not be used.\n";

enum {
    OPTION_BACKTRACES = 256,
    OPTION_BUFFER_SIZE,
    OPTION_KERNEL,
    OPTION_METHOD,
    OPTION_PERIOD,
    OPTION_REGIONS,
    OPTION_USER
};

static const struct option long_options[] = {
    {"all", no_argument, NULL, 'a'},
    {"backtraces", no_argument, NULL, OPTION_BACKTRACES},
    {"buffer-size", required_argument, NULL, OPTION_BUFFER_SIZE},
    {"duration", required_argument, NULL, 'd'},
    {"frequency", required_argument, NULL, 'F'},
    {"help", no_argument, NULL, 'h'},
    {"kernel", no_argument, NULL, OPTION_KERNEL},
    {"method", required_argument, NULL, OPTION_METHOD},
    {"output", required_argument, NULL, 'o'},
    {"period", required_argument, NULL, OPTION_PERIOD},
    {"pid", required_argument, NULL, 'p'},
    {"quiet", no_argument, NULL, 'q'},
    {"regions", required_argument, NULL, OPTION_REGIONS},
    {"tid", required_argument, NULL, 't'},
    {"user", no_argument, NULL, OPTION_USER},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static void refuse(const char *message)
{
    complain(FXTRECORD_PROGRAM, NULL, "%s; try %s --help", message, FXTRECORD_PROGRAM);
    exit(FXTRECORD_USAGE);
}

/* Ends the program with text as its only result. */
static void exit_with(const char *text)
{
    if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
        complain(FXTRECORD_PROGRAM, "standard output", "it cannot be written");
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

/* ---- Options ----------------------------------------------------------------------- */

static uint64_t period_of_frequency(const char *value)
{
    uint64_t hz;

    if (!parse_u64(value, &hz) || hz == 0 || hz > 100000)
        refuse("-F takes a number of samples a second, from 1 to 100000");
    return 1000000000 / hz;
}

static uint64_t period_of_time(const char *value)
{
    uint64_t ns;

    if (!parse_duration(value, &ns) || ns < FXT_SAMPLER_PERIOD_MIN_NS ||
        ns > FXT_SAMPLER_PERIOD_MAX_NS)
        refuse("--period takes a time from 10us on, such as 1ms");
    return ns;
}

static uint64_t take_duration(const char *value)
{
    uint64_t ns;

    if (!parse_time(value, &ns) || ns == 0)
        refuse("-d takes a time above 0, such as 10 or 500ms");
    return ns;
}

static uint64_t take_buffer_size(const char *value)
{
    uint64_t size;

    if (!parse_size(value, &size) || size == 0 || size > FXT_SAMPLER_BUFFER_SIZE_MAX)
        refuse("--buffer-size takes a number of bytes up to 1G, such as 65536 or 4M");
    return size;
}

static enum fxt_sampler_method take_method(const char *value)
{
    if (strcmp(value, "perf") == 0)
        return FXT_SAMPLER_PERF;
    if (strcmp(value, "signal") != 0)
        refuse("--method is perf or signal");
    return FXT_SAMPLER_SIGNAL;
}

static void set_target(struct record_options *o, enum fxt_sampler_target target)
{
    if (o->target != 0 && o->target != target)
        refuse("-p, -t and -a exclude each other");
    o->target = target;
}

/* Numbers with commas between. */
static void take_ids(struct record_options *o, enum fxt_sampler_target target,
                     const char *value)
{
    char *list = must_copy(value);
    char *rest = list;
    char *word;

    set_target(o, target);
    while ((word = strsep(&rest, ",")) != NULL) {
        uint64_t id;

        if (!parse_u64(word, &id) || id == 0 || id > INT32_MAX)
            refuse("-p and -t take numbers with commas between");
        o->ids = must_resize(o->ids, (o->n_ids + 1) * sizeof(*o->ids));
        o->ids[o->n_ids++] = (pid_t)id;
    }
    free(list);
}

static void take_option(struct record_options *o, int option, const char *value)
{
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
        exit_with(help);
        break;
    case 'V':
        exit_with_version();
        break;
    default:
        /* getopt_long has said what is wrong. */
        complain(FXTRECORD_PROGRAM, NULL, "try %s --help", FXTRECORD_PROGRAM);
        exit(FXTRECORD_USAGE);
    }
}

static void check(struct record_options *o)
{
    const uint32_t both = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_USER_ONLY;

    if (o->command == NULL && o->target == 0)
        refuse("say what to record: a command, -p, -t or -a");
    if (o->command != NULL && o->target != 0)
        refuse("a command, -p, -t and -a exclude each other");
    if ((o->flags & both) == both)
        refuse("--kernel and --user exclude each other");
    if ((o->flags & FXT_SAMPLER_KERNEL_ONLY) != 0 && o->method == FXT_SAMPLER_SIGNAL)
        refuse("signals do not see the kernel");
    if (o->output != NULL && o->regions != NULL)
        refuse("-o and --regions exclude each other");
    if (o->output == NULL)
        o->output = "trace.fxt";
}

int main(int argc, char **argv)
{
    struct record_options options = {.buffer_size = 64 << 20, .argc = argc, .argv = argv};
    int option;
    int status;

    /* What follows the command's name is the command's. */
    while ((option = getopt_long(argc, argv, "+F:p:t:ad:o:qhV", long_options, NULL)) !=
           -1)
        take_option(&options, option, optarg);
    if (optind < argc)
        options.command = argv + optind;
    check(&options);
    status = record(&options);
    free(options.ids);
    return status;
}
