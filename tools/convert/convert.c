/* SPDX-License-Identifier: BSD-2-Clause */
/* See convert.h. */
#include "convert.h"

#include <string.h>

#include "conversion.h"
#include "libfxtprofile/symbols/kallsyms.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

static void complain_why(const struct conversion *c, const char *about, struct text *why)
{
    text_char(why, '\0');
    complain(c->converter->name, about, "%s", why->data);
    text_free(why);
}

static bool read_elfs(struct conversion *c)
{
    struct text why = {NULL, 0, 0};

    if (c->options.unsymbolized)
        return true;
    c->pipeline.symbolizer.files.dirs = c->options.debug_dirs;
    c->pipeline.symbolizer.files.n_dirs = c->options.n_debug_dirs;
    c->pipeline.symbolizer.files.asks_servers = true;
    c->pipeline.symbolizer.finds_modules = true;
    c->pipeline.symbolizer.no_inlines = c->options.no_inlines;
    for (size_t i = 0; i < c->options.n_elfs; i++) {
        if (!symbolizer_add(&c->pipeline.symbolizer, c->options.elfs[i], &why)) {
            complain_why(c, c->options.elfs[i], &why);
            return false;
        }
    }
    if (c->options.kallsyms != NULL &&
        !kallsyms_add(&c->pipeline.symbolizer, c->options.kallsyms, &why)) {
        complain_why(c, c->options.kallsyms, &why);
        return false;
    }
    return true;
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
    text_str(&c->command, c->converter->name);
    for (int i = 1; i < argc; i++) {
        text_char(&c->command, ' ');
        add_argument(&c->command, argv[i]);
    }
    text_char(&c->command, '\0');
}

static void write_profile(struct conversion *c, struct output *output)
{
    output_write_profile(&c->pipeline.profile, c->options.format, &c->options.settings,
                         output);
}

static int convert(struct conversion *c)
{
    const char *output_name = c->options.output;
    struct text why = {NULL, 0, 0};
    struct output *output;
    bool keep;
    int status;

    if (!conversion_spares_inputs(c) || !read_elfs(c) || !conversion_spares_symbols(c))
        return EXIT_UNUSABLE;
    output = output_open(output_name, c->options.format->is_binary, &why);
    if (output == NULL) {
        complain_why(c, output_name, &why);
        return EXIT_BAD;
    }
    conversion_read(c);
    keep =
        c->pipeline.loaded.n_unusable < c->options.import.n_files && conversion_fits(c);
    if (keep)
        conversion_summarize(c);
    status = keep ? conversion_judge(c) : EXIT_UNUSABLE;
    if (keep &&
        (!conversion_spares_symbols(c) || !conversion_spares_captures(c, status))) {
        keep = false;
        status = status > EXIT_BAD ? status : EXIT_BAD;
    }
    if (keep)
        write_profile(c, output);
    if (!output_close(output, keep, &why)) {
        complain_why(c, output_name != NULL ? output_name : "standard output", &why);
        status = status > EXIT_BAD ? status : EXIT_BAD;
    }
    return status;
}

static int run(void *context, int argc, char **argv)
{
    struct conversion c = {.converter = (const struct converter *)context};
    int status = EXIT_GOOD;

    memory_return_to_system();
    keep_command(&c, argc, argv);
    switch (options_parse(&c.options, c.converter, argc, argv)) {
    case OPTIONS_OK:
        status = convert(&c);
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
    pipeline_free(&c.pipeline);
    options_free(&c.options);
    text_free(&c.command);
    return status;
}

int convert_main(const struct converter *converter, int argc, char **argv)
{
    return program_main(converter->name, run, (void *)(uintptr_t)converter, argc, argv);
}
