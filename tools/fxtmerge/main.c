/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtmerge: several archives in one. */
#include <stdio.h>
#include <string.h>

#include "common/base/io/output.h"
#include "common/base/memory.h"
#include "common/base/parse.h"
#include "merge.h"
#include "tools/common/command_line.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

#define FXTMERGE_PROGRAM "fxtmerge"

static const char usage[] = "Usage: fxtmerge [OPTION]... [-o OUTPUT] FILE...\n"
                            "Writes the records of several FXT archives as one, by time: "
                            "clocks are aligned, and\n"
                            "processes of different machines are kept apart. A FILE that "
                            "is - is standard input.\n"
                            "Compressed files (gzip, zstd) are read as they are.\n";

#define OPTION_STRUCT struct merge_options

static const struct option_entry merging[] = {
    {"machine", 0, "FILE=NAME", OPTION_LIST(machines),
     "FILE is from the machine NAME: its processes are not those of other machines, and "
     "their names begin with it"},
    {"offset", 0, "FILE=TIME", OPTION_LIST(offsets),
     "add TIME (s, ms, us, ns; 1.5s, -20ms) to the times of FILE, rather than align them "
     "by wall clocks"},
    {"window", 0, "SIZE",
     OPTION_VALUE(OPTION_NUMBER_(window_bytes, parse_size, 0, UINT64_MAX),
                  OPTION_FLAG_(has_window)),
     "sort records that are out of order within SIZE bytes (K, M, G) of memory, which "
     "all "
     "files share; 16M by default"},
    {"one-table", 0, NULL, OPTION_FLAG(one_table),
     "number strings and threads across providers, for readers with one table, as "
     "Tracy's "
     "importer"},
    OPTIONS_END,
};

static const struct option_entry general[] = {
    {"output", 'o', "FILE", OPTION_OUTPUT(output),
     "write to FILE, which is replaced once all is written"},
    OPTIONS_OF_READERS,
};

static const struct option_group groups[] = {
    {"Merging", merging}, {NULL, general}, {NULL, NULL}};

/* The file of FILE=VALUE, whose name may have such signs itself; and the value. */
static struct merge_input *find_input(const struct merge_options *o, const char *given,
                                      const char **value)
{
    const char *sign = strrchr(given, '=');

    for (size_t i = 0; sign != NULL && i < o->n_inputs; i++) {
        const char *name = o->inputs[i].name;

        *value = sign + 1;
        if (strlen(name) == (size_t)(sign - given) &&
            strncmp(name, given, strlen(name)) == 0)
            return &o->inputs[i];
    }
    return NULL;
}

static bool parse_offset(const char *value, int64_t *ns)
{
    bool negative = value[0] == '-';
    uint64_t size;

    if (!parse_time(value + negative, &size) || size > INT64_MAX / 2)
        return false;
    *ns = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

static bool apply_to_input(const struct merge_options *o, const char *name,
                           const char *given)
{
    static const char no_input[] = "it begins with none of the files that are merged";
    const char *value;
    struct merge_input *input = find_input(o, given, &value);
    bool good = input != NULL && value[0] != '\0';

    if (good && strcmp(name, "machine") == 0) {
        input->machine = value;
    } else if (good) {
        input->has_offset = true;
        good = parse_offset(value, &input->offset_ns);
    }
    if (!good)
        complain_of_value(FXTMERGE_PROGRAM, name, given, no_input,
                          input == NULL ? strlen(no_input) : 0);
    return good;
}

static bool apply_to_inputs(const struct merge_options *o, const char *name,
                            const struct value_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!apply_to_input(o, name, list->values[i]))
            return false;
    }
    return true;
}

static bool take_inputs(struct merge_options *o, int n, char **names)
{
    size_t n_standard = 0;

    if (n == 0)
        complain(FXTMERGE_PROGRAM, NULL, "no file is given");
    for (int i = 0; i < n; i++) {
        o->inputs[o->n_inputs++].name = names[i];
        n_standard += strcmp(names[i], "-") == 0;
    }
    if (n_standard > 1)
        complain(FXTMERGE_PROGRAM, NULL, "standard input can be read once only");
    return apply_to_inputs(o, "machine", &o->machines) &&
           apply_to_inputs(o, "offset", &o->offsets) && n > 0 && n_standard <= 1;
}

/* No file that is read must be overwritten; a recording cannot be made again. */
static bool spares_inputs(const struct merge_options *o)
{
    for (size_t i = 0; i < o->n_inputs; i++) {
        if (!output_replaces(o->output, o->inputs[i].name))
            continue;
        complain(FXTMERGE_PROGRAM, o->output,
                 "is also an input, and would be overwritten");
        return false;
    }
    return true;
}

/* Returns -1 if the options are there, or else an exit status. */
static int parse_options(struct merge_options *o, int argc, char **argv)
{
    static const struct command_line line = {
        .program = FXTMERGE_PROGRAM, .usage = usage, .groups = groups, .column = 23};
    int status = command_line_read(&line, o, argc, argv);

    if (status >= 0)
        return status;
    if (take_inputs(o, argc - optind, argv + optind) &&
        (o->output == NULL || output_name_check_any_archive(FXTMERGE_PROGRAM, o->output)))
        return -1;
    return program_refuse_usage(FXTMERGE_PROGRAM);
}

static int run_fxtmerge(void *context, int argc, char **argv)
{
    struct merge_options o = {.program = FXTMERGE_PROGRAM,
                              .window_bytes = MERGE_DEFAULT_WINDOW_BYTES};
    int status;

    (void)context;
    o.inputs = (struct merge_input *)memory_allocate((size_t)argc * sizeof(*o.inputs));
    status = parse_options(&o, argc, argv);
    /* All inputs are open at once. */
    program_allow_many_files();
    if (status < 0)
        status = spares_inputs(&o) ? (int)merge_archives(&o) : MERGE_UNUSABLE;
    memory_release(o.machines.values);
    memory_release(o.offsets.values);
    memory_release(o.inputs);
    return status;
}

int main(int argc, char **argv)
{
    return program_main(FXTMERGE_PROGRAM, run_fxtmerge, NULL, argc, argv);
}
