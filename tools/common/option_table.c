/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_table.h. */
#include "option_table.h"

#include <assert.h>
#include <string.h>

#include <fxt/common.h>

#include "common/base/memory.h"

/* What getopt_long returns for a long option is more, by the entry's number. */
enum { FIRST_LONG = 256 };

/* No line of the help has more columns, unless a word is longer. */
enum { HELP_COLUMNS = 84 };

const char *const option_byte_orders[3] = {
    [FXT_BYTE_ORDER_LITTLE] = "little", [FXT_BYTE_ORDER_BIG] = "big"};

/* ---- For getopt_long --------------------------------------------------------------- */

static int argument_kind(const struct option_entry *entry)
{
    if (entry->argument == NULL)
        return no_argument;
    return entry->argument[0] == '[' ? optional_argument : required_argument;
}

static void add_letter(struct text *letters, const struct option_entry *entry)
{
    int kind = argument_kind(entry);

    text_char(letters, (char)entry->letter);
    if (kind != no_argument)
        text_char(letters, ':');
    if (kind == optional_argument)
        text_char(letters, ':');
}

static size_t count_options(const struct option_group *groups)
{
    size_t n = 0;

    for (; groups->entries != NULL; groups++) {
        for (const struct option_entry *e = groups->entries; e->name != NULL; e++)
            n++;
    }
    return n;
}

void option_table_make(struct option_table *table, const struct option_group *groups,
                       const char *mode)
{
    struct text letters = {NULL, 0, 0};
    int i = 0;

    table->n_names = count_options(groups);
    table->names = memory_allocate((table->n_names + 1) * sizeof(*table->names));
    table->entries = memory_allocate(table->n_names * sizeof(*table->entries));
    text_str(&letters, mode);
    for (; groups->entries != NULL; groups++) {
        for (const struct option_entry *e = groups->entries; e->name != NULL; e++) {
            table->entries[i] = e;
            table->names[i] =
                (struct option){e->name, argument_kind(e), NULL, FIRST_LONG + i};
            i++;
            if (e->letter != 0)
                add_letter(&letters, e);
        }
    }
    text_char(&letters, '\0');
    table->letters = memory_copy_string(letters.data);
}

const struct option_entry *option_table_find(const struct option_table *table,
                                             int returned)
{
    size_t i = 0;

    if (returned >= FIRST_LONG)
        return table->entries[returned - FIRST_LONG];
    for (; table->entries[i]->letter != returned; i++)
        assert(i + 1 < table->n_names);
    return table->entries[i];
}

/* ---- Values ------------------------------------------------------------------------ */

bool value_list_add(struct value_list *list, const char *value)
{
    MEMORY_ADD(list->values, list->n, list->capacity, value);
    return value[0] != '\0';
}

static bool take_number(const struct option_value *how, void *to, const char *value)
{
    uint64_t number;
    uint32_t small;

    if (!how->parse(value, &number) || number < how->min || number > how->max)
        return false;
    small = (uint32_t)number;
    memcpy(to, how->size == sizeof(small) ? (void *)&small : (void *)&number, how->size);
    return true;
}

/* "only off-cpu, wakeup or wall" */
static void add_words(const struct option_value *how, struct text *why)
{
    const char *separator = "only ";
    size_t last = how->n_words - 1;

    for (size_t i = 0; i <= last; i++) {
        if (how->words[i] == NULL)
            continue;
        text_printf(why, "%s%s", separator, how->words[i]);
        separator = i + 1 < last ? ", " : " or ";
    }
}

static bool take_word(const struct option_value *how, uint32_t *to,
                      struct option_given *given)
{
    for (size_t i = 0; i < how->n_words; i++) {
        if (how->words[i] == NULL || strcmp(how->words[i], given->value) != 0)
            continue;
        *to = (uint32_t)i;
        return true;
    }
    add_words(how, &given->why);
    return false;
}

static bool store_value(const struct option_value *how, void *to,
                        struct option_given *given)
{
    const char *value = given->value;

    switch (how->kind) {
    case OPTION_KIND_NONE:
        return true;
    case OPTION_KIND_CONSTANT:
        *(uint32_t *)to = how->constant;
        return true;
    case OPTION_KIND_BITS:
        *(uint32_t *)to |= how->constant;
        return true;
    case OPTION_KIND_STRING:
        *(const char **)to = value;
        return true;
    case OPTION_KIND_NAME:
        *(const char **)to = value;
        return value[0] != '\0';
    case OPTION_KIND_OUTPUT:
        *(const char **)to = strcmp(value, "-") == 0 ? NULL : value;
        return value[0] != '\0';
    case OPTION_KIND_LIST:
        return value_list_add((struct value_list *)to, value);
    case OPTION_KIND_NUMBER:
        return take_number(how, to, value);
    case OPTION_KIND_WORD:
        return take_word(how, (uint32_t *)to, given);
    case OPTION_KIND_FILTER:
        return how->add((struct filter *)to, value);
    }
    return false;
}

bool option_take(const struct option_entry *entry, struct option_given *given)
{
    const struct option_value *how = &entry->value;
    char *base = (char *)(how->is_own ? given->own : given->options);

    if (how->has_flag)
        *(bool *)(base + how->flag) = true;
    if (how->has_count)
        ++*(unsigned *)(base + how->count);
    return store_value(how, base + how->place, given) &&
           (how->call == NULL || how->call(given));
}

/* ---- For --help -------------------------------------------------------------------- */

static void add_spaces(struct text *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_char(text, ' ');
}

/* Adds "  -o, --output FILE". */
static void add_synopsis(struct text *text, const struct option_entry *entry)
{
    if (entry->letter != 0)
        text_printf(text, "  -%c, --%s", entry->letter, entry->name);
    else
        text_printf(text, "      --%s", entry->name);
    if (argument_kind(entry) == required_argument)
        text_char(text, ' ');
    if (entry->argument != NULL)
        text_str(text, entry->argument);
}

/* Adds the words of `help`; the cursor is at `column`, where each line begins. */
static void add_wrapped(struct text *text, const char *help, size_t column)
{
    size_t at = column;

    while (*help != '\0') {
        size_t size = strcspn(help, " ");

        if (at > column && at + 1 + size > HELP_COLUMNS) {
            text_char(text, '\n');
            add_spaces(text, column);
            at = column;
        } else if (at > column) {
            text_char(text, ' ');
            at++;
        }
        text_add(text, help, size);
        at += size;
        help += size;
        help += *help == ' ';
    }
    text_char(text, '\n');
}

/* Adds `help` to a line of which there are `size` bytes. At least two spaces are between,
 * where fxt recognises it. */
static void add_help(struct text *text, size_t size, const char *help, size_t column)
{
    if (size + 2 <= column) {
        add_spaces(text, column - size);
    } else {
        text_char(text, '\n');
        add_spaces(text, column);
    }
    add_wrapped(text, help, column);
}

static void add_entry(struct text *text, const struct option_entry *entry, size_t column)
{
    size_t start = text->size;

    add_synopsis(text, entry);
    add_help(text, text->size - start, entry->help, column);
}

void option_table_help_row(struct text *text, const char *name, const char *help,
                           size_t column)
{
    size_t start = text->size;

    text_printf(text, "  %s", name);
    add_help(text, text->size - start, help, column);
}

void option_table_help(struct text *text, const struct option_group *groups,
                       size_t column)
{
    for (; groups->entries != NULL; groups++) {
        if (groups->heading == NULL)
            text_char(text, '\n');
        else if (strcmp(groups->heading, OPTION_GROUP_GOES_ON) != 0)
            text_printf(text, "\n%s:\n", groups->heading);
        for (const struct option_entry *e = groups->entries; e->name != NULL; e++)
            add_entry(text, e, column);
    }
}
