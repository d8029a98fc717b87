/* SPDX-License-Identifier: BSD-2-Clause */
/* What is recorded of this process, and where: by options, or by the environment that
 * fxtheap run has made. */
#ifndef LIBFXTHEAP_SETTINGS_H
#define LIBFXTHEAP_SETTINGS_H

#include <stdbool.h>

#include <fxt/heap.h>

#include "table.h"

struct heap_settings {
    /* Its directory is the one below. */
    struct table_options table;
    char directory[192];
    /* As long as this file exists, the table stays when the process ends; empty for
     * none. */
    char keep[256];
    bool no_children;
    /* The mappings that the program makes are blocks, too. */
    bool has_mappings;
};

/* Returns false if an option is out of range. */
bool settings_set(struct heap_settings *settings, const struct fxt_heap_options *options);

/* The same, with the FXTHEAP variables. */
bool settings_read_environment(struct heap_settings *settings);

/* Whether the file is there as long as which the table stays. */
bool settings_keeps_table(const struct heap_settings *settings);

/* Whether LD_PRELOAD has loaded this library. */
bool settings_is_preloaded(void);

/* Removes this library from a list like LD_PRELOAD, which colons or spaces separate, in
 * place. */
void settings_remove_library(char *list);

#endif
