/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reserves room for records, for fxt/emit.h, where it is documented. Only struct fxt_emit
 * is for direct use.
 *
 * A record is written in three steps: it is measured, room is reserved for all of it or
 * none, and once it is filled in its header is stored, which makes it visible.
 */
#ifndef FXT_EMIT_ROOM_H
#define FXT_EMIT_ROOM_H

#include <fxt/compiler.h>
#include <fxt/format.h>
#include <fxt/ring.h>

FXT_BEGIN_DECLS

/*
 * An emitter. The caller owns both it and the memory, which must stay in place as long as
 * the emitter is used; there is nothing to free. All members may be read, by the writer
 * or once the writer has stopped, and only the functions below write them.
 */
struct fxt_emit {
    /* The region or the ring, in words of 8 bytes. The next record goes to `pos`, and the
     * last word that it or the zero after it may take is the one before `limit`. In a
     * region `pos` is also how many words of records there are. */
    uint64_t *words;
    uint64_t pos;
    uint64_t limit;
    /* The ring's control block; NULL for a region. */
    struct fxt_ring_control *control;
    /* The timestamp of the last record that had one. */
    uint64_t time;
    uint64_t n_words;

    /* What did not fit: how many records, and how many bytes they would have taken. */
    uint64_t dropped_records;
    uint64_t dropped_bytes;
    /* How many calls asked for a record that the format cannot express. */
    uint64_t invalid_records;

    /* A region has dropped a record and accepts no more. */
    bool full;

    /* Rings: the number of the CPU that writes. */
    uint32_t cpu;
    /* What was dropped and not reported yet, with its earliest and latest timestamp; in a
     * region, all that was dropped. */
    uint64_t unreported_records;
    uint64_t unreported_bytes;
    uint64_t unreported_first;
    uint64_t unreported_last;
    /* Rings: how often the consumer's position was out of range, so that nothing could be
     * written. */
    uint64_t faults;
};

/* ---- Drops ------------------------------------------------------------------------- */

/* The size in words of the event that reports drops if both its numbers fit in 32 bits,
 * as they do in Zircon's; each that does not takes one word more. */
#define FXT_EMIT_DROPS_WORDS_ 15

/* Eight characters as a word of text. */
#define FXT_EMIT_TEXT_(a, b, c, d, e, f, g, h)                                           \
    (FXT_EMIT_CHAR_(a, 0) | FXT_EMIT_CHAR_(b, 1) | FXT_EMIT_CHAR_(c, 2) |                \
     FXT_EMIT_CHAR_(d, 3) | FXT_EMIT_CHAR_(e, 4) | FXT_EMIT_CHAR_(f, 5) |                \
     FXT_EMIT_CHAR_(g, 6) | FXT_EMIT_CHAR_(h, 7))
#define FXT_EMIT_CHAR_(c, i)                                                             \
    ((uint64_t)(c) << (FXT_HOST_IS_BIG_ENDIAN ? 56 - 8 * (i) : 8 * (i)))

/* Whether a number takes a separate word after its argument's name. */
FXT_INLINE bool fxt_emit_is_wide_(uint64_t value)
{
    return value > FXT_MAX(ARG_VALUE);
}

/* Writes an argument whose name is `name_size` bytes in two words, and returns the
 * address after it. */
FXT_INLINE uint64_t *fxt_emit_put_number_(uint64_t *to, uint64_t name_size, uint64_t name,
                                          uint64_t more_name, uint64_t value)
{
    uint64_t header = FXT_PUT(ARG_NAME, FXT_STRING_REF_INLINE | name_size);

    to[1] = name;
    to[2] = more_name;
    if (fxt_emit_is_wide_(value)) {
        to[0] = header | FXT_PUT(ARG_TYPE, FXT_ARG_UINT64) | FXT_PUT(ARG_WORDS, 4);
        to[3] = value;
        return to + 4;
    }
    to[0] = header | FXT_PUT(ARG_TYPE, FXT_ARG_UINT32) | FXT_PUT(ARG_WORDS, 3) |
            FXT_PUT(ARG_VALUE, value);
    return to + 3;
}

FXT_INLINE uint64_t fxt_emit_drops_words_(const struct fxt_emit *emit)
{
    uint64_t n_words = FXT_EMIT_DROPS_WORDS_;

    return n_words + fxt_emit_is_wide_(emit->unreported_records) +
           fxt_emit_is_wide_(emit->unreported_bytes);
}

/* Writes the event that reports drops at `pos`, where there is room, and moves `pos` past
 * it. It becomes visible together with the next record. */
FXT_INLINE void fxt_emit_put_drops_(struct fxt_emit *emit)
{
    uint64_t *record = emit->words + emit->pos;
    uint64_t n_words = fxt_emit_drops_words_(emit);
    uint64_t *args;

    record[0] = FXT_PUT(RECORD_TYPE, FXT_RECORD_EVENT) | FXT_PUT(RECORD_WORDS, n_words) |
                FXT_PUT(EVENT_TYPE, FXT_EVENT_DURATION_COMPLETE) |
                FXT_PUT(EVENT_ARGS, 2) | FXT_PUT(EVENT_THREAD, FXT_THREAD_REF_INLINE) |
                FXT_PUT(EVENT_CATEGORY, FXT_STRING_REF_INLINE | 11) |
                FXT_PUT(EVENT_NAME, FXT_STRING_REF_INLINE | 10);
    record[1] = emit->unreported_first;
    record[2] = 0;
    record[3] = emit->cpu;
    record[4] = FXT_EMIT_TEXT_('k', 'e', 'r', 'n', 'e', 'l', ':', 'm');
    record[5] = FXT_EMIT_TEXT_('e', 't', 'a', 0, 0, 0, 0, 0);
    record[6] = FXT_EMIT_TEXT_('d', 'r', 'o', 'p', '_', 's', 't', 'a');
    record[7] = FXT_EMIT_TEXT_('t', 's', 0, 0, 0, 0, 0, 0);
    args = fxt_emit_put_number_(
        record + 8, 11, FXT_EMIT_TEXT_('n', 'u', 'm', '_', 'r', 'e', 'c', 'o'),
        FXT_EMIT_TEXT_('r', 'd', 's', 0, 0, 0, 0, 0), emit->unreported_records);
    fxt_emit_put_number_(args, 9, FXT_EMIT_TEXT_('n', 'u', 'm', '_', 'b', 'y', 't', 'e'),
                         FXT_EMIT_TEXT_('s', 0, 0, 0, 0, 0, 0, 0),
                         emit->unreported_bytes);
    record[n_words - 1] = emit->unreported_last;
    emit->pos += n_words;
    emit->unreported_records = 0;
    emit->unreported_bytes = 0;
}

/* Counts a record that is not written. Its timestamp, or the last one before it, is in
 * `emit->time`. */
FXT_INLINE void fxt_emit_drop_(struct fxt_emit *emit, uint64_t n_words)
{
    emit->dropped_records++;
    emit->dropped_bytes += n_words * FXT_WORD_BYTES;
    if (emit->unreported_records == 0 || emit->time < emit->unreported_first)
        emit->unreported_first = emit->time;
    if (emit->unreported_records == 0 || emit->time > emit->unreported_last)
        emit->unreported_last = emit->time;
    emit->unreported_records++;
    emit->unreported_bytes += n_words * FXT_WORD_BYTES;
}

/* ---- Room -------------------------------------------------------------------------- */

/* Wraps around to the ring's beginning, which the consumer sees with the next record. */
FXT_INLINE void fxt_emit_go_around_(struct fxt_emit *emit, uint64_t tail)
{
    FXT_STORE_RELAXED(&emit->control->end, (uint32_t)emit->pos);
    emit->pos = 0;
    emit->limit = tail;
}

/* Loads the consumer's position, and moves `pos` and `limit` to where there is room for
 * `n_words`. Returns false if there is none. */
FXT_INLINE bool fxt_emit_find_room_(struct fxt_emit *emit, uint64_t n_words)
{
    uint64_t tail = FXT_LOAD_ACQUIRE(&emit->control->tail);

    if (FXT_UNLIKELY(tail >= emit->n_words)) {
        emit->faults++;
        return false;
    }
    emit->limit = tail > emit->pos ? tail : emit->n_words;
    if (n_words < emit->limit - emit->pos)
        return true;
    if (tail > emit->pos)
        return false;
    if (n_words < tail) {
        fxt_emit_go_around_(emit, tail);
        return true;
    }
    /* The ring is empty, and yet neither part of it is large enough: once the consumer
     * has wrapped around too, there is more room. */
    if (tail == emit->pos && tail > 0) {
        fxt_emit_go_around_(emit, tail);
        FXT_STORE_RELEASE(&emit->control->head, (uint32_t)0);
    }
    return false;
}

/* The slow path to room for a record. In a ring it comes after the event that reports
 * what was dropped before, if anything was. Returns false if the record is dropped. */
FXT_OUT_OF_LINE bool fxt_emit_make_room_(struct fxt_emit *emit, uint64_t n_words)
{
    bool has_unreported = emit->unreported_records > 0;
    uint64_t n_unreported = has_unreported ? fxt_emit_drops_words_(emit) : 0;

    if (emit->control && fxt_emit_find_room_(emit, n_unreported + n_words)) {
        if (has_unreported)
            fxt_emit_put_drops_(emit);
        return true;
    }
    fxt_emit_drop_(emit, n_words);
    /* The next record takes the slow path, too. */
    emit->limit = emit->pos;
    emit->full = !emit->control;
    return false;
}

/* Whether a record would fit now. */
FXT_INLINE bool fxt_emit_has_room_(struct fxt_emit *emit, uint64_t n_words)
{
    uint64_t n_unreported =
        emit->unreported_records > 0 ? fxt_emit_drops_words_(emit) : 0;
    bool has_room = n_words < emit->limit - emit->pos;

    if (!has_room && emit->control) {
        has_room = fxt_emit_find_room_(emit, n_unreported + n_words);
        /* The record takes the slow path, which reports drops. */
        emit->limit = emit->pos;
    }
    return has_room;
}

/* Returns the address for a record of `n_words` words, to be filled from its second word
 * on and then published; NULL if there is no room, and the record is then counted as
 * dropped. */
FXT_INLINE uint64_t *fxt_emit_reserve_(struct fxt_emit *emit, uint64_t n_words)
{
    /* Less, not equal: the end needs a word too. */
    if (FXT_LIKELY(n_words < emit->limit - emit->pos) ||
        fxt_emit_make_room_(emit, n_words))
        return emit->words + emit->pos;
    return 0;
}

/* Copies words into a reserved record. The comment with the @ is an annotation for the
 * proof; see tests/proof. */
FXT_INLINE void fxt_emit_copy_(uint64_t *to, const uint64_t *from, uint64_t n_words)
{
    /*@ loop invariant 0 <= i <= n_words;
        loop assigns i, to[0 .. n_words - 1];
        loop variant n_words - i; */
    for (uint64_t i = 0; i < n_words; i++)
        to[i] = from[i];
}

/* Publishes the record that was reserved last and filled: stores its header, which makes
 * it visible. */
FXT_INLINE void fxt_emit_publish_(struct fxt_emit *emit, uint64_t n_words,
                                  uint64_t header)
{
    uint64_t *record = emit->words + emit->pos;

    record[n_words] = 0;
    fxt_store_release_(record, header);
    emit->pos += n_words;
    if (emit->control)
        FXT_STORE_RELEASE(&emit->control->head, (uint32_t)emit->pos);
}

FXT_END_DECLS

#endif
