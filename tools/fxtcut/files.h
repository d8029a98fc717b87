/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that parts are written to: one, or NAME.0001.fxt and so on. Each appears
 * under its name once it is whole. */
#ifndef FXTCUT_FILES_H
#define FXTCUT_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/io/output.h"
#include "common/base/text.h"
#include "settings.h"

struct files {
    const struct cut_settings *settings;
    bool is_numbered;
    struct output *output;
    /* The name of the open one; empty for standard output. */
    struct text name;
    uint64_t n;
    bool failed;
};

void files_start(struct files *files, const struct cut_settings *settings,
                 bool is_numbered);

/* Ends the one before, if there is one, and opens the next; a parts_next_fn. Returns NULL
 * on failure, which was reported. */
struct output *files_next(void *files);

/* Ends the last one, which is removed if `keep` is false. Returns false, which was
 * reported, if one of them could not be written. */
bool files_end(struct files *files, bool keep);

#endif
