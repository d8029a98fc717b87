/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2folded: samples of a kernel or a process to folded stacks, for flame graphs. */
#include <string.h>

#include "convert.h"

enum { LETTER_ROOTS = OPTIONS_FIRST_OWN };

static const struct option own_options[] = {
    {"roots", required_argument, NULL, LETTER_ROOTS},
    {NULL, 0, NULL, 0},
};

static const char help_start[] =
    "Usage: fxt2folded [OPTION]... [FILE]...\n"
    "Turns the samples in FXT regions and archives into folded stacks: a line for each\n"
    "stack, root;caller;leaf and how often it was seen. No FILE, or -, is standard "
    "input.\n"
    "Compressed files (gzip) are read as they are. The first region is of CPU 0, and so\n"
    "on.\n";

static const char help_end[] =
    "\n"
    "Writing:\n"
    "      --roots LIST        what each line begins with: process, thread and cpu, in\n"
    "                          any order, or none (default: process)\n";

static bool has_root(const struct output_settings *settings, enum folded_root root)
{
    for (size_t i = 0; i < settings->n_roots; i++) {
        if (settings->roots[i] == root)
            return true;
    }
    return false;
}

static bool take_root(struct output_settings *settings, const char *name, size_t size)
{
    static const char *const names[] = {
        [FOLDED_PROCESS] = "process", [FOLDED_THREAD] = "thread", [FOLDED_CPU] = "cpu"};

    for (size_t i = 0; i < FOLDED_ROOTS; i++) {
        if (strlen(names[i]) != size || memcmp(names[i], name, size) != 0)
            continue;
        if (has_root(settings, (enum folded_root)i))
            return false;
        settings->roots[settings->n_roots++] = (enum folded_root)i;
        return true;
    }
    return false;
}

static bool take_own(struct options *options, int letter, const char *value)
{
    struct output_settings *settings = &options->settings;

    (void)letter;
    settings->n_roots = 0;
    if (strcmp(value, "none") == 0)
        return true;
    for (;;) {
        size_t size = strcspn(value, ",");

        if (!take_root(settings, value, size))
            return false;
        if (value[size] == '\0')
            return true;
        value += size + 1;
    }
}

static const struct output_format *const formats[] = {&output_folded, NULL};

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2folded",
        .help_start = help_start,
        .help_end = help_end,
        .formats = formats,
        .own_options = own_options,
        .take_own = take_own,
        .settings = {.roots = {FOLDED_PROCESS}, .n_roots = 1},
    };

    return convert_main(&converter, argc, argv);
}
