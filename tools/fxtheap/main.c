/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtheap: the live allocations of running programs. Here is the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/common.h>
#include <fxt/heap.h>

#include "find.h"
#include "fxtheap.h"
#include "libfxtheap/shared/layout.h"
#include "base/parse.h"
#include "tools/common/option_table.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"
#include "run.h"
#include "take.h"
#include "base/text.h"

static const char usage[] =
    "Usage: fxtheap run [OPTION...] [--] COMMAND [ARGUMENT...]\n"
    "       fxtheap list [OPTION...]\n"
    "       fxtheap snapshot [OPTION...]\n"
    "\n"
    "Shows what a program has allocated and not freed, at any time and with no help "
    "from\n"
    "the program. run starts a command with libfxtheap in it; list shows all programs\n"
    "that have it; snapshot writes the heap of one of them as an FXT archive, for\n"
    "fxt2pprof and fxt2folded.\n";

static const char statuses[] =
    "\n"
    "Exit status: of run, the command's. Else 0; 1 if something went wrong; 2 if the\n"
    "command line could not be used.\n";

enum {
    OPTION_BLOCKS = OPTION_FIRST_LONG,
    OPTION_BY_NAME,
    OPTION_BY_PID,
    OPTION_CLEAN,
    OPTION_CONTENTS,
    OPTION_DEPTH,
    OPTION_DIRECTORY,
    OPTION_MULTI,
    OPTION_NO_CHILDREN,
    OPTION_SAMPLE,
    OPTION_TAGS
};

static const struct option_entry all_options[] = {
    {"directory", OPTION_DIRECTORY, "DIR", "where the tables are (default: /dev/shm)"},
    {"help", 'h', NULL, "print this and exit"},
    {"version", 'V', NULL, "print the version and exit"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry run_options[] = {
    {"sample", OPTION_SAMPLE, "BYTES",
     "record one block every BYTES bytes, on average (suffixes K, M, G); else all "
     "blocks"},
    {"depth", OPTION_DEPTH, "N", "at most N frames a stack, up to 128 (default: 64)"},
    {"blocks", OPTION_BLOCKS, "N",
     "room for about two thirds of N blocks at a time (default: 16M, with --sample 1M)"},
    {"no-children", OPTION_NO_CHILDREN, NULL,
     "do not record child processes of the command"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry list_options[] = {
    {"clean", OPTION_CLEAN, NULL, "remove what is left of processes that were killed"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry snapshot_options[] = {
    {"by-name", OPTION_BY_NAME, "NAME", "the process, or program, with this name"},
    {"by-pid", OPTION_BY_PID, "PID", "the process with this id"},
    {"multi-process", OPTION_MULTI, NULL, "all that match, and not just one"},
    {"with-tags", OPTION_TAGS, NULL,
     "each block separately, with address, thread and time"},
    {"contents-dir", OPTION_CONTENTS, "DIR",
     "write each block's contents to DIR/PID/ADDRESS"},
    {"output", 'o', "FILE", "the archive (default: snap.fxt; - is standard output)"},
    {"quiet", 'q', NULL, "print errors only"},
    {NULL, 0, NULL, NULL},
};

static const struct option_group run_groups[] = {
    {"All", all_options},
    {"run", run_options},
    {NULL, NULL},
};

static const struct option_group list_groups[] = {
    {"All", all_options},
    {"list", list_options},
    {NULL, NULL},
};

static const struct option_group snapshot_groups[] = {
    {"All", all_options},
    {"snapshot", snapshot_options},
    {NULL, NULL},
};

static const struct option_group groups[] = {
    {"All", all_options},           {"run", run_options}, {"list", list_options},
    {"snapshot", snapshot_options}, {NULL, NULL},
};

struct arguments {
    struct run_options run;
    struct take_options take;
    /* Numbers as the library reads them. */
    struct text depth;
    struct text sample_bytes;
    struct text n_blocks;
};

/* ---- Ways out ---------------------------------------------------------------------- */

static _Noreturn void refuse_usage(const char *message)
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

static _Noreturn void exit_with_version(void)
{
    struct text line = {NULL, 0, 0};

    text_printf(&line, "%s %s\n", FXTHEAP_PROGRAM, fxt_version());
    text_char(&line, '\0');
    exit_with(line.data);
}

static _Noreturn void exit_with_help(void)
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
        refuse_usage(message);
    text->size = 0;
    text_u64(text, number);
    text_char(text, '\0');
    return text->data;
}

static void take_run(struct arguments *a, int option, const char *value)
{
    switch (option) {
    case OPTION_BLOCKS:
        a->run.n_blocks =
            take_number(&a->n_blocks, value, FXT_HEAP_BLOCKS_MAX,
                        "--blocks takes a number up to 256M, such as 500000 or 4M");
        break;
    case OPTION_DEPTH:
        a->run.depth = take_number(&a->depth, value, FXT_HEAP_DEPTH_MAX,
                                   "--depth takes a number from 1 to 128");
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
        refuse_usage("--by-pid takes the number of a process");
}

static void take_option(struct arguments *a, int option, const char *value)
{
    switch (option) {
    case 'h':
        exit_with_help();
    case 'V':
        exit_with_version();
    case '?':
        /* getopt_long has reported what is wrong. */
        complain(FXTHEAP_PROGRAM, NULL, "try %s --help", FXTHEAP_PROGRAM);
        exit(FXTHEAP_USAGE);
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
    case OPTION_MULTI:
        a->take.takes_several = true;
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

static void parse_options(struct arguments *a, int argc, char **argv, const char *mode,
                          const struct option_group *taken)
{
    struct option_table table;
    int option;

    a->take.directory = HEAP_TABLE_DIRECTORY;
    a->take.output = "snap.fxt";
    option_table_make(&table, taken, mode);
    while ((option = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1)
        take_option(a, option, optarg);
    option_table_free(&table);
}

/* ---- Commands ---------------------------------------------------------------------- */

/* Tables of processes that were killed some time ago go on the way. */
static void remove_stale_tables(const char *directory)
{
    struct found found = {NULL, 0, 0, 0, 0};

    find_tables(&found, directory, false);
    found_free(&found);
}

/* The command may work elsewhere. */
static int start_command(struct arguments *a, int argc, char **argv)
{
    char *directory;

    if (optind == argc)
        refuse_usage("run needs a command");
    directory = realpath(a->take.directory, NULL);
    if (directory == NULL)
        refuse_usage("--directory takes an existing directory");
    remove_stale_tables(directory);
    a->run.directory = directory;
    return run_command(&a->run, argv + optind);
}

static void take_no_more(int argc, char **argv)
{
    if (optind == argc)
        return;
    complain(FXTHEAP_PROGRAM, argv[optind], "unexpected argument");
    refuse_usage("list and snapshot take options only");
}

static int run_subcommand(void *context, int argc, char **argv)
{
    struct arguments *arguments = (struct arguments *)context;
    const char *command = argc > 1 ? argv[1] : "";

    /* Options come after the command's name, which is where getopt expects the
     * program's. */
    if (strcmp(command, "run") == 0) {
        parse_options(arguments, argc - 1, argv + 1, "+", run_groups);
        return start_command(arguments, argc - 1, argv + 1);
    }
    if (strcmp(command, "list") == 0) {
        parse_options(arguments, argc - 1, argv + 1, "", list_groups);
        take_no_more(argc - 1, argv + 1);
        return take_list(&arguments->take);
    }
    if (strcmp(command, "snapshot") == 0) {
        parse_options(arguments, argc - 1, argv + 1, "", snapshot_groups);
        take_no_more(argc - 1, argv + 1);
        if (!output_name_check_archive(FXTHEAP_PROGRAM, arguments->take.output))
            return FXTHEAP_USAGE;
        return take_snapshot(&arguments->take);
    }
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0)
        exit_with_help();
    if (strcmp(command, "--version") == 0 || strcmp(command, "-V") == 0)
        exit_with_version();
    refuse_usage("which command: run, list or snapshot");
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.take = {.directory = NULL}};

    return program_main(FXTHEAP_PROGRAM, run_subcommand, &arguments, argc, argv);
}
