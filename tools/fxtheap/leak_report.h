/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtheap report. */
#ifndef FXTHEAP_LEAK_REPORT_H
#define FXTHEAP_LEAK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct leak_report_options {
    const char *archive;
    /* A file of patterns; NULL for none. */
    const char *suppressions;
    /* Of a series: the point; 0 for the last. */
    uint64_t point;
    /* Files with symbols are not requested from servers. */
    bool no_debuginfod;
    /* How many bytes may be left. */
    uint64_t allowed_bytes;
    /* Also print how many blocks of which sizes and ages there are. */
    bool with_ranges;
    /* Print the stacks with temporary blocks in place of those that have left some. */
    bool of_temporary;
    /* How many stacks are printed; 0 for all. */
    uint64_t n_stacks;
};

/* Prints what is left, and returns the exit status: FXTHEAP_LEAKS if that is more than is
 * allowed. */
int leak_report(const struct leak_report_options *options);

#endif
