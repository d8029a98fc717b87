/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding the way after damage, for readers with the resync option.
 *
 * Two questions are decided here. For a suspicious record: does its size point to another
 * plausible record, so that the framing can be trusted? And, once it cannot: is there a
 * record here, complete to the last word and followed by a plausible one? Both depend
 * only on the bytes, never on how they are split into chunks, so any chunking gives the
 * same answers.
 */
#ifndef LIBFXT_READER_RESYNC_H
#define LIBFXT_READER_RESYNC_H

#include "decode.h"
#include "reader_state.h"

enum resync_verdict {
    RESYNC_NO,
    RESYNC_YES,
    /* More data after the record is needed to decide: reader->needed is how much. */
    RESYNC_UNDECIDED
};

enum {
    /* How many bytes after a record confirm its size ... */
    RESYNC_PEEK_BYTES = 2 * FXT_WORD_BYTES,
    /* ... and how many records after one without fault, if they are unknown or odd. */
    RESYNC_NEWER_MAX = 4
};

/* Starts a search at the reader's position, which must then advance by at least a word if
 * there was a record here: concurrent writes to the memory cannot keep the reader in one
 * place. The report is made when the search is over. */
void resync_start(struct fxt_reader *r, const struct fxt_error *error);

/* Whether the size of the record just decoded, at the chunk's position, is trusted:
 * always if the record fills it exactly; else if it points to a plausible record and, in
 * a faulty record, spans no others. What records of newer kinds and surplus words hold is
 * no evidence: in a stream without damage it may be anything, also whole records. The
 * record may be decoded again. */
enum resync_verdict resync_judge(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                 bool last);

/* Whether a whole record, whose size resync_judge does not trust, is nevertheless a
 * record except for its size: the rest of its header is plausible. */
bool resync_keeps_fields(const struct fxt_reader *r);

/* Searches on. FXT_OK when a record was found or the chunk is used up. */
enum fxt_code resync_search(struct fxt_reader *r, struct fxt_chunk *chunk, bool last);

#endif
