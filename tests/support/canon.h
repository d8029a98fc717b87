/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What records say, as bytes: two records that say the same give the same bytes, however
 * they refer to strings and threads and whatever the byte order of their streams.
 */
#ifndef TESTS_SUPPORT_CANON_H
#define TESTS_SUPPORT_CANON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/fxt.h>

struct canon {
    unsigned char *bytes;
    size_t size;
    size_t room;
    /* References count too, and so do the records that register strings and threads. */
    bool with_refs;
    size_t n_records;
};

void canon_free(struct canon *canon);

/* Adds a record, unless it is one that registers something and refs do not count. */
void canon_add(struct canon *canon, const struct fxt_record *record);

/* Whether both hold the same; if not, says on standard error where they part. */
bool canon_same(const struct canon *a, const struct canon *b);

#endif
