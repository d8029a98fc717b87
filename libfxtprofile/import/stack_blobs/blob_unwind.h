/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw stacks to samples: each is unwound by the unwind tables of its process's files, or
 * by frame pointers where there are none, once all mappings are known.
 *
 * The stack of a thread that runs a Linux program in restricted mode is that program's,
 * with the thread's own on top of it.
 */
#ifndef FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_UNWIND_H
#define FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_UNWIND_H

#include "blob_store.h"
#include "blob_tally.h"
#include "libfxtprofile/profile/mappings/modules.h"
#include "libfxtprofile/profile/profile_builder.h"
#include "libfxtprofile/symbols/symbolize.h"

/* What to unwind with, and where samples go. */
struct blob_unwinding {
    struct blob_store *store;
    const struct modules *modules;
    struct symbolizer *symbolizer;
    struct profile_builder *builder;
    /* What each sample adds. */
    const int64_t *values;
    struct blob_tally *tally;
};

/* After modules_finish and koid_names_finish. Adds the samples, and returns how many. */
uint64_t blob_unwind(const struct blob_unwinding *unwinding);

#endif
