/* SPDX-License-Identifier: BSD-2-Clause */
/* Files through the checks, and into a repaired one. */
#ifndef FXTLINT_RUN_H
#define FXTLINT_RUN_H

#include <fxt/reader.h>

#include "findings.h"

#define FXTLINT_PROGRAM "fxtlint"

struct lint_options {
    /* "-" is standard input. */
    char *const *inputs;
    size_t n_inputs;
    bool fixes;
    /* Of what is repaired; NULL for standard output. */
    const char *output;
    bool json;
    bool quiet;
    bool resync;
    enum fxt_stream stream;
    uint64_t max_places;
    struct finding_choice choice;
};

/* The exit status. */
enum lint_status {
    LINT_CLEAN = 0,
    /* There are findings, which were not repaired; or the output could not be written. */
    LINT_FINDINGS = 1,
    /* The command line or an input cannot be used. */
    LINT_UNUSABLE = 2
};

enum lint_status lint_run(const struct lint_options *options);

#endif
