/* SPDX-License-Identifier: BSD-2-Clause */
/* See values.h. */
#include "values.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "common/base/quote.h"

/* ---- Lines ------------------------------------------------------------------------- */

static bool is_plain(struct string string)
{
    for (size_t i = 0; i < string.size; i++) {
        if (iscntrl((unsigned char)string.data[i]))
            return false;
    }
    return quote_count_utf8(string.data, string.size) == string.size;
}

void value_add(struct text *lines, const char *prefix, struct string candidate,
               struct string about)
{
    if (candidate.size == 0 || !is_plain(candidate))
        return;
    text_str(lines, prefix);
    text_add(lines, candidate.data, candidate.size);
    if (about.size > 0) {
        text_char(lines, '\t');
        quote_text(lines, about.data, about.size);
    }
    text_char(lines, '\n');
}

/* ---- Kinds of arguments ------------------------------------------------------------ */

static bool begins_with(const char *string, const char *begin)
{
    return strncmp(string, begin, strlen(begin)) == 0;
}

enum value_kind value_kind_of(const char *argument)
{
    static const struct {
        const char *begin;
        enum value_kind kind;
    } kinds[] = {
        {"FILE", VALUE_FILE},       {"BASE", VALUE_FILE},     {"BEFORE", VALUE_FILE},
        {"PATH", VALUE_FILE},       {"ARCHIVE", VALUE_FILE},  {"IN", VALUE_FILE},
        {"OUT", VALUE_FILE},        {"DIR", VALUE_DIRECTORY}, {"COMMAND", VALUE_COMMAND},
        {"PROGRAM", VALUE_COMMAND},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (begins_with(argument, kinds[i].begin))
            return kinds[i].kind;
    }
    return VALUE_OTHER;
}

static bool is_list(const char *argument)
{
    return strchr(argument, ',') != NULL || strcmp(argument, "LIST") == 0 ||
           strcmp(argument, "NAMES") == 0;
}

/* ---- Choices that the help states -------------------------------------------------- */

/* The size of a word that can be the value of an option; 0 if there is none. */
static size_t count_word(const char *at)
{
    size_t size = 0;

    while (islower((unsigned char)at[size]) || isdigit((unsigned char)at[size]) ||
           (size > 0 && at[size] == '-'))
        size++;
    return size;
}

/* Adds the words of "auto, always or never". Returns false if there is no such list. */
static bool add_choices(struct text *lines, const char *prefix, const char *at)
{
    struct text choices = {NULL, 0, 0};
    bool is_last = false;
    size_t size;

    while ((size = count_word(at)) > 0) {
        value_add(&choices, prefix, (struct string){at, size}, string_from(""));
        at += size;
        if (is_last)
            break;
        is_last = begins_with(at, " or ");
        if (!is_last && !begins_with(at, ", "))
            break;
        at += is_last ? 4 : 2;
    }
    if (is_last && size > 0 && (*at == '\0' || strchr(";:, ", *at) != NULL))
        text_add(lines, choices.data, choices.size);
    return is_last;
}

/* "hide|show" */
static void add_alternatives(struct text *lines, const char *prefix, const char *argument)
{
    while (*argument != '\0') {
        size_t size = strcspn(argument, "|");

        value_add(lines, prefix, (struct string){argument, size}, string_from(""));
        argument += size;
        argument += *argument == '|';
    }
}

/* ---- What traces have -------------------------------------------------------------- */

static void add_koids(struct text *lines, const char *prefix,
                      const struct named_koids *koids, const struct string_table *names)
{
    struct text number = {NULL, 0, 0};

    for (size_t i = 0; i < koids->n; i++) {
        number.size = 0;
        text_u64(&number, koids->koids[i].koid);
        value_add(lines, prefix, (struct string){number.data, number.size},
                  string_table_get(names, koids->koids[i].name));
    }
    text_free(&number);
}

/* A name as a pattern that matches it. */
static void add_pattern(struct text *lines, const char *prefix, const char *special,
                        struct string name)
{
    struct text pattern = {NULL, 0, 0};

    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] != '\0' && strchr(special, name.data[i]) != NULL)
            text_char(&pattern, '\\');
        text_char(&pattern, name.data[i]);
    }
    value_add(lines, prefix, (struct string){pattern.data, pattern.size},
              string_from(""));
}

static void add_names(struct text *lines, const char *prefix, const char *argument,
                      const struct string_table *names)
{
    bool is_regex = strcmp(argument, "REGEX") == 0;

    for (uint32_t i = 0; i < names->n; i++)
        add_pattern(lines, prefix, is_regex ? "\\.[]{}()*+?^$|" : "\\*?[",
                    string_table_get(names, i));
}

static void add_process_names(struct text *lines, const char *prefix,
                              const char *argument, const struct trace_names *names)
{
    struct string_table found = {.n = 0};

    for (size_t i = 0; i < names->processes.n; i++) {
        struct string name =
            string_table_get(&names->names, names->processes.koids[i].name);

        if (name.size > 0)
            string_table_add(&found, name.data, name.size);
    }
    add_names(lines, prefix, argument, &found);
}

void value_add_running(struct text *lines, const char *prefix)
{
    DIR *directory = opendir("/proc");
    const struct dirent *entry;
    char path[300];
    char name[64];

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        FILE *file;

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
        file = fopen(path, "re");
        if (file == NULL || fgets(name, sizeof(name), file) == NULL)
            name[0] = '\0';
        if (file != NULL)
            fclose(file);
        name[strcspn(name, "\n")] = '\0';
        value_add(lines, prefix, string_from(entry->d_name), string_from(name));
    }
    if (directory != NULL)
        closedir(directory);
}

/* Adds what an option by that name chooses from. Returns false if it is another one. */
static bool add_named(struct text *lines, const char *prefix,
                      const struct help_option *option, const struct trace_names *names)
{
    const char *argument = option->argument;
    const char *name = option->name;
    bool is_of_koids = is_list(argument);

    if (begins_with(argument, "PID"))
        value_add_running(lines, prefix);
    else if (strcmp(name, "pid") == 0 || (strcmp(name, "process") == 0 && is_of_koids))
        add_koids(lines, prefix, &names->processes, &names->names);
    else if (strcmp(name, "tid") == 0 || (strcmp(name, "thread") == 0 && is_of_koids))
        add_koids(lines, prefix, &names->threads, &names->names);
    else if (strcmp(name, "process") == 0)
        add_process_names(lines, prefix, argument, names);
    else if (strcmp(name, "category") == 0)
        add_names(lines, prefix, argument, &names->categories);
    else if (strcmp(name, "provider") == 0)
        add_names(lines, prefix, argument, &names->providers);
    else if (strcmp(name, "name") == 0 || strcmp(name, "span") == 0 ||
             strcmp(name, "around") == 0)
        add_names(lines, prefix, argument, &names->events);
    else
        return false;
    return true;
}

void value_add_all(struct text *lines, const struct help_option *option, const char *word,
                   const struct trace_names *names)
{
    const char *last = is_list(option->argument) ? strrchr(word, ',') : NULL;
    const char *after = strstr(option->help, ": ");
    struct text prefix = {NULL, 0, 0};

    if (last != NULL)
        text_add(&prefix, word, (size_t)(last + 1 - word));
    text_char(&prefix, '\0');
    if (add_named(lines, prefix.data, option, names))
        return;
    if (islower((unsigned char)option->argument[0]) && strchr(option->argument, '|'))
        add_alternatives(lines, prefix.data, option->argument);
    else if (!add_choices(lines, prefix.data, option->help) && after != NULL)
        add_choices(lines, prefix.data, after + 2);
}
