/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of a process, for unwinding its raw stacks: its mappings in the input, the
 * files that the user named, and the unwind tables of these files. Files are looked for
 * as for symbols, and only once a stack leads into them.
 */
#ifndef FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_SPACE_H
#define FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/io/file.h"
#include "common/base/table.h"
#include "libfxtprofile/profile/address_lookup.h"
#include "common/unwind/unwind_space.h"

/* The table of a file. */
struct blob_file {
    const struct binary *binary;
    /* It stays in place: ranges refer to it. */
    struct unwind_table *table;
};

/* What is known of the file of a module of the space. */
enum blob_module_state {
    BLOB_MODULE_NEW,
    /* It was looked for. */
    BLOB_MODULE_FOUND,
    BLOB_MODULE_MISSING
};

struct blob_module {
    enum blob_module_state state;
    /* A number in `files`, if it was found. */
    uint32_t file;
};

/* All zero but for the modules and the symbolizer is an empty one. */
struct blob_space {
    const struct modules *modules;
    struct symbolizer *symbolizer;

    struct blob_file *files;
    size_t n_files;
    size_t file_capacity;
    struct table file_table;
    /* The file whose code was last read. */
    const struct binary *open_binary;
    struct file *open_file;

    /* The process, and what the ids in `space` are numbers of. */
    bool is_set;
    uint64_t process;
    uint32_t epoch;
    struct unwind_module *ranges;
    size_t n_ranges;
    size_t range_capacity;
    struct blob_module *states;
    size_t state_capacity;
    struct unwind_space space;
    /* How many ranges all spaces had. */
    uint64_t n_made;
};

/* So many ranges are put into spaces, of all processes and epochs; far more than any
 * recording has, so that an input cannot have them made without end. */
enum { BLOB_RANGES_MAX = 1 << 24 };

/* Makes the space that of a process in an epoch, on a machine. Returns false if that
 * would be more than BLOB_RANGES_MAX ranges. */
bool blob_space_enter(struct blob_space *space, uint64_t process, uint32_t epoch,
                      enum unwind_machine machine);

/* What is known of the file of a module of `space->space`. */
enum blob_module_state blob_space_state(const struct blob_space *space,
                                        const struct unwind_module *module);

/* Looks for the file of a module, by its index. The modules change. */
void blob_space_resolve(struct blob_space *space, size_t index);

/* Reads code of a module at an address of the process. Returns false if that is not in
 * its file. */
bool blob_space_read_code(struct blob_space *space, const struct unwind_module *module,
                          uint64_t address, unsigned char *bytes, size_t n);

void blob_space_free(struct blob_space *space);

#endif
