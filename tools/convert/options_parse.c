/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_parse.h. */
#include "options_parse.h"

#include <stdio.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/parallel.h"
#include "options_choose.h"
#include "options_database.h"
#include "options_format.h"
#include "options_name.h"
#include "options_read.h"
#include "options_uses.h"
#include "tools/common/program.h"
#include "tools/common/report.h"
#include "common/base/text.h"

/* What getopt calls an argument that is no option. */
enum { OPTION_FILE = 1 };

const struct option_entry options_general[] = {
    {"output", 'o', "FILE", "write to FILE, which is replaced once all is written"},
    OPTIONS_OF_READERS,
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

static bool take_general(struct options *o, int letter, const char *value)
{
    switch (letter) {
    case 'o':
        o->output = strcmp(value, "-") == 0 ? NULL : value;
        return value[0] != '\0';
    case 'q':
        o->quiet = true;
        return true;
    case 'v':
        o->verbose = true;
        return true;
    default:
        return false;
    }
}

static enum options_result refuse_usage(const struct converter *c)
{
    program_refuse_usage(c->name);
    return OPTIONS_WRONG;
}

static enum options_result print_text(const struct converter *c, struct text *text)
{
    return program_print(c->name, text) ? OPTIONS_DONE : OPTIONS_FAILED;
}

static void note_given(struct options *o, const char *name)
{
    size_t i = 0;

    while (i < o->n_given && o->given[i] != name)
        i++;
    o->given[i] = name;
    o->n_given += i == o->n_given;
}

/* Takes an option of any group; returns false for a value that is impossible. */
static bool take_value(struct options *o, const struct converter *c, int letter,
                       const char *value)
{
    if (letter >= OPTIONS_FIRST_OWN)
        return c->take_own(o, letter, value);
    if (letter >= OPTIONS_FIRST_DATABASE)
        return options_take_database(o, letter, value);
    if (letter >= OPTIONS_FIRST_CHOICE)
        return options_take_choice(o, letter, value);
    if (letter >= OPTIONS_FIRST_NAMING)
        return options_take_naming(o, letter, value);
    if (letter >= OPTIONS_FIRST_READING)
        return options_take_reading(o, letter, value);
    return take_general(o, letter, value) ||
           (c->take_own != NULL && c->take_own(o, letter, value));
}

/* Whether the tool writes something else, or may. */
static bool checks_own(const struct options *o, const struct converter *c)
{
    return c->check_own != NULL && (!c->writes_own_if_told || o->writes_own);
}

/* Takes one option, or a file. */
static enum options_result take_argument(struct options *o, const struct converter *c,
                                         const struct option_table *table, int letter)
{
    struct text text = {NULL, 0, 0};

    switch (letter) {
    case OPTION_FILE:
        add_file(o, optarg);
        return OPTIONS_OK;
    case 'h':
        add_help(&text, c);
        return print_text(c, &text);
    case 'V':
        return program_version(c->name) == 0 ? OPTIONS_DONE : OPTIONS_FAILED;
    case '?':
        return refuse_usage(c);
    default:
        /* A tool that writes something else checks its own options. */
        if (letter < OPTIONS_FIRST_OWN || !checks_own(o, c))
            note_given(o, option_table_name(table, letter));
        if (take_value(o, c, letter, optarg))
            return OPTIONS_OK;
        complain_of_value(c->name, option_table_name(table, letter), optarg, o->problem,
                          strlen(o->problem));
        return refuse_usage(c);
    }
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
    if (wrong != NULL) {
        complain(c->name, NULL, "%s", wrong);
        return false;
    }
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
        int letter = getopt_long(argc, argv, table.letters, table.names, NULL);

        if (letter == -1) {
            add_last_files(o, argc, argv);
            result = finish_options(o, c);
            break;
        }
        result = take_argument(o, c, &table, letter);
    }
    option_table_free(&table);
    return result;
}
