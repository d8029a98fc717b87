/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of the converters: what they share, and what a tool adds.
 */
#ifndef CONVERT_OPTIONS_H
#define CONVERT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "libfxtprofile/import/collect.h"
#include "libfxtprofile/import/settings.h"
#include "libfxtprofile/profile/filter.h"
#include "libfxtprofile/output/outputs.h"
#include "base/parse.h"
#include "tools/common/option_table.h"

struct options {
    /* The tool's name. */
    const char *program;
    /* The inputs, of which there is at least one, and how to read them. */
    struct import_settings import;
    size_t file_capacity;
    /* That of the next file. */
    uint32_t cpu;
    /* NULL for standard output. */
    const char *output;
    const struct output_format *format;
    bool quiet;
    bool verbose;
    /* The names of the options that were given, each once. */
    const char **given;
    size_t n_given;

    /* Large blobs are of Zircon's sampler for arm64. */
    bool is_zircon_arm64;
    bool has_cpus;
    struct cpu_set cpus;
    bool has_window;
    struct time_window window;
    struct filter filter;
    /* The user has said what becomes of idle threads. */
    bool has_idle;
    /* Spans are wanted and not samples. */
    bool spans;
    /* 0 where it is not known. */
    uint64_t period_ns;
    /* A snapshot of heaps to be taken off; NULL for none. */
    const char *base;

    /* Where symbols are looked for, the user's directories first. */
    const char **debug_dirs;
    size_t n_debug_dirs;
    size_t debug_dir_capacity;
    /* Nothing is named by symbols. */
    bool unsymbolized;
    /* Functions that the compiler put into others are left out. */
    bool no_inlines;

    /* NULL for none. */
    const char *kallsyms;

    /* FILE@ADDRESS, as they were given. */
    char **elfs;
    size_t n_elfs;
    size_t elf_capacity;

    /* What single tools add. */
    uint64_t start_ns;
    struct output_settings settings;
};

/* Takes the value of an option; returns false for one that is impossible. */
typedef bool options_take_fn(struct options *options, int letter, const char *value);

/* A converter: its name, its options and what it writes. */
struct converter {
    const char *name;
    /* What the help begins with. */
    const char *usage;
    /* All options, as the help has them. The letters of those that only this converter
     * has are from OPTIONS_FIRST_OWN on. */
    const struct option_group *groups;
    /* Ends in NULL. Where no option says which, it is the one whose suffix the output's
     * name has, or else the first. */
    const struct output_format *const *formats;
    /* Takes an option that only this converter has. */
    options_take_fn *take_own;
    /* What holds where no option says otherwise. */
    struct output_settings settings;
};

/* The options that all converters have. */
extern const struct option_entry options_reading[];
extern const struct option_entry options_choosing[];
extern const struct option_entry options_naming[];
extern const struct option_entry options_general[];

/* Where the letters of each begin; those of options_general are characters. */
enum {
    OPTIONS_FIRST_READING = OPTION_FIRST_LONG,
    OPTIONS_FIRST_NAMING = 320,
    OPTIONS_FIRST_CHOICE = 384,
    OPTIONS_FIRST_OWN = 512
};

enum options_result {
    OPTIONS_OK,
    /* Help or the version was asked for and printed. */
    OPTIONS_DONE,
    /* It could not be printed. */
    OPTIONS_FAILED,
    /* A complaint was printed. */
    OPTIONS_WRONG,
};

enum options_result options_parse(struct options *options,
                                  const struct converter *converter, int argc,
                                  char **argv);

/* Takes the format with this name; returns false if there is none. */
bool options_take_format(struct options *options,
                         const struct output_format *const *formats, const char *name);

void options_free(struct options *options);

#endif
