/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fxt: one word to remember. Runs the programs of this toolbox, lists them by what one
 * wants to do, opens their man pages, and completes command lines for shells.
 */
#include <string.h>

#include "common/base/quote.h"
#include "complete.h"
#include "programs.h"
#include "run.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

enum { FXT_GOOD = 0, FXT_BAD = 1, FXT_USAGE = 2 };

static int print_list(void)
{
    struct text text = {NULL, 0, 0};

    text_str(&text, "Usage: fxt PROGRAM [ARGUMENT...]\n"
                    "       fxt help PROGRAM\n");
    for (const struct program_entry *e = programs; e->word != NULL; e++) {
        struct text path = {NULL, 0, 0};

        if (e->heading != NULL)
            text_printf(&text, "\n%s:\n", e->heading);
        text_printf(&text, "  %-10s %s%s\n", e->word, e->purpose,
                    program_entry_locate(&path, e->program) ? "" : " (not installed)");
    }
    text_str(&text, "\nWhat these run is called fxtrecord, fxt2perfetto and so on: "
                    "fxt help PROGRAM.\n");
    return program_print(FXT_PROGRAM, &text) ? FXT_GOOD : FXT_BAD;
}

static int refuse_word(const char *word)
{
    const char *nearest = program_entry_nearest(word);
    struct text shown = {NULL, 0, 0};

    quote_text(&shown, word, strlen(word));
    text_char(&shown, '\0');
    if (nearest != NULL)
        complain(FXT_PROGRAM, NULL, "there is no program '%s': is '%s' meant?",
                 shown.data, nearest);
    else
        complain(FXT_PROGRAM, NULL, "there is no program '%s': fxt lists them",
                 shown.data);
    return FXT_USAGE;
}

static int show_help(int argc, char **argv)
{
    const struct program_entry *entry;

    if (argc > 3) {
        complain(FXT_PROGRAM, NULL, "unexpected argument '%s'", argv[3]);
        return FXT_USAGE;
    }
    if (argc < 3)
        return print_list();
    if (strcmp(argv[2], FXT_PROGRAM) == 0 || strcmp(argv[2], "help") == 0)
        return run_manual(FXT_PROGRAM);
    entry = program_entry_find(argv[2]);
    return entry != NULL ? run_manual(entry->program) : refuse_word(argv[2]);
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int run_fxt(void *context, int argc, char **argv)
{
    const struct program_entry *entry;

    (void)context;
    if (argc < 2 || is_one_of(argv[1], "-h", "--help"))
        return print_list();
    if (is_one_of(argv[1], "-V", "--version"))
        return program_version(FXT_PROGRAM);
    if (strcmp(argv[1], "help") == 0)
        return show_help(argc, argv);
    if (strcmp(argv[1], "complete") == 0)
        return complete_line(argc - 2, argv + 2) ? FXT_GOOD : FXT_BAD;
    entry = program_entry_find(argv[1]);
    if (entry == NULL)
        return refuse_word(argv[1]);
    argv[1] = memory_copy_string(entry->program);
    return run_program(entry->program, argv + 1);
}

int main(int argc, char **argv)
{
    return program_main(FXT_PROGRAM, run_fxt, NULL, argc, argv);
}
