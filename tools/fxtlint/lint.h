/* SPDX-License-Identifier: BSD-2-Clause */
/* All checks of one stream. Memory is bounded: by limits on what is kept at once. */
#ifndef FXTLINT_LINT_H
#define FXTLINT_LINT_H

#include <fxt/reader.h>

#include "check_indices.h"
#include "check_objects.h"
#include "check_spans.h"
#include "check_spelling.h"
#include "check_times.h"
#include "event_cache.h"
#include "findings.h"

struct announced {
    uint32_t id;
    /* Whether a record announced it, and whether its clock rate is known. */
    bool has_info;
    bool has_rate;
};

struct lint {
    struct findings *findings;
    struct check_indices indices;
    struct check_objects objects;
    struct check_spans spans;
    struct check_spelling spelling;
    struct check_times times;
    struct event_cache cache;
    /* The rate that was stated last, by any provider. */
    uint64_t ticks_per_second;
    struct announced *providers;
    size_t n_providers;
    size_t capacity;
    /* What is reported once. */
    bool has_record;
    bool is_big_endian;
    bool lacks_provider;
};

void lint_start(struct lint *lint, struct findings *findings);

/* Take what the reader passes to its callbacks. The first returns whether the record is
 * as libfxt's writer leaves it, with the same references. */
bool lint_record(struct lint *lint, const struct fxt_record *record);
void lint_error(struct lint *lint, const struct fxt_error *error);

/* At the end of the stream. */
void lint_end(struct lint *lint);
void lint_free(struct lint *lint);

#endif
