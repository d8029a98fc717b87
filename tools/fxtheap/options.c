/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/common.h>
#include <fxt/heap.h>

#include "common/base/parse.h"
#include "fxtheap.h"
#include "libfxtheap/shared/layout.h"
#include "tools/common/option_table.h"
#include "tools/common/report.h"

static const char usage[] =
    "Usage: fxtheap run [OPTION...] [--] COMMAND [ARGUMENT...]\n"
    "       fxtheap attach [OPTION...] PID\n"
    "       fxtheap detach PID\n"
    "       fxtheap list [OPTION...]\n"
    "       fxtheap snapshot [OPTION...]\n"
    "       fxtheap report [OPTION...] ARCHIVE\n"
    "\n"
    "Shows what a program has allocated and not freed, at any time and with no help "
    "from\n"
    "the program. run starts a command with libfxtheap in it; attach loads that into a\n"
    "process that runs, and detach ends it; list shows all programs that have it;\n"
    "snapshot writes the heap of one of them as an FXT archive, for fxt2pprof and\n"
    "fxt2folded; report prints the stacks of an archive that have left the most.\n";

static const char statuses[] =
    "\n"
    "Exit status: of run, the command's. Of report, 3 if more is left than is\n"
    "allowed. Else 0; 1 if something went wrong; 2 if the command line could not be "
    "used.\n";

enum {
    OPTION_ALLOW = OPTION_FIRST_LONG,
    OPTION_AT_EXIT,
    OPTION_BLOCKS,
    OPTION_BY_NAME,
    OPTION_BY_PID,
    OPTION_CLEAN,
    OPTION_CONTENTS,
    OPTION_DEPTH,
    OPTION_DIRECTORY,
    OPTION_EVERY,
    OPTION_FREEZE,
    OPTION_HISTOGRAMS,
    OPTION_LIMIT,
    OPTION_MMAP,
    OPTION_MULTI,
    OPTION_NO_CHILDREN,
    OPTION_NO_DEBUGINFOD,
    OPTION_PEAK,
    OPTION_POINT,
    OPTION_SAMPLE,
    OPTION_SUPPRESSIONS,
    OPTION_TAGS,
    OPTION_TEMPORARY
};

/* A millisecond, and some thirty years. */
#define EVERY_NS_MIN UINT64_C(1000000)
#define EVERY_NS_MAX UINT64_C(1000000000000000000)

static const struct option_entry all_options[] = {
    {"help", 'h', NULL, "print this and exit"},
    {"version", 'V', NULL, "print the version and exit"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry table_options[] = {
    {"directory", OPTION_DIRECTORY, "DIR", "where the tables are (default: /dev/shm)"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry record_options[] = {
    {"sample", OPTION_SAMPLE, "BYTES",
     "record one block every BYTES bytes, on average (suffixes K, M, G); else all "
     "blocks"},
    {"depth", OPTION_DEPTH, "N", "at most N frames a stack, up to 128 (default: 64)"},
    {"blocks", OPTION_BLOCKS, "N",
     "room for N blocks at a time (default: 16M, with --sample 1M)"},
    {"no-children", OPTION_NO_CHILDREN, NULL, "do not record child processes"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry run_options[] = {
    {"mmap", OPTION_MMAP, NULL,
     "record private anonymous mappings that the program makes, too"},
    {"at-exit", OPTION_AT_EXIT, "FILE",
     "write what the processes have left when they ended to an archive"},
    {"every", OPTION_EVERY, "TIME|SIZE",
     "with --at-exit, write a series of points: one after each TIME, as in 500ms or 1s, "
     "or when the heap has changed by SIZE, as in 10M; the last one is at exit"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry list_options[] = {
    {"clean", OPTION_CLEAN, NULL, "remove what is left of processes that were killed"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry peak_options[] = {
    {"peak", OPTION_PEAK, NULL,
     "run, attach: keep what the heap is when it is largest, and write that at exit; "
     "snapshot: write it, of a process that was recorded so"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry quiet_options[] = {
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry archive_options[] = {
    {"with-tags", OPTION_TAGS, NULL,
     "each block separately, with address, thread and time"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry snapshot_options[] = {
    {"by-name", OPTION_BY_NAME, "NAME", "the process, or program, with this name"},
    {"by-pid", OPTION_BY_PID, "PID", "the process with this id"},
    {"multi-process", OPTION_MULTI, NULL, "all that match, and not just one"},
    {"freeze", OPTION_FREEZE, NULL, "stop all threads of the process while it is read"},
    {"contents-dir", OPTION_CONTENTS, "DIR",
     "write each block's contents to DIR/PID/ADDRESS"},
    {"output", 'o', "FILE", "the archive (default: snap.fxt; - is standard output)"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry report_options[] = {
    {"allow", OPTION_ALLOW, "BYTES",
     "exit with 0 if at most that much is left (default: 0; suffixes K, M, G)"},
    {"histograms", OPTION_HISTOGRAMS, NULL,
     "also print how many blocks of which sizes and ages there are"},
    {"limit", OPTION_LIMIT, "N", "print N stacks (default: 10; 0: all)"},
    {"no-debuginfod", OPTION_NO_DEBUGINFOD, NULL,
     "do not request missing files from the servers in DEBUGINFOD_URLS"},
    {"point", OPTION_POINT, "N", "of a series: point N, in place of the last"},
    {"suppressions", OPTION_SUPPRESSIONS, "FILE",
     "leave out stacks with a function that matches a line of FILE"},
    {"temporary", OPTION_TEMPORARY, NULL,
     "print the stacks with the most blocks that were freed at once"},
    {NULL, 0, NULL, NULL},
};

/* The heading of a group has the names of the commands that take its options. */
static const struct option_group groups[] = {
    {"All", all_options},
    {"run and attach and list and snapshot", table_options},
    {"run and attach", record_options},
    {"run", run_options},
    {"run and attach and snapshot", peak_options},
    {"run and snapshot", archive_options},
    {"run and attach and detach and snapshot", quiet_options},
    {"list", list_options},
    {"snapshot", snapshot_options},
    {"report", report_options},
    {NULL, NULL},
};

/* ---- Ways out ---------------------------------------------------------------------- */

_Noreturn void options_refuse(const char *message)
{
    complain(FXTHEAP_PROGRAM, NULL, "%s; try %s --help", message, FXTHEAP_PROGRAM);
    exit(FXTHEAP_USAGE);
}

/* Ends the program with text as its only result. */
static _Noreturn void exit_with(const char *text)
{
    if (fputs(text, stdout) < 0 || fclose(stdout) != 0) {
        complain(FXTHEAP_PROGRAM, "standard output", "cannot be written");
        exit(FXTHEAP_FAILED);
    }
    exit(FXTHEAP_GOOD);
}

_Noreturn void options_exit_with_version(void)
{
    struct text line = {NULL, 0, 0};

    text_printf(&line, "%s %s\n", FXTHEAP_PROGRAM, fxt_version());
    text_char(&line, '\0');
    exit_with(line.data);
}

_Noreturn void options_exit_with_help(void)
{
    struct text help = {NULL, 0, 0};

    text_str(&help, usage);
    option_table_help(&help, groups, 28);
    text_str(&help, statuses);
    text_char(&help, '\0');
    exit_with(help.data);
}

/* ---- Options ----------------------------------------------------------------------- */

/* A number from 1 to `max`, which comes to stand in `text`. */
static const char *take_number(struct text *text, const char *value, uint64_t max,
                               const char *message)
{
    uint64_t number;

    if (!parse_size(value, &number) || number == 0 || number > max)
        options_refuse(message);
    text->size = 0;
    text_u64(text, number);
    text_char(text, '\0');
    return text->data;
}

/* A number alone could be either. */
static void take_every(struct arguments *a, const char *value)
{
    bool has_unit = value[0] != '\0' && value[strspn(value, "0123456789.")] != '\0';

    a->every = (struct series_step){0, 0};
    if (has_unit && parse_time(value, &a->every.ns)) {
        if (a->every.ns >= EVERY_NS_MIN && a->every.ns <= EVERY_NS_MAX)
            return;
    } else {
        a->every.ns = 0;
        if (has_unit && parse_size(value, &a->every.bytes) && a->every.bytes > 0)
            return;
    }
    options_refuse("--every takes a time of 1ms or more, such as 500ms or 1s, or a size "
                   "with its unit, such as 64K or 10M");
}

static void take_run(struct arguments *a, int option, const char *value)
{
    switch (option) {
    case OPTION_EVERY:
        take_every(a, value);
        break;
    case OPTION_AT_EXIT:
        a->at_exit = value;
        break;
    case OPTION_BLOCKS:
        a->run.n_blocks =
            take_number(&a->n_blocks, value, FXT_HEAP_BLOCKS_MAX,
                        "--blocks takes a number up to 256M, such as 500000 or 4M");
        break;
    case OPTION_DEPTH:
        a->run.depth = take_number(&a->depth, value, FXT_HEAP_DEPTH_MAX,
                                   "--depth takes a number from 1 to 128");
        break;
    case OPTION_MMAP:
        a->run.has_mappings = true;
        break;
    case OPTION_NO_CHILDREN:
        a->run.no_children = true;
        break;
    default:
        a->run.sample_bytes =
            take_number(&a->sample_bytes, value, FXT_HEAP_SAMPLE_BYTES_MAX,
                        "--sample takes a number of bytes, such as 524288 or 512K");
        break;
    }
}

static void take_process(struct arguments *a, const char *value)
{
    if (!parse_u64(value, &a->take.process) || a->take.process == 0)
        options_refuse("--by-pid takes the number of a process");
}

static void take_report(struct arguments *a, int option, const char *value)
{
    if (option == OPTION_SUPPRESSIONS) {
        a->report.suppressions = value;
    } else if (option == OPTION_HISTOGRAMS) {
        a->report.with_ranges = true;
    } else if (option == OPTION_TEMPORARY) {
        a->report.of_temporary = true;
    } else if (option == OPTION_NO_DEBUGINFOD) {
        a->report.no_debuginfod = true;
    } else if (option == OPTION_POINT) {
        if (!parse_u64(value, &a->report.point) || a->report.point == 0)
            options_refuse("--point takes the number of a point, from 1");
    } else if (option == OPTION_LIMIT) {
        if (!parse_u64(value, &a->report.n_stacks))
            options_refuse("--limit takes a number");
    } else if (!parse_size(value, &a->report.allowed_bytes)) {
        options_refuse("--allow takes a number of bytes, such as 4096 or 4K");
    }
}

static void take_option(struct arguments *a, int option, const char *value)
{
    switch (option) {
    case 'h':
        options_exit_with_help();
    case 'V':
        options_exit_with_version();
    case '?':
        /* getopt_long has reported what is wrong. */
        complain(FXTHEAP_PROGRAM, NULL, "try %s --help", FXTHEAP_PROGRAM);
        exit(FXTHEAP_USAGE);
    case OPTION_ALLOW:
    case OPTION_HISTOGRAMS:
    case OPTION_LIMIT:
    case OPTION_NO_DEBUGINFOD:
    case OPTION_POINT:
    case OPTION_SUPPRESSIONS:
    case OPTION_TEMPORARY:
        take_report(a, option, value);
        break;
    case OPTION_DIRECTORY:
        a->take.directory = value;
        break;
    case OPTION_BY_NAME:
        a->take.name = value;
        break;
    case OPTION_BY_PID:
        take_process(a, value);
        break;
    case OPTION_CLEAN:
        a->take.cleans = true;
        break;
    case OPTION_CONTENTS:
        a->take.contents = value;
        break;
    case OPTION_FREEZE:
        a->take.freezes = true;
        break;
    case OPTION_MULTI:
        a->take.takes_several = true;
        break;
    case OPTION_PEAK:
        a->take.of_peak = true;
        break;
    case OPTION_TAGS:
        a->take.with_tags = true;
        break;
    case 'o':
        a->take.output = value;
        break;
    case 'q':
        a->take.quiet = true;
        break;
    default:
        take_run(a, option, value);
        break;
    }
}

void options_parse(struct arguments *a, int argc, char **argv, const char *command)
{
    struct option_group taken[sizeof(groups) / sizeof(groups[0])] = {{NULL, NULL}};
    /* What follows the command that is run is not for fxtheap. */
    const char *mode = strcmp(command, "run") == 0 ? "+" : "";
    struct option_table table;
    size_t n = 0;
    int option;

    for (const struct option_group *g = groups; g->entries != NULL; g++) {
        if (g->entries == all_options || strstr(g->heading, command) != NULL)
            taken[n++] = *g;
    }
    a->take.directory = HEAP_TABLE_DIRECTORY;
    a->take.output = "snap.fxt";
    option_table_make(&table, taken, mode);
    while ((option = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1)
        take_option(a, option, optarg);
    option_table_free(&table);
}
