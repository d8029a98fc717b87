/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emitter's core: whatever a ring's consumer says, and whatever is emitted, nothing
 * is written outside of the region or the ring, and no sum or difference wraps. See
 * run.sh.
 *
 * The contracts stand here and not in the headers; the code is the headers' own.
 */
#include <stdbool.h>
#include <stdint.h>

#include <fxt/emit.h>

/* The emitter between two calls. A counter would have to be counted up for centuries to
 * come near what is asked of it here. */
/*@ predicate counts(struct fxt_emit *e) =
      e->dropped_records < 0x4000000000000000 && e->dropped_bytes < 0x4000000000000000 &&
      e->unreported_records < 0x4000000000000000 && e->unreported_bytes <
   0x4000000000000000;

    predicate apart(struct fxt_emit *e) =
      \separated(e, e->words + (0 .. e->n_words - 1)) &&
      (e->control == \null ||
       (\valid(e->control) && \separated(e, e->control) &&
        \separated(e->control, e->words + (0 .. e->n_words - 1))));

    predicate nothing(struct fxt_emit *e) =
      e->n_words == 0 && e->pos == 0 && e->limit == 0 && e->control == \null;

    predicate usable(struct fxt_emit *e) =
      e->n_words <= 0x1000000000000000 && \valid(e->words + (0 .. e->n_words - 1)) &&
      e->pos < e->n_words && e->pos <= e->limit && e->limit <= e->n_words &&
      (e->control == \null || e->n_words <= 0xffffffff);

    predicate good(struct fxt_emit *e) =
      \valid(e) && apart(e) && (nothing(e) || usable(e));
*/

/* The words of the event that says what was dropped. */
/*@ logic integer drops_words{L}(struct fxt_emit *e) =
      15 + (e->unreported_records > 0xffffffff ? 1 : 0) +
           (e->unreported_bytes > 0xffffffff ? 1 : 0);
*/

/* The same memory as before the call. */
/*@ predicate same{L1, L2}(struct fxt_emit *e) =
      \at(e->words, L1) == \at(e->words, L2) && \at(e->n_words, L1) == \at(e->n_words, L2)
      && \at(e->control, L1) == \at(e->control, L2);
*/

/*@ assigns \nothing;
    ensures \result == (value > 0xffffffff ? 1 : 0); */
static inline bool fxt_emit_is_wide_(uint64_t value);

/*@ requires \valid(to + (0 .. (value > 0xffffffff ? 3 : 2)));
    assigns to[0 .. (value > 0xffffffff ? 3 : 2)];
    ensures \result == to + (value > 0xffffffff ? 4 : 3); */
static inline uint64_t *fxt_emit_put_number_(uint64_t *to, uint64_t name_size,
                                             uint64_t name, uint64_t more_name,
                                             uint64_t value);

/*@ requires \valid_read(emit);
    assigns \nothing;
    ensures \result == drops_words(emit); */
static inline uint64_t fxt_emit_drops_words_(const struct fxt_emit *emit);

/*@ requires good(emit) && usable(emit);
    requires drops_words(emit) < emit->limit - emit->pos;
    assigns emit->words[emit->pos .. emit->limit - 1], emit->pos,
   emit->unreported_records, emit->unreported_bytes; ensures emit->pos == \old(emit->pos)
   + \old(drops_words(emit)); ensures emit->unreported_records == 0 &&
   emit->unreported_bytes == 0; ensures same{Pre, Post}(emit); ensures emit->limit ==
   \old(emit->limit); */
static inline void fxt_emit_put_drops_(struct fxt_emit *emit);

/*@ requires good(emit) && counts(emit);
    requires n_words < 0x100000000000;
    assigns emit->dropped_records, emit->dropped_bytes, emit->unreported_first,
            emit->unreported_last, emit->unreported_records, emit->unreported_bytes;
    ensures good(emit);
    ensures same{Pre, Post}(emit);
    ensures usable{Pre}(emit) ==> usable(emit); */
static inline void fxt_emit_drop_(struct fxt_emit *emit, uint64_t n_words);

/*@ requires good(emit) && usable(emit) && emit->control != \null;
    requires tail <= emit->n_words;
    assigns emit->control->end, emit->pos, emit->limit;
    ensures emit->pos == 0 && emit->limit == tail;
    ensures good(emit) && usable(emit); */
static inline void fxt_emit_go_around_(struct fxt_emit *emit, uint64_t tail);

/*@ requires good(emit) && usable(emit) && emit->control != \null;
    requires 0 < n_words && n_words < 0x100000000100;
    requires emit->faults < 0x4000000000000000;
    assigns emit->control->end, emit->control->head, emit->pos, emit->limit,
            emit->faults;
    ensures good(emit) && usable(emit);
    ensures same{Pre, Post}(emit);
    ensures \result != 0 ==> n_words < emit->limit - emit->pos; */
static inline bool fxt_emit_find_room_(struct fxt_emit *emit, uint64_t n_words);

/*@ requires good(emit) && counts(emit) && emit->faults < 0x4000000000000000;
    requires 0 < n_words && n_words < 0x100000000000;
    assigns emit->words[0 .. emit->n_words - 1], *emit, *emit->control;
    ensures good(emit);
    ensures same{Pre, Post}(emit);
    ensures \result != 0 ==> usable(emit) && n_words < emit->limit - emit->pos; */
static bool fxt_emit_make_room_(struct fxt_emit *emit, uint64_t n_words);

/*@ requires good(emit) && counts(emit) && emit->faults < 0x4000000000000000;
    requires 0 < n_words && n_words < 0x100000000000;
    assigns emit->words[0 .. emit->n_words - 1], *emit, *emit->control;
    ensures good(emit);
    ensures same{Pre, Post}(emit);
    ensures \result == \null ||
            (usable(emit) && n_words < emit->limit - emit->pos &&
             \result == emit->words + emit->pos); */
static inline uint64_t *fxt_emit_reserve_(struct fxt_emit *emit, uint64_t n_words);

/*@ requires \valid(to + (0 .. n_words - 1));
    requires \valid_read(from + (0 .. n_words - 1));
    requires \separated(to + (0 .. n_words - 1), from + (0 .. n_words - 1));
    assigns to[0 .. n_words - 1]; */
static inline void fxt_emit_copy_(uint64_t *to, const uint64_t *from, uint64_t n_words);

/*@ requires good(emit) && usable(emit);
    requires 0 < n_words && n_words < emit->limit - emit->pos;
    assigns emit->words[emit->pos .. emit->limit - 1], emit->pos, emit->control->head;
    ensures good(emit) && usable(emit) && same{Pre, Post}(emit);
    ensures emit->pos == \old(emit->pos) + n_words;
    ensures emit->words[emit->pos] == 0; */
static inline void fxt_emit_publish_(struct fxt_emit *emit, uint64_t n_words,
                                     uint64_t header);

/* Any number of PCs, too many and none as well; they are not in the region. */
/*@ requires good(emit) && counts(emit) && emit->faults < 0x4000000000000000;
    requires emit->invalid_records < 0x4000000000000000;
    requires n_pcs < 0x8000000000000000;
    requires \valid_read(pcs + (0 .. n_pcs - 1));
    requires \separated(pcs + (0 .. n_pcs - 1), emit->words + (0 .. emit->n_words - 1));
    requires \separated(pcs + (0 .. n_pcs - 1), emit);
    requires emit->control == \null ||
             \separated(pcs + (0 .. n_pcs - 1), emit->control);
    assigns emit->words[0 .. emit->n_words - 1], *emit, *emit->control;
    ensures good(emit); */
static inline bool fxt_emit_sample(struct fxt_emit *emit, uint64_t timestamp,
                                   uint64_t process, uint64_t thread, const uint64_t *pcs,
                                   uint64_t n_pcs);
