/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader's cursor: whatever the words of a record are, nothing outside of the record
 * is read, and no sum, difference or product wraps. See run.sh.
 */
#include <stdint.h>

/* A word of the input, which may be any. */
/*@ requires \valid_read(from + (0 .. 7));
    assigns \nothing; */
uint64_t proof_load_word(const unsigned char *from);

#define LOAD_WORD(address) proof_load_word(address)

#include "libfxt/reader/cursor.h"

/* A cursor over a record of at most 2^32 - 1 words, the most that a header can say. */
/*@ predicate good(struct cursor *c) =
      \valid(c) && c->pos <= c->end && c->end <= 0xffffffff &&
      \valid_read(c->words + (0 .. 8 * c->end - 1)) &&
      \valid_read(c->view + (0 .. 8 * c->end - 1)) &&
      \separated(c, c->words + (0 .. 8 * c->end - 1)) &&
      \separated(c, c->view + (0 .. 8 * c->end - 1));
*/

/*@ requires good((struct cursor *)c);
    assigns \nothing;
    ensures \result == c->end - c->pos; */
static inline uint64_t cursor_left(const struct cursor *c);

/*@ requires good(c);
    assigns c->fault, c->fault_pos, c->end;
    ensures c->end == \old(c->pos) && good(c); */
static inline void cursor_fail(struct cursor *c, enum fxt_code fault, uint64_t pos);

/*@ requires good((struct cursor *)c) && pos < c->end;
    assigns \nothing; */
static inline uint64_t cursor_load_(const struct cursor *c, uint64_t pos);

/*@ requires good(c);
    assigns c->fault, c->fault_pos, c->end, c->pos;
    ensures good(c); */
static inline uint64_t cursor_word(struct cursor *c);

/*@ requires good(c);
    assigns c->fault, c->fault_pos, c->end, c->pos;
    ensures good(c);
    ensures \result == \old(c->view + c->pos * 8);
    ensures \old(size <= 8 * (c->end - c->pos)) ==>
              \valid_read(\result + (0 .. size - 1)); */
static inline const unsigned char *cursor_stream(struct cursor *c, uint64_t size,
                                                 enum fxt_code if_over, uint64_t said_at);

/*@ requires good(c);
    assigns c->fault, c->fault_pos, c->end, c->pos;
    ensures good(c);
    ensures \result.count <= \old(c->end - c->pos); */
static inline struct fxt_words cursor_run(struct cursor *c, uint64_t count,
                                          enum fxt_code if_over);
