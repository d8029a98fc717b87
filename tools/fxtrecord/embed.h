/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds to an archive the functions, source files, lines and inlined calls at the
 * addresses that it has, so that the recorded files are not needed to understand it. */
#ifndef FXTRECORD_EMBED_H
#define FXTRECORD_EMBED_H

#include <stdbool.h>

struct embed_settings {
    /* Of stacks where threads were switched out, too. */
    bool has_off_cpu;
    /* Request what is missing from debuginfod servers. */
    bool uses_debuginfod;
    /* The archive is compressed by zstd. */
    bool is_compressed;
    /* Report what was not found, and downloads. */
    bool reports_missing;
    /* The archive may be removed before this, which is no failure. */
    bool may_be_removed;
};

/* Appends records of symbols to an archive that is complete; if that fails, it stays as
 * it was. Reports failures and returns false. */
bool embed_symbols(const char *path, const struct embed_settings *settings);

#endif
