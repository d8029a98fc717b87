/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line table of DWARF, versions 2 to 5 (.debug_line): the names of a unit's source
 * files, and a program that makes a row for each change of file or line.
 *
 * libdw runs the whole program for the name of a file, and keeps all rows. Here names are
 * read apart from it, and of its rows only those are kept that are looked up.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINE_TABLE_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINE_TABLE_H

#include "debug_sections.h"
#include "debug_wanted.h"
#include "libfxtprofile/symbols/ranges.h"

struct debug_line_file {
    /* NULL where it is not known. */
    const char *name;
    uint64_t directory;
    /* NULL until it is asked for. */
    char *path;
};

/* A row of the table. */
struct debug_line {
    uint64_t file;
    uint32_t line;
};

struct debug_line_table {
    const struct debug_sections *sections;
    uint64_t offset;
    /* Where the unit was compiled; or NULL. */
    const char *compiled_in;
    const char **directories;
    size_t n_directories;
    size_t directory_capacity;
    struct debug_line_file *files;
    size_t n_files;
    size_t file_capacity;

    /* The program, and what its opcodes mean. Those from the base on are special. */
    struct unwind_cursor program;
    uint8_t instruction_size;
    int8_t line_base;
    uint8_t line_range;
    uint8_t opcode_base;
    uint8_t n_operands[256];
    bool has_run;

    /* The rows with an address to look up; items are indices in `rows`. */
    struct ranges ranges;
    struct debug_line *rows;
    size_t n_rows;
    size_t row_capacity;
};

/* Reads the header of the table at an offset. What is damaged has no files and no rows
 * from there on. */
void debug_line_table_read(struct debug_line_table *table,
                           const struct debug_sections *sections, uint64_t offset,
                           const char *compiled_in);

/* The path of a file by its number, which does not depend on where the compiler ran; NULL
 * if it is not known. Valid until the table is freed. */
const char *debug_line_table_file(struct debug_line_table *table, uint64_t number);

/* Finds the row of an address that is wanted; returns false if there is none. */
bool debug_line_table_find(struct debug_line_table *table,
                           const struct debug_wanted *wanted, uint64_t address,
                           struct debug_line *line);

/* Joins parts of a path, of which the last absolute one begins it. A part may be NULL or
 * empty. The caller frees it. */
char *debug_path_join(const char *const parts[3]);

/* Runs the program, for the rows of wanted addresses. */
void debug_line_program_run(struct debug_line_table *table,
                            const struct debug_wanted *wanted);

#endif
