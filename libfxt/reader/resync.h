/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding the way after damage, for readers with the resync option.
 *
 * Two questions are asked. Of a record at hand that is somehow suspicious: does its size
 * lead to another plausible record, and to no others on the way, so that the framing can
 * be believed? And, once it cannot: is there a record here, complete to the last word and
 * with a plausible one behind it? Both look only at bytes, never at how the bytes came in
 * chunks, so any chunking gives the same answers.
 */
#ifndef LIBFXT_READER_RESYNC_H
#define LIBFXT_READER_RESYNC_H

#include "decode.h"
#include "reader_state.h"

enum resync_verdict {
    RESYNC_NO,
    RESYNC_YES,
    /* More behind the record is needed to tell: reader->needed says how much. */
    RESYNC_UNDECIDED
};

enum {
    /* How much behind a record tells of its size ... */
    RESYNC_PEEK_BYTES = 2 * FXT_WORD_BYTES,
    /* ... and how many records after one without fault, if they are unknown or odd. */
    RESYNC_NEWER_MAX = 4
};

/* Starts a search at the reader's place, which must then move on by a word at least if
 * there was a record here: whoever writes to the memory meanwhile cannot keep the reader
 * in one place. The report is made when the search is over. */
void resync_start(struct fxt_reader *r, const struct fxt_error *error);

/* Whether the size of the record just decoded, at the chunk's place, is to be believed:
 * always if the record fills it exactly; else if it leads on and over no other record.
 * Records of newer kinds, and surplus words, must pass whatever they hold; so what speaks
 * against a size must be very unlikely by chance. The record may be decoded again. */
enum resync_verdict resync_judge(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                 bool last);

/* Whether a whole record, whose size resync_judge does not believe, is one all the same
 * but for its size: the rest of its header is plausible. */
bool resync_keeps_fields(const struct fxt_reader *r);

/* Searches on. FXT_OK when a record was found or the chunk is used up. */
enum fxt_code resync_search(struct fxt_reader *r, struct fxt_chunk *chunk, bool last);

#endif
