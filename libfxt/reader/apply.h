/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What records do to the state of the stream: providers become current, get a name and a
 * clock rate, and register strings and threads.
 */
#ifndef LIBFXT_READER_APPLY_H
#define LIBFXT_READER_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "providers.h"

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
