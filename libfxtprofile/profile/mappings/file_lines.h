/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions and lines at addresses of files, as records of symbols have them
 * (docs/symbol-records.md): so that the files are not needed.
 */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_FILE_LINES_H
#define FXTPROFILE_PROFILE_MAPPINGS_FILE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"
#include "common/base/table.h"

/* The words of an entry in records, with strings that follow the entries: the offset of
 * each in the lower half of a word, and its size in the upper one. The word of the line
 * has in its upper half the line at which the function begins. */
enum file_lines_word {
    FILE_LINES_ADDRESS,
    FILE_LINES_NAME,
    FILE_LINES_SOURCE_FILE,
    FILE_LINES_LINE,
    FILE_LINES_HOME,
    FILE_LINES_WORDS,
    /* Of the first writers. */
    FILE_LINES_WORDS_MIN = FILE_LINES_HOME
};

/* What identifies a file: the number of its build id; or, where that is not known, those
 * of its name and of the boot that it was recorded in. What is not used is 0. */
struct file_key {
    uint32_t build_id;
    uint32_t name;
    uint32_t boot;
    bool has_build_id;
};

/* A function, and the line in it: the places of strings that end in zero. An empty source
 * file, and 0, are not known. For `home` and `is_vague` see source_line.h. */
struct file_line {
    uint32_t name;
    uint32_t source_file;
    uint32_t home;
    bool is_vague;
    uint32_t line;
    uint32_t start_line;
};

/* The lines of an address, innermost first: `n` lines from `first` on. */
struct file_address {
    uint64_t address;
    uint32_t file;
    uint32_t first;
    uint32_t n;
    /* Some line is of a known source file. */
    bool has_source;
};

/* As many inlined functions as are read from debugging information. */
enum { FILE_LINES_DEPTH_MAX = 256 };

/* All zero is none. */
struct file_lines {
    struct file_key *files;
    size_t n_files;
    size_t file_capacity;
    struct table file_table;
    /* In the order of the input; after file_lines_finish by file and address, with one
     * for each. */
    struct file_address *addresses;
    size_t n_addresses;
    size_t address_capacity;
    struct file_line *lines;
    size_t n_lines;
    size_t line_capacity;
    struct string_table strings;
};

/* The number of a file, which is added if it is new. */
uint32_t file_lines_file(struct file_lines *lines, struct file_key key);

/* The place of a string, which has no zero byte. */
uint32_t file_lines_string(struct file_lines *lines, struct string string);

/* Starts the lines of an address: of an address that comes again, the last ones count. */
void file_lines_start(struct file_lines *lines, uint32_t file, uint64_t address);

/* Adds the next line of the address that was started last. Returns false, and ignores it,
 * if there are too many. */
bool file_lines_add(struct file_lines *lines, struct file_line line);

/* After the last line and before the first look-up. */
void file_lines_finish(struct file_lines *lines);

/* The lines of an address, or NULL. */
const struct file_address *file_lines_find(const struct file_lines *lines,
                                           struct file_key key, uint64_t address);

/* A string, which ends in zero. */
const char *file_lines_text(const struct file_lines *lines, uint32_t string);

void file_lines_free(struct file_lines *lines);

#endif
