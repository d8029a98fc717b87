/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of a record that is not plain: it is kept, with its effects and reports;
 * dropped; or, in resync mode, no record at all. */
#ifndef LIBFXT_READER_JUDGE_H
#define LIBFXT_READER_JUDGE_H

#include <stdbool.h>

#include "reader_state.h"

/* Takes the record that was just decoded from a chunk, which is the last one or not.
 * Returns FXT_OK, or FXT_NEED_MORE if that depends on what follows. */
enum fxt_code judge_record(struct fxt_reader *r, struct fxt_chunk *chunk, bool last);

#endif
