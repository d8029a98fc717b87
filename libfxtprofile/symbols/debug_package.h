/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Debian packages that have the debugging symbols of installed files, as far as the
 * lists tell that dpkg keeps of the packages that are installed.
 */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_PACKAGE_H
#define FXTPROFILE_SYMBOLS_DEBUG_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/string_table.h"
#include "common/base/text.h"

struct debug_package {
    /* The file, which may be anything; empty for none. */
    struct string path;
    /* The package that has its symbols, as apt calls it, such as liblzma5-dbgsym:amd64;
     * empty if no package owns the file. */
    struct text name;
    /* It is that of an earlier file, too. */
    bool is_repeated;
};

/* Stores the packages of `n` files. `root` is where the machine's files are: "" for this
 * one's. Returns whether it has Debian: if not, there are none. */
bool debug_packages_find(const char *root, struct debug_package *packages, size_t n);

/* Adds the line by which apt finds such packages. Returns false if apt has it already, or
 * the machine does not have Debian. */
bool debug_package_source(const char *root, struct text *line);

#endif
