/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a file is the one of which a module was recorded, by their build ids. */
#ifndef FXTPROFILE_SYMBOLS_BUILD_ID_H
#define FXTPROFILE_SYMBOLS_BUILD_ID_H

#include <stdbool.h>

#include "common/base/string_table.h"

enum build_id_match {
    /* The module was recorded without one. */
    BUILD_ID_UNKNOWN,
    /* Only the module has one. */
    BUILD_ID_MISSING,
    BUILD_ID_DIFFERENT,
    BUILD_ID_EQUAL
};

/* Compares the build id of a file with that of a module; both are in hex, or empty. */
enum build_id_match build_id_match(const char *file, struct string module);

/* Whether a build id, which may be any bytes, can be part of a path. */
bool build_id_is_hex(struct string build_id);

#endif
