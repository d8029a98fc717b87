/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtheap: the live allocations of running programs. Here are its commands. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "common/base/parse.h"
#include "find.h"
#include "fxtheap.h"
#include "options.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

/* Its whole path, as the command may work elsewhere. Removes tables there of processes
 * that were killed some time ago. */
static char *open_directory(const struct arguments *a)
{
    struct found found = {NULL, 0, 0, 0, 0};
    char *directory = realpath(a->take.directory, NULL);

    if (directory == NULL)
        options_refuse("--directory takes an existing directory");
    find_tables(&found, directory, FIND_REMOVE_OLD);
    found_free(&found);
    return directory;
}

/* ---- run --------------------------------------------------------------------------- */

static void check_peak(const struct arguments *a)
{
    if (!a->take.of_peak)
        return;
    if (a->run.sample_bytes > 0)
        options_refuse("--peak needs all blocks: it does not go with --sample");
    if (a->take.with_tags || a->take.contents != NULL)
        options_refuse("single blocks of the peak are not known: --peak does not go with "
                       "--with-tags and --contents-dir");
}

static void check_every(const struct arguments *a)
{
    if (a->every.ns == 0 && a->every.bytes == 0)
        return;
    if (a->at_exit == NULL)
        options_refuse("--every needs --at-exit: it writes a series to that file");
    if (a->take.of_peak || a->take.with_tags)
        options_refuse("a series has what stacks have live: --every does not go with "
                       "--peak and --with-tags");
    if (a->every.bytes > 0 && a->run.sample_bytes > 0)
        options_refuse("--every SIZE needs all blocks: it does not go with --sample");
}

static bool check_run(struct arguments *a)
{
    check_peak(a);
    check_every(a);
    if (a->run.has_mappings && a->run.sample_bytes > 0)
        options_refuse("--mmap needs all mappings: it does not go with --sample");
    /* With the peak the table has the sum of all blocks. */
    a->run.keeps_peak = a->take.of_peak || a->every.bytes > 0;
    if (a->at_exit == NULL) {
        if (a->take.with_tags || a->take.quiet)
            options_refuse("with run, --with-tags and --quiet are for --at-exit");
        return true;
    }
    if (strcmp(a->at_exit, "-") == 0)
        options_refuse("--at-exit takes a file, as standard output is the command's");
    return output_name_check_archive(FXTHEAP_PROGRAM, a->at_exit);
}

static int start_command(struct arguments *a, int argc, char **argv)
{
    char *directory;
    int status;

    if (optind == argc)
        options_refuse("run needs a command");
    if (!check_run(a))
        return FXTHEAP_USAGE;
    directory = open_directory(a);
    a->run.directory = directory;
    status = a->at_exit != NULL ? at_exit_run(a, argv + optind)
                                : run_command(&a->run, argv + optind);
    free(directory);
    return status;
}

/* ---- attach and detach ------------------------------------------------------------- */

static void take_process(struct arguments *a, int argc, char **argv)
{
    if (optind + 1 != argc || !parse_u64(argv[optind], &a->attach.process) ||
        a->attach.process == 0 || a->attach.process > INT32_MAX)
        options_refuse("attach and detach take the number of a process");
    a->attach.quiet = a->take.quiet;
}

static int attach_process(struct arguments *a, int argc, char **argv)
{
    char *directory;
    int status;

    take_process(a, argc, argv);
    check_peak(a);
    directory = open_directory(a);
    a->attach.run = a->run;
    a->attach.run.directory = directory;
    a->attach.run.keeps_peak = a->take.of_peak;
    status = attach_start(&a->attach);
    free(directory);
    return status;
}

static int detach_process(struct arguments *a, int argc, char **argv)
{
    take_process(a, argc, argv);
    return attach_end(&a->attach);
}

/* ---- list, snapshot and report ----------------------------------------------------- */

static void take_no_more(int argc, char **argv)
{
    if (optind == argc)
        return;
    complain(FXTHEAP_PROGRAM, argv[optind], "unexpected argument");
    options_refuse("list and snapshot take options only");
}

static int list_tables(struct arguments *a, int argc, char **argv)
{
    take_no_more(argc, argv);
    return take_list(&a->take);
}

static int write_snapshot(struct arguments *a, int argc, char **argv)
{
    take_no_more(argc, argv);
    check_peak(a);
    if (!output_name_check_archive(FXTHEAP_PROGRAM, a->take.output))
        return FXTHEAP_USAGE;
    return take_snapshot(&a->take);
}

static int report_archive(struct arguments *a, int argc, char **argv)
{
    if (optind == argc)
        options_refuse("report needs an archive");
    if (optind + 1 < argc) {
        complain(FXTHEAP_PROGRAM, argv[optind + 1], "unexpected argument");
        options_refuse("report takes one archive");
    }
    a->report.archive = argv[optind];
    return leak_report(&a->report);
}

/* ---- All --------------------------------------------------------------------------- */

static const struct command {
    const char *name;
    int (*run)(struct arguments *arguments, int argc, char **argv);
} commands[] = {
    {"run", start_command}, {"attach", attach_process},   {"detach", detach_process},
    {"list", list_tables},  {"snapshot", write_snapshot}, {"report", report_archive},
};

static int run_subcommand(void *context, int argc, char **argv)
{
    struct arguments *arguments = (struct arguments *)context;
    const char *name = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(name, commands[i].name) != 0)
            continue;
        /* Options come after the command's name, where getopt_long expects the
         * program's. */
        argv[1] = argv[0];
        options_parse(arguments, argc - 1, argv + 1, name);
        return commands[i].run(arguments, argc - 1, argv + 1);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        options_exit_with_help();
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return program_version(FXTHEAP_PROGRAM);
    options_refuse("which command: run, attach, detach, list, snapshot or report");
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.report = {.n_stacks = 10}};

    return program_main(FXTHEAP_PROGRAM, run_subcommand, &arguments, argc, argv);
}
