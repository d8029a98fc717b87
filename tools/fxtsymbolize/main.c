/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtsymbolize: adds names, files and lines to an archive. */
#include <stdio.h>
#include <string.h>

#include "common/base/io/output.h"
#include "symbolize.h"
#include "tools/common/command_line.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

static const char usage[] =
    "Usage: fxtsymbolize [OPTION]... [FILE]\n"
    "Adds to an FXT archive the names of functions, source files, lines and inlined\n"
    "calls, from what this machine has, so that they are known where that is not. Files\n"
    "are used only if their build id is that which was recorded. No FILE, or -, is\n"
    "standard input. Compressed files (gzip, zstd) are read as they are.\n";

#define OPTION_STRUCT struct symbolize_options

static const struct option_entry naming[] = {
    {"elf", 0, "FILE[@ADDRESS|+SLIDE]", OPTION_LIST(elfs),
     "use FILE for its modules; or, even without a build id, for the one at ADDRESS, or "
     "SLIDE above where it was linked; may be given several times"},
    {"debug-dir", 0, "DIR", OPTION_LIST(debug_dirs),
     "look in DIR for the files of modules, before /usr/lib/debug and the modules' own "
     "paths; may be given several times"},
    {"no-debuginfod", 0, NULL, OPTION_FLAG(no_debuginfod),
     "request nothing from the servers in DEBUGINFOD_URLS"},
    OPTIONS_END,
};

static const struct option_entry general[] = {
    {"in-place", 'i', NULL, OPTION_FLAG(in_place),
     "replace FILE, once all is written, if anything was added"},
    {"output", 'o', "FILE", OPTION_OUTPUT(output),
     "write to FILE, which is replaced once all is written"},
    {"resync", 0, NULL, OPTION_FLAG(resync),
     "after damage, look for the next plausible record"},
    OPTIONS_OF_READERS,
};

static const struct option_group groups[] = {
    {"Naming", naming}, {NULL, general}, {NULL, NULL}};

/* What can only be judged of all options together. */
static bool check_options(const struct symbolize_options *o)
{
    const char *wrong = NULL;

    if (o->in_place && o->output != NULL)
        wrong = "--in-place and --output exclude each other";
    else if (o->in_place && strcmp(o->input, "-") == 0)
        wrong = "--in-place needs a file";
    if (wrong != NULL)
        complain(FXTSYMBOLIZE_PROGRAM, NULL, "%s", wrong);
    return wrong == NULL && (o->output == NULL || output_name_check_any_archive(
                                                      FXTSYMBOLIZE_PROGRAM, o->output));
}

/* No file that is read must be overwritten; a recording cannot be made again. */
static bool spares_inputs(const struct symbolize_options *o)
{
    const char *what = NULL;

    if (!o->in_place && output_replaces(o->output, o->input))
        what = "is also the input, and would be overwritten: --in-place replaces it";
    for (size_t i = 0; i < o->elfs.n && what == NULL; i++) {
        if (output_replaces(o->in_place ? o->input : o->output, o->elfs.values[i]))
            what = "function names come from this file, which would be overwritten";
    }
    if (what != NULL)
        complain(FXTSYMBOLIZE_PROGRAM, o->in_place ? o->input : o->output, "%s", what);
    return what == NULL;
}

/* Returns -1 if the options are there, or else an exit status. */
static int parse_options(struct symbolize_options *o, int argc, char **argv)
{
    static const struct command_line line = {
        .program = FXTSYMBOLIZE_PROGRAM, .usage = usage, .groups = groups, .column = 26};
    int status = command_line_read(&line, o, argc, argv);

    if (status >= 0)
        return status;
    o->input = command_line_file(FXTSYMBOLIZE_PROGRAM, argc, argv);
    return o->input != NULL && check_options(o)
               ? -1
               : program_refuse_usage(FXTSYMBOLIZE_PROGRAM);
}

static int run_fxtsymbolize(void *context, int argc, char **argv)
{
    struct symbolize_options o = {.input = NULL};
    int status = parse_options(&o, argc, argv);

    (void)context;
    if (status < 0)
        status = spares_inputs(&o) ? (int)symbolize(&o) : SYMBOLIZE_UNUSABLE;
    return status;
}

int main(int argc, char **argv)
{
    return program_main(FXTSYMBOLIZE_PROGRAM, run_fxtsymbolize, NULL, argc, argv);
}
