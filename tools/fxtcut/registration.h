/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of the input that later ones refer to, as the bytes that they are there: of
 * strings, threads, providers and clocks. Those that were replaced live on while a record
 * that was kept refers to them.
 */
#ifndef FXTCUT_REGISTRATION_H
#define FXTCUT_REGISTRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

/* Whether a string matches an expression, once that was asked. */
enum match { MATCH_UNKNOWN, MATCH_YES, MATCH_NO };

enum { REGISTRATION_MATCHES = 3 };

struct registration {
    /* Different for all of them, and above 0. */
    uint64_t serial;
    uint32_t n_users;
    uint32_t size;
    /* Of a string, by what is matched. */
    unsigned char matches[REGISTRATION_MATCHES];
    unsigned char bytes[];
};

/* Copies the bytes of a record; its first word says what its size is, even where the
 * reader has taken less of it. The caller is its user. */
struct registration *registration_make(const struct fxt_record *record, uint64_t serial);

static inline struct registration *registration_use(struct registration *registration)
{
    registration->n_users++;
    return registration;
}

/* NULL is allowed. */
void registration_release(struct registration *registration);

/* Whether a record has the same bytes. */
bool registration_is(const struct registration *registration,
                     const struct fxt_record *record);

/* Whether the reader has taken all that a record's header says is in it. */
static inline bool registration_has_all(const struct fxt_record *record)
{
    uint64_t n_words = record->type == FXT_RECORD_LARGE
                           ? FXT_GET(record->header, LARGE_WORDS)
                           : FXT_GET(record->header, RECORD_WORDS);

    return n_words == record->size / FXT_WORD_BYTES;
}

/* The header word of a record of which `record->size` bytes are taken, as it is to be
 * stored. */
uint64_t registration_header(const struct fxt_record *record);

#endif
