/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF files that the user named, at the addresses where they were loaded, and the
 * files of the modules in the input, if they are found.
 */
#ifndef FXTPROFILE_SYMBOLS_SYMBOLIZE_H
#define FXTPROFILE_SYMBOLS_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary.h"
#include "debug_files.h"

/* What was done to find the symbols of a file. */
struct symbol_search {
    /* The sentences of the debug file report about files that were not used. */
    uint32_t first_line;
    uint32_t limit_line;
    /* Servers were asked. */
    bool is_asked;
};

/* A file that the user named. */
struct image {
    struct binary *binary;
    struct symbol_search search;
    /* What to add to an address of the file (modulo 2^64) to have that of the program. */
    uint64_t bias;
    /* The user gave an address other than that where it was linked. */
    bool is_moved;
};

/* The file of a module, once it was looked for; NULL if there is none. */
struct found_module {
    struct binary *binary;
    struct symbol_search search;
    bool looked;
    /* In whose root directory, the last time. */
    uint64_t process;
};

/* All zero is an empty one, which does not look for the files of modules. */
struct symbolizer {
    struct image *images;
    size_t n;
    size_t capacity;
    /* How many of them, the first ones, are files; the others are from kallsyms. */
    size_t n_files;
    struct debug_files files;
    /* The files of modules are looked for. */
    bool finds_modules;
    /* Without inlined functions: only the outermost one is used. */
    bool no_inlines;
    /* Without what records of symbols have of the modules' files. */
    bool ignores_lines;

    /* The last images are of the running kernel, and only for processes of its boot. */
    size_t n_running;
    uint32_t running_boot;

    /* The names in images that are of no file. */
    char *kernel_names;

    /* By the modules' numbers: what was found. */
    struct found_module *found;
    size_t n_found;
};

/*
 * Adds FILE@ADDRESS: the page that the file's lowest segment starts in was loaded at that
 * address (decimal, or hex with 0x). FILE+SLIDE: it was loaded that many bytes above its
 * link address. FILE: it was loaded at its link address. A file's name may contain @ or
 * +; the text after the last one is used if it is a number.
 *
 * Returns false, with the reason added to `why`, if the file cannot be used, or would
 * overlap another one. Those that are linked at 0 may, without an address: the build ids
 * of modules tell which is meant.
 */
bool symbolizer_add(struct symbolizer *symbolizer, const char *file_and_address,
                    struct text *why);

/* The same with a binary, of which it takes ownership in any case. */
bool symbolizer_add_binary(struct symbolizer *symbolizer, struct binary *binary,
                           uint64_t bias, bool is_moved, struct text *why);

/* The image that has code at an address, or NULL. */
const struct image *symbolizer_find(const struct symbolizer *symbolizer,
                                    uint64_t address);

/* The file of the module with this number, name and build id (empty where it is not
 * known), or NULL. A number must always come with the same name and build id. `process`
 * has it mapped; 0 if that is not known. */
struct binary *symbolizer_find_module(struct symbolizer *symbolizer, uint32_t module,
                                      uint64_t process, struct string name,
                                      struct string build_id);

/* Requests from servers, once, what the file of a module that was looked for lacks, which
 * may be all of it; or of an image. Returns whether there is more than before. */
bool symbolizer_fetch_module(struct symbolizer *symbolizer, uint32_t module,
                             struct string name, struct string build_id);
bool symbolizer_fetch_image(struct symbolizer *symbolizer, size_t image);

/* Reads the announced lines of all files; see binary.h. Files that cannot be read are
 * added to the debug file report. */
void symbolizer_read_lines(struct symbolizer *symbolizer);

void symbolizer_free(struct symbolizer *symbolizer);

#endif
