/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What records do to the state of the stream: providers become current, get a name and a
 * clock rate, and register strings and threads.
 */
#ifndef LIBFXT_APPLY_H
#define LIBFXT_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "providers.h"

/* What there is to say about it: FXT_OK, FXT_E_PROVIDER_UNKNOWN, FXT_E_INDEX_ZERO or
 * FXT_E_KEPT_LIMIT; and the provider's id or the index. */
struct apply_result {
    enum fxt_code code;
    uint32_t value;
};

/* Applies a whole record; `borrow` as in tables_set_string. */
struct apply_result apply_record(struct providers *providers,
                                 const struct fxt_record *record, bool borrow);

/* Applies what is sure of a record that could not be decoded: a provider's info still
 * makes the provider current, and what a registration replaces is gone. */
void apply_damaged(struct providers *providers, const struct fxt_record *record);

#endif
