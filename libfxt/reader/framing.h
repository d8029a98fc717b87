/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits a stream's bytes into records: where each begins and ends, and the order of
 * reports and effects. */
#ifndef LIBFXT_READER_FRAMING_H
#define LIBFXT_READER_FRAMING_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "providers.h"
#include "reader_state.h"

/* Continues reading in a chunk; nothing follows the last one. Returns what
 * fxt_reader_read does, except that what is left of the last chunk is checked by
 * framing_finish. */
enum fxt_code framing_run(struct fxt_reader *r, struct fxt_chunk *chunk, bool last);

/* Reads one record of a chunk after which more may follow, into r->pulled; see
 * fxt_reader_next. */
enum fxt_code framing_next(struct fxt_reader *r, struct fxt_chunk *chunk);

/* Checks what framing_run left of the last chunk. Returns true if there may now be more
 * in it for framing_run. */
bool framing_finish(struct fxt_reader *r, struct fxt_chunk *chunk);

/* Takes the record that was just decoded from a chunk, which is the last one or not.
 * Returns FXT_OK, or FXT_NEED_MORE if that depends on what follows. */
enum fxt_code judge_record(struct fxt_reader *r, struct fxt_chunk *chunk, bool last);

/* The code to report: FXT_OK, FXT_E_PROVIDER_UNKNOWN, FXT_E_INDEX_ZERO, FXT_E_KEPT_LIMIT
 * or FXT_E_NO_MEMORY; and the provider's id or the index. */
struct apply_result {
    enum fxt_code code;
    uint32_t value;
};

/* Applies a whole record; `borrow` as in tables_set_string. */
struct apply_result apply_record(struct providers *providers,
                                 const struct fxt_record *record, bool borrow);

/* Applies what the header alone specifies for a record that could not be read, damaged or
 * too large: a provider info record still makes the provider current, and a registration
 * still drops the entry that it replaces. If that provider cannot be kept, this is
 * reported at its first registration. */
void apply_unread(struct providers *providers, uint64_t header);

#endif
