/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding the way after damage, for readers with the resync option.
 *
 * Two questions are asked. Of a record at hand that is somehow suspicious: does its size
 * lead to another plausible record, so that the framing can be believed? And, once it
 * cannot: is there a record here, complete to the last word and with a plausible one
 * behind it? Both look only at bytes, never at how the bytes came in chunks, so any
 * chunking gives the same answers.
 */
#ifndef LIBFXT_RESYNC_H
#define LIBFXT_RESYNC_H

#include "decode.h"
#include "reader_state.h"

enum resync_verdict {
    RESYNC_NO,
    RESYNC_YES,
    /* One more word than the record is needed to tell. */
    RESYNC_UNDECIDED
};

/* Starts a search at the reader's place. The report is made when the search is over. */
void resync_start(struct fxt_reader *r, const struct fxt_error *error);

/* Whether the record just decoded, at the chunk's place, is to be believed: always if it
 * fills its size exactly, else if its size leads on. */
enum resync_verdict resync_judge(const struct fxt_reader *r,
                                 const struct fxt_chunk *chunk, bool last);

/* Searches on. FXT_OK when a record was found or the chunk is used up. */
enum fxt_code resync_search(struct fxt_reader *r, struct fxt_chunk *chunk, bool last);

#endif
