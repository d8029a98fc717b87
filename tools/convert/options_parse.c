/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h: the command line. */
#include "options.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "option_groups.h"
#include "tools/common/command_line.h"
#include "tools/common/program.h"
#include "tools/common/report.h"
#include "common/base/text.h"

/* What getopt calls an argument that is no option. */
enum { OPTION_FILE = 1 };

#define OPTION_STRUCT struct options

const struct option_entry options_general[] = {
    {"output", 'o', "FILE", OPTION_OUTPUT(output),
     "write to FILE, which is replaced once all is written"},
    OPTIONS_OF_READERS,
};

const struct option_entry options_start_time[] = {
    {"start-time", 0, "TIME", OPTION_NUMBER(build.start_ns, parse_seconds, 1, INT64_MAX),
     "when the first sample was taken, in seconds since the Unix epoch, with up to nine "
     "decimals"},
    OPTIONS_END,
};

static void add_file(struct options *o, const char *name)
{
    MEMORY_ADD(o->files, o->n_files, o->file_capacity,
               (struct fxt_profile_file){name, o->has_cpu, o->cpu});
    o->has_cpu = false;
    o->cpu = 0;
}

static void add_help(struct text *text, const struct converter *c)
{
    enum { COLUMN = 26 };

    text_str(text, c->usage);
    option_table_help(text, c->groups, COLUMN);
    options_help_formats(text, c, COLUMN);
}

static enum options_result refuse_usage(const struct converter *c)
{
    program_refuse_usage(c->name);
    return OPTIONS_WRONG;
}

static void note_given(struct options *o, const char *name)
{
    size_t i = 0;

    while (i < o->n_given && o->given[i] != name)
        i++;
    o->given[i] = name;
    o->n_given += i == o->n_given;
}

/* Whether the tool writes something else, or may. */
static bool checks_own(const struct options *o, const struct converter *c)
{
    return c->check_own != NULL && (!c->writes_own_if_told || o->writes_own);
}

/* Takes one option, or a file. */
static enum options_result take_argument(struct options *o, const struct converter *c,
                                         const struct option_table *table, int returned)
{
    struct option_given given = {.options = o, .own = c->own, .value = optarg};
    struct text text = {NULL, 0, 0};
    const struct option_entry *entry;

    if (returned == OPTION_FILE) {
        add_file(o, optarg);
        return OPTIONS_OK;
    }
    if (returned == '?')
        return refuse_usage(c);
    entry = option_table_find(table, returned);
    if (entry->letter == 'h') {
        add_help(&text, c);
        return program_print(c->name, &text) ? OPTIONS_DONE : OPTIONS_FAILED;
    }
    if (entry->letter == 'V')
        return program_version(c->name) == 0 ? OPTIONS_DONE : OPTIONS_FAILED;
    /* A tool that writes something else checks its own options. */
    if (!entry->value.is_own)
        note_given(o, entry->name);
    if (option_take(entry, &given))
        return OPTIONS_OK;
    command_line_refuse_value(c->name, entry, &given);
    return OPTIONS_WRONG;
}

/* The files after "--", or standard input if there are no files at all. */
static void add_last_files(struct options *o, int argc, char **argv)
{
    for (int i = optind; i < argc; i++)
        add_file(o, argv[i]);
    if (o->n_files == 0 && o->is_of_database)
        add_file(o, o->server.url);
    else if (o->n_files == 0)
        add_file(o, "-");
}

/* What follows from several options, or holds without any. */
static void complete_options(struct options *o)
{
    o->build.format = o->write.format;
    o->build.only_heaps = o->base != NULL;
    o->build.find_modules = !o->unsymbolized;
    o->build.ignore_lines = o->unsymbolized;
    o->build.use_running_kernel = !o->unsymbolized;
    o->build.use_debuginfod = !o->unsymbolized && !o->no_debuginfod;
    o->build.skip_unusable = true;
    o->build.show_cuts = !o->hides_cuts;
    o->build.keep_times |= o->write.no_merge;
    o->build.ignore_renames |= o->write.raw_labels;
    o->build.report_all = o->verbose;
    if (o->build.n_threads == 0)
        o->build.n_threads = (uint32_t)parallel_cpus();
}

/* Standard input would be empty when it is read for the second time. */
static bool reads_standard_input_twice(const struct options *o)
{
    const char *earlier = o->before != NULL ? o->before : o->base;

    if (earlier == NULL || strcmp(earlier, "-") != 0)
        return false;
    return options_have_standard_input(o);
}

/* A difference of two points compares the input with itself. */
static bool choose_earlier_point(struct options *o, const struct converter *c)
{
    const char *wrong = NULL;

    if (!o->has_earlier_point)
        return true;
    if (o->before != NULL || o->base != NULL)
        wrong = "--point EARLIER..N has no meaning with --diff";
    else if (o->n_files != 1 || strcmp(o->files[0].path, "-") == 0)
        wrong = "--point EARLIER..N needs one file, which is read twice";
    if (wrong != NULL)
        return complain(c->name, NULL, "%s", wrong);
    if (c->subtracts)
        o->base = o->files[0].path;
    else
        o->before = o->files[0].path;
    return true;
}

/* What can only be judged of all options together. */
static enum options_result finish_options(struct options *o, const struct converter *c)
{
    if (o->has_cpu) {
        complain(c->name, NULL, "--cpu %u is not followed by a file", o->cpu);
        return refuse_usage(c);
    }
    if (!options_choose_database(o, c) || !choose_earlier_point(o, c))
        return refuse_usage(c);
    if (reads_standard_input_twice(o)) {
        complain(c->name, NULL, "--diff and a file cannot both be standard input");
        return refuse_usage(c);
    }
    if (o->input.region_size > 0)
        o->input.stream = FXT_STREAM_REGION;
    if (o->writes_own)
        o->write.format = c->default_format;
    if (!options_choose_format(o, c) || (checks_own(o, c) && !c->check_own(o)))
        return refuse_usage(c);
    if (!options_check_uses(o, c) || !options_check_choices(o))
        return refuse_usage(c);
    value_list_add(&o->debug_dirs, "/usr/lib/debug");
    complete_options(o);
    return OPTIONS_OK;
}

enum options_result options_parse(struct options *o, const struct converter *c, int argc,
                                  char **argv)
{
    enum options_result result = OPTIONS_OK;
    struct option_table table;

    *o = (struct options){.program = c->name,
                          .server = options_default_server(c->name),
                          .database = "fxt",
                          .own = c->own,
                          .build = {.size = sizeof(o->build)},
                          .input = {.size = sizeof(o->input)},
                          .write = {.size = sizeof(o->write)}};
    option_table_make(&table, c->groups, "-");
    o->given = memory_allocate(table.n_names * sizeof(*o->given));
    optind = 1;
    while (result == OPTIONS_OK) {
        int returned = getopt_long(argc, argv, table.letters, table.names, NULL);

        if (returned == -1) {
            add_last_files(o, argc, argv);
            result = finish_options(o, c);
            break;
        }
        result = take_argument(o, c, &table, returned);
    }
    return result;
}
