/* SPDX-License-Identifier: BSD-2-Clause */
/* What readers take an index for that keep its first registration, or that have one table
 * for all providers. */
#ifndef FXTLINT_CHECK_INDICES_H
#define FXTLINT_CHECK_INDICES_H

#include <fxt/record.h>

#include "findings.h"

struct provider_indices;

/* All zero is one of a stream at its start. */
struct check_indices {
    struct findings *findings;
    /* By their ids; and what all of them would have in one table. */
    struct provider_indices *providers;
    size_t n_providers;
    size_t capacity;
    struct provider_indices *together;
    /* An index has had two values, of one provider or of several. */
    bool has_changed;
    /* The one whose record came last. */
    size_t current;
};

/* Takes any record, in the order of the stream. */
void check_indices(struct check_indices *check, const struct fxt_record *record);
void check_indices_free(struct check_indices *check);

#endif
