/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two recordings compared, row by row. Rows are the same if what names them is: processes
 * and threads by their names, not by their numbers, and modules by the last part of their
 * paths, so that two runs and two builds can be compared.
 */
#ifndef FXTREPORT_DIFF_H
#define FXTREPORT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure.h"

struct diff_row {
    /* Either the later recording's or, if it is gone, the earlier one's. */
    const struct measure_row *row;
    /* Self or total. */
    struct weight before;
    struct weight after;
    /* Of the later recording, in which the self of all rows is all that there is. */
    struct weight self;
    /* Whether it is anywhere in the recordings. */
    bool was_there;
    bool is_there;
    /* Shares of all, from 0 to 1, and the change: in shares, or in values. */
    double before_share;
    double after_share;
    double change;
    /* Changes below this are noise of the sampling, with 95 % confidence. */
    double noise;
};

struct diff {
    struct diff_row *rows;
    size_t n;
    size_t capacity;
    /* How many of them, the first ones, have changed. */
    size_t n_changed;
    /* The share of the later recording that is the self of the others. */
    double unchanged_share;
};

/* The measures must stay in place. `is_absolute`: changes are in values. `has_noise`: the
 * weights are samples. */
void diff_make(struct diff *diff, const struct measure *before,
               const struct measure *after, bool by_total, bool is_absolute,
               bool has_noise);

#endif
