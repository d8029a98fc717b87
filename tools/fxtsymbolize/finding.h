/* SPDX-License-Identifier: BSD-2-Clause */
/* The symbols of the records of one archive: profiles of all that has stacks, and what
 * was found for these. */
#ifndef FXTSYMBOLIZE_FINDING_H
#define FXTSYMBOLIZE_FINDING_H

#include <fxt/profile.h>

#include "common/base/string_table.h"
#include "settings.h"

enum { FINDING_PROFILES = 2 };

struct finding {
    const struct symbolize_options *options;
    /* Of samples or heaps, and of where threads were switched out. */
    struct fxt_profile_builder *builders[FINDING_PROFILES];
    /* Which of them reports. */
    size_t current;
    size_t n_missing;
    /* Commands that bring what is missing, each once. */
    struct string_table remedies;
};

/* Opens the files that the user named. Returns false, which was reported, if that cannot
 * be done. `finding` must stay in place. */
bool finding_start(struct finding *finding, const struct symbolize_options *options);

/* Takes the next record of the archive, which need not stay valid, but its provider. */
void finding_take(struct finding *finding, const struct fxt_record *record);

/* Appends the records of what was found, in an archive's byte order and with a time by
 * its clock. Reports what was not. Returns false, which was reported, on failure. */
bool finding_finish(struct finding *finding, enum fxt_byte_order byte_order,
                    uint64_t timestamp, struct fxt_buffer *records);

void finding_free(struct finding *finding);

#endif
