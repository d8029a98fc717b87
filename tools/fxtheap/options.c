/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/heap.h>

#include "common/base/parse.h"
#include "fxtheap.h"
#include "libfxtheap/shared/layout.h"
#include "tools/common/command_line.h"
#include "tools/common/program.h"

/* Where help begins. */
enum { COLUMN = 28 };

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

/* ---- Values ------------------------------------------------------------------------ */

/* A millisecond, and some thirty years. */
#define EVERY_NS_MIN UINT64_C(1000000)
#define EVERY_NS_MAX UINT64_C(1000000000000000000)

/* A number alone could be either. */
static bool take_every(struct option_given *given)
{
    struct arguments *a = given->options;
    const char *value = given->value;
    bool has_unit = value[0] != '\0' && value[strspn(value, "0123456789.")] != '\0';

    a->every = (struct series_step){0, 0};
    if (has_unit && parse_time(value, &a->every.ns))
        return a->every.ns >= EVERY_NS_MIN && a->every.ns <= EVERY_NS_MAX;
    a->every.ns = 0;
    return has_unit && parse_size(value, &a->every.bytes) && a->every.bytes > 0;
}

/* ---- Options ----------------------------------------------------------------------- */

#define OPTION_STRUCT struct arguments

static const struct option_entry all_options[] = {
    {"help", 'h', NULL, OPTION_NOTHING, "print this and exit"},
    {"version", 'V', NULL, OPTION_NOTHING, "print the version and exit"},
    OPTIONS_END,
};

static const struct option_entry table_options[] = {
    {"directory", 0, "DIR", OPTION_STRING(take.directory),
     "where the tables are (default: /dev/shm)"},
    OPTIONS_END,
};

static const struct option_entry record_options[] = {
    {"sample", 0, "BYTES",
     OPTION_VALUE(
         OPTION_NUMBER_(run.sample_bytes, parse_size, 1, FXT_HEAP_SAMPLE_BYTES_MAX),
         OPTION_REFUSAL_("--sample takes a number of bytes, such as 524288 or 512K")),
     "record one block every BYTES bytes, on average (suffixes K, M, G); else all "
     "blocks"},
    {"depth", 0, "N",
     OPTION_VALUE(OPTION_NUMBER_(run.depth, parse_size, 1, FXT_HEAP_DEPTH_MAX),
                  OPTION_REFUSAL_("--depth takes a number from 1 to 128")),
     "at most N frames a stack, up to 128 (default: 64)"},
    {"blocks", 0, "N",
     OPTION_VALUE(
         OPTION_NUMBER_(run.n_blocks, parse_size, 1, FXT_HEAP_BLOCKS_MAX),
         OPTION_REFUSAL_("--blocks takes a number up to 256M, such as 500000 or 4M")),
     "room for N blocks at a time (default: 16M, with --sample 1M)"},
    {"no-children", 0, NULL, OPTION_FLAG(run.no_children),
     "do not record child processes"},
    OPTIONS_END,
};

static const struct option_entry run_options[] = {
    {"mmap", 0, NULL, OPTION_FLAG(run.has_mappings),
     "record private anonymous mappings that the program makes, too"},
    {"at-exit", 0, "FILE", OPTION_STRING(at_exit),
     "write what the processes have left when they ended to an archive"},
    {"every", 0, "TIME|SIZE",
     OPTION_VALUE(OPTION_CALL_(take_every),
                  OPTION_REFUSAL_("--every takes a time of 1ms or more, such as 500ms or "
                                  "1s, or a size with its unit, such as 64K or 10M")),
     "with --at-exit, write a series of points: one after each TIME, as in 500ms or 1s, "
     "or when the heap has changed by SIZE, as in 10M; the last one is at exit"},
    OPTIONS_END,
};

static const struct option_entry list_options[] = {
    {"clean", 0, NULL, OPTION_FLAG(take.cleans),
     "remove what is left of processes that were killed"},
    OPTIONS_END,
};

static const struct option_entry peak_options[] = {
    {"peak", 0, NULL, OPTION_FLAG(take.of_peak),
     "run, attach: keep what the heap is when it is largest, and write that at exit; "
     "snapshot: write it, of a process that was recorded so"},
    OPTIONS_END,
};

static const struct option_entry quiet_options[] = {
    {"quiet", 'q', NULL, OPTION_FLAG(take.quiet), "print errors only"},
    OPTIONS_END,
};

static const struct option_entry archive_options[] = {
    {"with-tags", 0, NULL, OPTION_FLAG(take.with_tags),
     "each block separately, with address, thread and time"},
    OPTIONS_END,
};

static const struct option_entry snapshot_options[] = {
    {"by-name", 0, "NAME", OPTION_STRING(take.name),
     "the process, or program, with this name"},
    {"by-pid", 0, "PID",
     OPTION_VALUE(OPTION_NUMBER_(take.process, parse_u64, 1, UINT64_MAX),
                  OPTION_REFUSAL_("--by-pid takes the number of a process")),
     "the process with this id"},
    {"multi-process", 0, NULL, OPTION_FLAG(take.takes_several),
     "all that match, and not just one"},
    {"freeze", 0, NULL, OPTION_FLAG(take.freezes),
     "stop all threads of the process while it is read"},
    {"contents-dir", 0, "DIR", OPTION_STRING(take.contents),
     "write each block's contents to DIR/PID/ADDRESS"},
    {"output", 'o', "FILE", OPTION_STRING(take.output),
     "the archive (default: snap.fxt; - is standard output)"},
    OPTIONS_END,
};

static const struct option_entry report_options[] = {
    {"allow", 0, "BYTES",
     OPTION_VALUE(OPTION_NUMBER_(report.allowed_bytes, parse_size, 0, UINT64_MAX),
                  OPTION_REFUSAL_("--allow takes a number of bytes, such as 4096 or 4K")),
     "exit with 0 if at most that much is left (default: 0; suffixes K, M, G)"},
    {"histograms", 0, NULL, OPTION_FLAG(report.with_ranges),
     "also print how many blocks of which sizes and ages there are"},
    {"limit", 0, "N",
     OPTION_VALUE(OPTION_NUMBER_(report.n_stacks, parse_u64, 0, UINT64_MAX),
                  OPTION_REFUSAL_("--limit takes a number")),
     "print N stacks (default: 10; 0: all)"},
    {"no-debuginfod", 0, NULL, OPTION_FLAG(report.no_debuginfod),
     "do not request missing files from the servers in DEBUGINFOD_URLS"},
    {"point", 0, "N",
     OPTION_VALUE(OPTION_NUMBER_(report.point, parse_u64, 1, UINT64_MAX),
                  OPTION_REFUSAL_("--point takes the number of a point, from 1")),
     "of a series: point N, in place of the last"},
    {"suppressions", 0, "FILE", OPTION_STRING(report.suppressions),
     "leave out stacks with a function that matches a line of FILE"},
    {"temporary", 0, NULL, OPTION_FLAG(report.of_temporary),
     "print the stacks with the most blocks that were freed at once"},
    OPTIONS_END,
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

/* ---- All of them ------------------------------------------------------------------- */

_Noreturn void options_refuse(const char *message)
{
    exit(program_refuse(FXTHEAP_PROGRAM, message));
}

_Noreturn void options_exit_with_help(void)
{
    exit(program_help(FXTHEAP_PROGRAM, usage, groups, COLUMN, statuses));
}

void options_parse(struct arguments *a, int argc, char **argv, const char *command)
{
    struct option_group taken[sizeof(groups) / sizeof(groups[0])] = {{NULL, NULL}};
    /* What follows the command that is run is not for fxtheap. */
    struct command_line line = {.program = FXTHEAP_PROGRAM,
                                .usage = usage,
                                .groups = groups,
                                .column = COLUMN,
                                .ending = statuses,
                                .taken = taken,
                                .mode = strcmp(command, "run") == 0 ? "+" : ""};
    size_t n = 0;
    int status;

    for (const struct option_group *g = groups; g->entries != NULL; g++) {
        if (g->entries == all_options || strstr(g->heading, command) != NULL)
            taken[n++] = *g;
    }
    a->take.directory = HEAP_TABLE_DIRECTORY;
    a->take.output = "snap.fxt";
    status = command_line_read(&line, a, argc, argv);
    if (status >= 0)
        exit(status);
}
