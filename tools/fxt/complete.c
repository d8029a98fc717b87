/* SPDX-License-Identifier: BSD-2-Clause */
/* See complete.h. */
#include "complete.h"

#include <string.h>
#include <sys/stat.h>

#include "help_options.h"
#include "programs.h"
#include "run.h"
#include "tools/common/program.h"
#include "trace_names.h"
#include "values.h"

/* No more traces are read for one key. */
enum { TRACES_MAX = 4 };

struct line {
    /* Those before the one that is completed; the first is the program. */
    int n;
    char **words;
    const char *current;
    struct help help;
    struct trace_names names;
    /* The word that chooses what the program does; NULL for none. */
    const char *command;
    /* How many words there are that are no options, nor their values. */
    size_t n_operands;
    /* The option whose value is completed; NULL for none. */
    const struct help_option *option;
    /* Only operands follow. */
    bool options_ended;
};

/* ---- The words before -------------------------------------------------------------- */

static const struct help_usage *find_usage(const struct line *line, const char *command)
{
    for (size_t i = 0; i < line->help.n_usages; i++) {
        const char *known = line->help.usages[i].command;

        if (command == NULL ? known == NULL : known && strcmp(known, command) == 0)
            return &line->help.usages[i];
    }
    return NULL;
}

static bool runs_command(const struct line *line)
{
    const struct help_usage *usage = find_usage(line, line->command);

    return usage != NULL && strstr(usage->arguments, " COMMAND") != NULL;
}

static void take_operand(struct line *line, const char *word)
{
    const struct help_usage *usage = find_usage(line, word);

    if (line->command == NULL && line->n_operands == 0 && usage != NULL) {
        line->command = usage->command;
        return;
    }
    line->n_operands++;
    /* What follows a command is the command's. */
    line->options_ended = line->options_ended || runs_command(line);
}

/* Calls `visit` with each operand and finds out what the current word is. */
static void walk(struct line *line, void (*visit)(struct line *line, const char *word))
{
    const char *value;

    for (int i = 1; i < line->n; i++) {
        const char *word = line->words[i];

        if (line->option != NULL) {
            line->option = NULL;
        } else if (line->options_ended || word[0] != '-' || word[1] == '\0') {
            visit(line, word);
        } else if (strcmp(word, "--") == 0) {
            line->options_ended = true;
        } else {
            line->option = help_option_of(&line->help, word, &value);
            if (line->option != NULL &&
                (line->option->argument == NULL || line->option->is_optional || value))
                line->option = NULL;
        }
    }
}

/* Operands that are files: named pipes would wait for a writer. */
static void read_trace(struct line *line, const char *word)
{
    struct stat status;

    if (line->n_operands++ < TRACES_MAX && stat(word, &status) == 0 &&
        S_ISREG(status.st_mode))
        trace_names_read(&line->names, word);
}

static void read_traces(struct line *line)
{
    struct line again = *line;

    again.options_ended = false;
    again.option = NULL;
    again.n_operands = 0;
    walk(&again, read_trace);
    line->names = again.names;
}

/* ---- The current word -------------------------------------------------------------- */

static void add_options(struct line *line, struct text *lines)
{
    struct text word = {NULL, 0, 0};

    for (size_t i = 0; i < line->help.n_options; i++) {
        const struct help_option *o = &line->help.options[i];

        if (!help_option_is_of(&line->help, o, line->command))
            continue;
        word.size = 0;
        text_printf(&word, "--%s", o->name);
        value_add(lines, "", (struct string){word.data, word.size}, string_from(o->help));
    }
}

/* A value after "--color=": each line has that, too. */
static enum value_kind add_value(struct line *line, struct text *lines,
                                 const struct help_option *option, const char *value)
{
    struct text begin = {NULL, 0, 0};
    struct text values = {NULL, 0, 0};

    text_add(&begin, line->current, (size_t)(value - line->current));
    text_char(&begin, '\0');
    read_traces(line);
    value_add_all(&values, option, value, &line->names);
    for (size_t at = 0; at < values.size;) {
        char *end = memchr(values.data + at, '\n', values.size - at);
        size_t size = (size_t)(end + 1 - (values.data + at));

        text_str(lines, begin.data);
        text_add(lines, values.data + at, size);
        at += size;
    }
    return value_kind_of(option->argument);
}

static enum value_kind add_operand(struct line *line, struct text *lines)
{
    const struct help_usage *usage;

    if (line->command == NULL && line->n_operands == 0) {
        for (size_t i = 0; i < line->help.n_usages; i++) {
            if (line->help.usages[i].command != NULL)
                value_add(lines, "", string_from(line->help.usages[i].command),
                          string_from(""));
        }
        if (lines->size > 0)
            return VALUE_OTHER;
    }
    usage = find_usage(line, line->command);
    if (usage != NULL && strstr(usage->arguments, " PID") != NULL) {
        value_add_running(lines, "");
        return VALUE_OTHER;
    }
    return line->n_operands == 0 && runs_command(line) ? VALUE_COMMAND : VALUE_FILE;
}

static enum value_kind complete_program(struct line *line, struct text *lines)
{
    const struct help_option *option;
    const char *value = NULL;

    if (!help_read(&line->help, line->words[0]))
        return VALUE_FILE;
    walk(line, take_operand);
    if (line->option != NULL)
        return add_value(line, lines, line->option, line->current);
    if (line->options_ended || line->current[0] != '-')
        return add_operand(line, lines);
    option = help_option_of(&line->help, line->current, &value);
    if (option != NULL && value != NULL && option->argument != NULL)
        return add_value(line, lines, option, value);
    add_options(line, lines);
    return VALUE_OTHER;
}

/* ---- fxt itself -------------------------------------------------------------------- */

/* After "fxt report" the words are as after "fxtreport". */
static enum value_kind complete_words(struct line *line, struct text *lines)
{
    const struct program_entry *entry;

    if (line->n > 1 && strcmp(line->words[1], "help") != 0) {
        entry = program_entry_find(line->words[1]);
        if (entry == NULL)
            return VALUE_OTHER;
        line->words++;
        line->n--;
        line->words[0] = memory_copy_string(entry->program);
        return complete_program(line, lines);
    }
    if (line->n <= 2) {
        for (const struct program_entry *e = programs; e->word != NULL; e++)
            value_add(lines, "", string_from(e->word), string_from(e->purpose));
    }
    if (line->n == 1)
        value_add(lines, "", string_from("help"),
                  string_from("open the man page of a program"));
    return VALUE_OTHER;
}

bool complete_line(int n_words, char **words)
{
    static const char *const kinds[] = {[VALUE_OTHER] = "nothing",
                                        [VALUE_FILE] = "files",
                                        [VALUE_DIRECTORY] = "directories",
                                        [VALUE_COMMAND] = "commands"};
    struct line line = {.n = n_words - 1, .words = words};
    struct text lines = {NULL, 0, 0};
    struct text all = {NULL, 0, 0};
    enum value_kind kind = VALUE_FILE;
    const char *program;

    if (n_words >= 2) {
        line.current = words[n_words - 1];
        program = strrchr(words[0], '/');
        words[0] += program != NULL ? program + 1 - words[0] : 0;
        if (strcmp(words[0], FXT_PROGRAM) == 0)
            kind = complete_words(&line, &lines);
        else if (program_entry_find(words[0]) != NULL)
            kind = complete_program(&line, &lines);
    }
    text_printf(&all, "%s\n", kinds[kind]);
    text_add(&all, lines.data, lines.size);
    return program_print(FXT_PROGRAM, &all);
}
