/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that the repair copies as they are. */
#ifndef FXTLINT_FIX_STAYS_H
#define FXTLINT_FIX_STAYS_H

#include <fxt/record.h>

#include "fix_tables.h"

/* Whether a record of the current provider that is as libfxt's writer leaves it needs no
 * change, nor anything before it: of the types that most records have. */
bool fix_stays(const struct fix_tables *tables, const struct fxt_record *record);

#endif
