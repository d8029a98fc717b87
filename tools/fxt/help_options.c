/* SPDX-License-Identifier: BSD-2-Clause */
/* See help_options.h. */
#include "help_options.h"

#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "programs.h"

/* ---- What a program prints --------------------------------------------------------- */

extern char **environ;

enum { OUTPUT_MAX = 1 << 20 };

static bool start_program(pid_t *process, int output, const char *path,
                          const char *argument)
{
    char *name = memory_copy_string(path);
    char *copy = memory_copy_string(argument);
    char *arguments[] = {name, copy, NULL};
    posix_spawn_file_actions_t actions;
    bool started;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, output);
    started = posix_spawn(process, path, &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

static bool read_all(struct text *text, int from)
{
    for (;;) {
        char *room = text_room(text, 4096);
        ssize_t size = read(from, room, 4096);

        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size == 0;
        text->size += (size_t)size;
        if (text->size > OUTPUT_MAX)
            return false;
    }
}

/* Runs a program with one argument and adds what it prints on standard output. Returns
 * false if it does not exit with 0, or prints more than a megabyte. */
static bool ask_program(struct text *text, const char *path, const char *argument)
{
    pid_t process = 0;
    int status = 1;
    int ends[2];
    bool good;

    if (pipe(ends) != 0)
        return false;
    good = start_program(&process, ends[1], path, argument);
    close(ends[1]);
    if (good)
        good = read_all(text, ends[0]);
    close(ends[0]);
    if (process > 0 && waitpid(process, &status, 0) != process)
        status = 1;
    return good && status == 0;
}

/* ---- Options ----------------------------------------------------------------------- */

/* Two spaces are between an option and what it does. */
static char *cut_off(char *from, const char *separator)
{
    char *end = strstr(from, separator);

    if (end == NULL)
        return from + strlen(from);
    *end = '\0';
    end += strlen(separator);
    return end + strspn(end, " ");
}

/* Takes "  -o, --output FILE    what it does"; returns false for other lines. */
static bool take_option(struct help *help, char *line, const char *heading)
{
    bool has_letter = strncmp(line, "  -", 3) == 0 && strncmp(line + 4, ", --", 4) == 0;
    struct help_option option = {.letter = has_letter ? line[3] : '\0',
                                 .heading = heading};
    char *argument;

    if (!has_letter && strncmp(line, "      --", 8) != 0)
        return false;
    line += 8;
    option.name = line;
    option.help = cut_off(line, "  ");
    argument = line + strcspn(line, " [");
    option.is_optional = argument[0] == '[';
    if (argument[0] != '\0') {
        option.argument = argument + (option.is_optional ? 2 : 1);
        argument[0] = '\0';
        if (option.is_optional)
            argument[strcspn(argument + 1, "]") + 1] = '\0';
    }
    MEMORY_ADD(help->options, help->n_options, help->option_capacity, option);
    return true;
}

/* Takes "Usage: fxtheap attach [OPTION...] PID" from its second word on. */
static void take_usage(struct help *help, char *line)
{
    struct help_usage usage = {NULL, NULL};
    char *at = line + strcspn(line, " ");

    at += strspn(at, " ");
    if (islower((unsigned char)*at)) {
        usage.command = at;
        at = cut_off(at, " ");
    }
    usage.arguments = at;
    MEMORY_ADD(help->usages, help->n_usages, help->usage_capacity, usage);
}

/* Joins a line that continues the help of an option to that help. */
static void join_help(const struct help *help, char *line)
{
    struct help_option *option = &help->options[help->n_options - 1];
    size_t size = strlen(option->help);
    char *end = help->text.data + (option->help - help->text.data) + size;

    line += strspn(line, " ");
    if (size > 0)
        *end++ = ' ';
    memmove(end, line, strlen(line) + 1);
}

/* Fills in the rest from the text, which ends in a zero and is changed. */
static void parse_help(struct help *help)
{
    const char *heading = "";
    bool in_usage = false;
    bool in_option = false;

    for (char *line = help->text.data, *next; *line != '\0'; line = next) {
        size_t size = strcspn(line, "\n");

        next = line + size + (line[size] == '\n');
        line[size] = '\0';
        if (strncmp(line, "Usage: ", 7) == 0 || (in_usage && line[0] == ' ')) {
            take_usage(help, line + 7);
            in_usage = true;
            continue;
        }
        in_usage = false;
        if (in_option && strncmp(line, "        ", 8) == 0) {
            join_help(help, line);
            continue;
        }
        in_option = take_option(help, line, heading);
        if (!in_option && size > 0 && line[size - 1] == ':' && line[0] != ' ') {
            line[size - 1] = '\0';
            heading = line;
        }
    }
}

bool help_read(struct help *help, const char *program)
{
    struct text path = {NULL, 0, 0};
    bool good;

    *help = (struct help){.n_options = 0};
    good = program_entry_locate(&path, program) &&
           ask_program(&help->text, path.data, "--help");
    text_char(&help->text, '\0');
    if (good && memchr(help->text.data, '\0', help->text.size) ==
                    help->text.data + help->text.size - 1)
        parse_help(help);
    return good;
}

/* Headings are "run and attach and snapshot", or "All". */
bool help_option_is_of(const struct help *help, const struct help_option *option,
                       const char *command)
{
    if (command == NULL)
        return help->n_usages == 0 || help->usages[0].command == NULL ||
               strcmp(option->heading, "All") == 0;
    return strcmp(option->heading, "All") == 0 ||
           strstr(option->heading, command) != NULL;
}

static const struct help_option *find_long(const struct help *help, const char *name,
                                           const char **value)
{
    size_t size = strcspn(name, "=");

    *value = name[size] == '=' ? name + size + 1 : NULL;
    for (size_t i = 0; i < help->n_options; i++) {
        const char *known = help->options[i].name;

        if (strncmp(known, name, size) == 0 && known[size] == '\0')
            return &help->options[i];
    }
    return NULL;
}

/* Of letters in one word the first that takes an argument, or the last one. */
static const struct help_option *find_letter(const struct help *help, const char *letters,
                                             const char **value)
{
    const struct help_option *found = NULL;

    *value = NULL;
    for (; *letters != '\0' && *value == NULL; letters++) {
        for (size_t i = 0; i < help->n_options; i++) {
            if (help->options[i].letter == *letters)
                found = &help->options[i];
        }
        if (found != NULL && found->argument != NULL && letters[1] != '\0')
            *value = letters + 1;
    }
    return found;
}

const struct help_option *help_option_of(const struct help *help, const char *word,
                                         const char **value)
{
    *value = NULL;
    if (word[0] != '-' || word[1] == '\0')
        return NULL;
    if (word[1] == '-')
        return find_long(help, word + 2, value);
    return find_letter(help, word + 1, value);
}
