/* SPDX-License-Identifier: BSD-2-Clause */
/* See command_line.h. */
#include "command_line.h"

#include "program.h"
#include "report.h"

static int take_option(const struct command_line *line, const struct option_table *table,
                       void *context, int letter)
{
    struct text why = {NULL, 0, 0};
    int status = -1;

    if (letter == 'h')
        return program_help(line->program, line->usage, line->groups, line->column,
                            line->ending);
    if (letter == 'V')
        return program_version(line->program);
    if (letter == '?')
        return program_refuse_usage(line->program);
    if (!line->take(context, letter, optarg, &why)) {
        complain_of_value(line->program, option_table_name(table, letter), optarg,
                          why.data, why.size);
        status = program_refuse_usage(line->program);
    }
    text_free(&why);
    return status;
}

int command_line_read(const struct command_line *line, void *context, int argc,
                      char **argv)
{
    struct option_table table;
    int status = -1;
    int letter;

    option_table_make(&table, line->groups, "");
    while (status < 0 &&
           (letter = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1)
        status = take_option(line, &table, context, letter);
    option_table_free(&table);
    return status;
}

const char *command_line_file(const char *program, int argc, char **argv)
{
    if (argc - optind > 1) {
        complain(program, NULL, "unexpected argument '%s'", argv[optind + 1]);
        return NULL;
    }
    return optind < argc ? argv[optind] : "-";
}
