/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a line for people. Each but the columns puts a space in front of itself. A
 * string stands as a bare word or in double quotes; `#40` is a reference to a string or
 * thread that nobody registered, `(...)` and `<...>` are fxtdump's own words.
 */
#ifndef FXTDUMP_PLAIN_H
#define FXTDUMP_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "text.h"

/* The columns that a record's line begins with: the offset; the time, where it has one;
 * the kind of record by its name or, if that is NULL, the name of its type and the number
 * of its kind. */
void plain_start(struct text *out, const struct fxt_record *record, const char *name,
                 const char *type);
void plain_start_at(struct text *out, const struct fxt_record *record, uint64_t ticks,
                    const char *name, const char *type);

/* The columns of something that is no record. */
void plain_start_fault(struct text *out, uint64_t offset);

/* The newline. */
void plain_end(struct text *out);

/* Seconds with nine decimals, or ticks where the nanoseconds pass 64 bits. */
void plain_seconds(struct text *out, const struct fxt_record *record, uint64_t ticks);

/* " before N" */
void plain_u64(struct text *out, const char *before, uint64_t value);
/* " before 0xN" */
void plain_hex(struct text *out, const char *before, uint64_t value);
/* " N bytes" */
void plain_bytes(struct text *out, uint64_t size);

void plain_word(struct text *out, const struct fxt_string *string);
void plain_quoted(struct text *out, const struct fxt_string *string);

/* "category:name" */
void plain_names(struct text *out, const struct fxt_string *category,
                 const struct fxt_string *name);

/* "process/thread", and the process alone as "process N". */
void plain_thread(struct text *out, const struct fxt_thread *thread);
void plain_process(struct text *out, const struct fxt_thread *thread);

/* Addresses in hex, a space in front of each. */
void plain_addresses(struct text *out, struct fxt_words words);

/* Each argument as "name=value", with the contents of blobs or only their size. */
void plain_args(struct text *out, const struct fxt_record *record, bool payload);

#endif
