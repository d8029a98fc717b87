/* SPDX-License-Identifier: BSD-2-Clause */
/* See command_line.h. */
#include "command_line.h"

#include "program.h"
#include "report.h"

int command_line_refuse_value(const char *program, const struct option_entry *entry,
                              const struct option_given *given)
{
    const struct text *why = &given->why;

    if (entry->value.refusal != NULL)
        return program_refuse(program, entry->value.refusal);
    complain_of_value(program, entry->name, given->value, why->data, why->size);
    return program_refuse_usage(program);
}

static int take_option(const struct command_line *line, const struct option_table *table,
                       void *options, int returned)
{
    struct option_given given = {.options = options, .own = options, .value = optarg};
    const struct option_entry *entry;

    if (returned == '?')
        return program_refuse_usage(line->program);
    entry = option_table_find(table, returned);
    if (entry->letter == 'h')
        return program_help(line->program, line->usage, line->groups, line->column,
                            line->ending);
    if (entry->letter == 'V')
        return program_version(line->program);
    return option_take(entry, &given)
               ? -1
               : command_line_refuse_value(line->program, entry, &given);
}

int command_line_read(const struct command_line *line, void *options, int argc,
                      char **argv)
{
    struct option_table table;
    int status = -1;
    int returned;

    option_table_make(&table, line->taken != NULL ? line->taken : line->groups,
                      line->mode != NULL ? line->mode : "");
    while (status < 0 &&
           (returned = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1)
        status = take_option(line, &table, options, returned);
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
