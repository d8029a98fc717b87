/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nothing is lost silently: the records, and the stretches that reports say were skipped,
 * lie side by side from the first byte of the input to the last one that was read, with
 * nothing between them and nothing twice. Only a region has bytes besides, from the zero
 * header on that ends it: the data after that is one report, the zeros are none.
 */
#ifndef TESTS_SUPPORT_TILING_H
#define TESTS_SUPPORT_TILING_H

#include <stdbool.h>
#include <stddef.h>

#include <fxt/common.h>
#include <fxt/record.h>

struct tiling {
    const unsigned char *data;
    size_t size;
    /* Up to where all is accounted for. */
    uint64_t next;
    /* The offset that the last report about a kept record gave, for the record to come.
     */
    bool announced;
    /* The rest of a region has been reported as a whole. */
    bool rest_is_tail;
    /* NULL, or what was wrong first. */
    const char *fault;
};

void tiling_start(struct tiling *t, const void *data, size_t size);
void tiling_record(struct tiling *t, const struct fxt_record *record);
void tiling_error(struct tiling *t, const struct fxt_error *error);

/* The stream has ended after `n_read` bytes; `lost` if that is where its framing was
 * lost.
 */
void tiling_end(struct tiling *t, uint64_t n_read, bool lost);

#endif
