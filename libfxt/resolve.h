/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a decoded record and the state of the stream do to each other: registrations go
 * into the tables, references are looked up in them, providers change.
 */
#ifndef LIBFXT_RESOLVE_H
#define LIBFXT_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "providers.h"

/* What there is to say about it, each FXT_OK or a code with the number it is about. */
struct resolve_result {
    /* FXT_E_STRING_UNKNOWN and the record's first such reference. */
    enum fxt_code string;
    uint32_t string_index;
    /* FXT_E_THREAD_UNKNOWN and the record's first such reference. */
    enum fxt_code thread;
    uint32_t thread_index;
    /* FXT_E_PROVIDER_UNKNOWN, FXT_E_INDEX_ZERO, FXT_E_KEPT_LIMIT or FXT_E_NO_MEMORY, and
     * the provider's id or the index. */
    enum fxt_code registration;
    uint32_t registered;
};

/* Applies a whole record and resolves its references; `borrow` as in tables_set_string.
 */
void resolve_record(struct providers *providers, struct fxt_record *record,
                    struct fxt_arg *args, bool borrow, struct resolve_result *result);

/* Applies what the header alone says of a record that could not be read, damaged or too
 * large: a provider's info still makes the provider current, and what a registration
 * replaces is gone. If that provider cannot be kept, its first registration says so. */
void resolve_unread(struct providers *providers, uint64_t header);

#endif
