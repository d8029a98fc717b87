/* SPDX-License-Identifier: BSD-2-Clause */
/* See convert.h. */
#include "convert.h"

#include <string.h>

#include "common/base/memory.h"
#include "conversion.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

static void complain_why(const struct conversion *c, const char *about, struct text *why)
{
    text_char(why, '\0');
    complain(c->converter->name, about, "%s", why->data);
    text_free(why);
}

/* An argument as a shell would take it. */
static void add_argument(struct text *line, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./@:=,+-";

    if (argument[0] != '\0' && argument[strspn(argument, plain)] == '\0') {
        text_str(line, argument);
        return;
    }
    text_char(line, '\'');
    for (; *argument != '\0'; argument++) {
        if (*argument == '\'')
            text_str(line, "'\\''");
        else
            text_char(line, *argument);
    }
    text_char(line, '\'');
}

/* Options may still be in another order than they will be once they are parsed. */
static void keep_command(struct conversion *c, int argc, char **argv)
{
    text_str(&c->command, "# ");
    c->command_start = c->command.size;
    text_str(&c->command, c->converter->name);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0 && c->command_files == 0)
            c->command_files = c->command.size;
        text_char(&c->command, ' ');
        add_argument(&c->command, argv[i]);
    }
    if (c->command_files == 0)
        c->command_files = c->command.size;
    text_char(&c->command, '\0');
}

/* The profile is there if this returns true. */
static bool read_all(struct conversion *c, int *status)
{
    *status = conversion_read(c);
    if (*status != EXIT_GOOD)
        return false;
    *status = EXIT_UNUSABLE;
    if (c->statistics.n_unusable_inputs >= c->options.n_files || !conversion_fits(c))
        return false;
    conversion_summarize(c);
    *status = conversion_judge(c);
    return true;
}

static int at_least_bad(int status)
{
    return status > EXIT_BAD ? status : EXIT_BAD;
}

/* Writes the profile as compared with an earlier one. */
static bool write_compared(struct conversion *c, struct output *output, int *status)
{
    struct fxt_profile_file file = {c->options.before, false, 0};
    struct conversion before;
    int before_status = conversion_read_before(&before, c, &file);
    bool good = before_status != EXIT_UNUSABLE;

    *status = before_status > *status ? before_status : *status;
    if (good && !conversion_is_comparable(c, &before)) {
        *status = EXIT_UNUSABLE;
        good = false;
    }
    c->options.write.before = before.profile;
    good = good && conversion_write(c, output);
    c->options.write.before = NULL;
    conversion_free(&before);
    return good;
}

static bool write_output(struct conversion *c, struct output *output, int *status)
{
    int own_status;

    if (!conversion_writes_own(c) && c->options.before != NULL)
        return write_compared(c, output, status);
    if (!conversion_writes_own(c))
        return conversion_write(c, output);
    own_status = c->converter->write_own(c, output);
    if (own_status == EXIT_UNWRITTEN)
        return false;
    *status = own_status > *status ? own_status : *status;
    return own_status != EXIT_UNUSABLE;
}

/* Returns false, with a message, if that cannot be done. */
static bool open_output(struct conversion *c, struct output **output)
{
    struct text why = {NULL, 0, 0};

    *output = NULL;
    if (c->converter->opens_own)
        return true;
    *output = output_open(c->options.output, c->options.format.is_binary, &why);
    if (*output == NULL)
        complain_why(c, c->options.output, &why);
    return *output != NULL;
}

/* The same. */
static bool close_output(struct conversion *c, struct output *output, bool keep)
{
    const char *name = c->options.output;
    struct text why = {NULL, 0, 0};

    if (output == NULL || output_close(output, keep, &why))
        return true;
    complain_why(c, name != NULL ? name : "standard output", &why);
    return false;
}

int convert_inputs(struct conversion *c)
{
    struct output *output;
    bool keep;
    int status;

    if (!conversion_spares_inputs(c) || !page_takes_inputs(c))
        return EXIT_UNUSABLE;
    status = conversion_start(c);
    if (status != EXIT_GOOD)
        return status;
    if (!conversion_spares_symbols(c))
        return EXIT_UNUSABLE;
    if (!open_output(c, &output))
        return EXIT_BAD;
    keep = read_all(c, &status);
    if (keep &&
        (!conversion_spares_symbols(c) || !conversion_spares_captures(c, status) ||
         !write_output(c, output, &status))) {
        keep = false;
        status = at_least_bad(status);
    }
    if (!close_output(c, output, keep))
        status = at_least_bad(status);
    return status;
}

static int run_converter(void *context, int argc, char **argv)
{
    struct conversion c = {.converter = (const struct converter *)context};
    int status = EXIT_GOOD;

    memory_return_to_system();
    keep_command(&c, argc, argv);
    switch (options_parse(&c.options, c.converter, argc, argv)) {
    case OPTIONS_OK:
        if (c.converter->print_own == NULL ||
            !c.converter->print_own(&c.options, &status))
            status = c.converter->run_own != NULL ? c.converter->run_own(&c)
                                                  : convert_inputs(&c);
        break;
    case OPTIONS_DONE:
        break;
    case OPTIONS_FAILED:
        status = EXIT_BAD;
        break;
    case OPTIONS_WRONG:
        status = EXIT_UNUSABLE;
        break;
    }
    conversion_free(&c);
    return status;
}

int convert_main(const struct converter *converter, int argc, char **argv)
{
    return program_main(converter->name, run_converter, (void *)(uintptr_t)converter,
                        argc, argv);
}
