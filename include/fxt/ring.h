/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring: memory through which one producer passes records to one consumer while both
 * run, on two CPUs, in two processes, or in a kernel and a program that maps its memory.
 * This is the consumer's side, and what both must agree on; the producer is an emitter
 * (fxt_emit_init_ring in fxt/emit.h).
 *
 *     struct fxt_ring ring;
 *
 *     if (!fxt_ring_open(&ring, memory, size)) ...
 *     for (;;) {
 *         size_t n = fxt_ring_read(&ring, buffer, sizeof(buffer));
 *         ...                                        n bytes of whole records
 *     }
 *
 * What is drained is always a whole number of records, one behind the other: a record is
 * never cut in two, and none goes around the ring's end. Where one does not fit in front
 * of the end the producer goes on at the beginning, and the words that it leaves out are
 * stepped over here; who drains never sees them. So all that was ever drained from a
 * ring, put together, is a stream without a gap that fxt/reader.h reads as
 * FXT_STREAM_REGION. What the producer had no room for is in it as a record that says how
 * much that was (FXT_SAMPLE_DROPS in fxt/sample.h).
 *
 * Nothing here waits, and nobody is woken: when to look is the consumer's affair.
 *
 * Trust. Each side keeps its own place in memory of its own and tells the other by a word
 * that only it writes. What the other side tells is loaded once and checked, so that a
 * peer that is hostile, or was killed at any instruction, costs a ring's data at most:
 * neither side ever touches memory outside of the ring, or loops for longer than the ring
 * is large. What a hostile producer writes into the records is for the reader to judge.
 *
 * The layout is the same on 32 and 64 bits; both sides must have the same byte order.
 */
#ifndef FXT_RING_H
#define FXT_RING_H

#include <fxt/compiler.h>
#include <fxt/format.h>

FXT_BEGIN_DECLS

/*
 * The beginning of a ring's memory, which both sides map; behind it are the ring's words.
 * The places are counted in words from the first of these on and are less than their
 * number. Each side's words have cache lines of their own.
 *
 * The data are the words from the consumer's place up to the producer's. If the
 * producer's is the lower of the two it has gone around: then they are those from the
 * consumer's place up to `end`, and those from the first up to the producer's place. One
 * word always stays free, so that equal places say that there is nothing.
 */
struct fxt_ring_control {
    /* The producer's: where the next record goes, and where it went around last. */
    uint32_t head;
    uint32_t end;
    uint32_t unused_1_[30];
    /* The consumer's: where the first record is that it has not taken. */
    uint32_t tail;
    uint32_t unused_2_[31];
};

#define FXT_RING_CONTROL_BYTES 256

/* Places have 32 bits, so a ring has no more words than this. */
#define FXT_RING_WORDS_MAX_ 0xffffffff

/* How many words there are in a ring of `size` bytes; 0 if it can be none. */
static inline uint64_t fxt_ring_n_words_(const void *memory, uint64_t size)
{
    uint64_t n_words;

    if (!memory || (uintptr_t)memory % FXT_WORD_BYTES != 0 ||
        size < FXT_RING_CONTROL_BYTES)
        return 0;
    n_words = (size - FXT_RING_CONTROL_BYTES) / FXT_WORD_BYTES;
    return n_words < FXT_RING_WORDS_MAX_ ? n_words : FXT_RING_WORDS_MAX_;
}

static inline uint64_t *fxt_ring_words_(void *memory)
{
    return (uint64_t *)memory + FXT_RING_CONTROL_BYTES / FXT_WORD_BYTES;
}

/* The consumer's end of a ring. Use it from one thread at a time; all members may be
 * read. */
struct fxt_ring {
    struct fxt_ring_control *control;
    const uint64_t *words;
    uint64_t n_words;
    /* The first word that was not taken, and the first behind what was shown last. */
    uint64_t tail;
    uint64_t shown;

    /* How often the producer said something impossible, or its data made no sense. After
     * the former there is nothing to be had until it says something else; the latter are
     * skipped, and this is how many bytes of them. */
    uint64_t faults;
    uint64_t skipped_bytes;
};

/*
 * Opens a ring of `size` bytes at `memory`, which an emitter has initialized with the
 * same size, to go on where the last consumer has stopped. The memory must be writable
 * and stay in place; there is nothing to close. Nobody else may be consuming.
 *
 * Returns false, and the ring seems empty for ever, if there is no ring in the memory: it
 * is NULL, not aligned to 8 bytes, or too small, or nonsense stands in its control.
 */
static inline bool fxt_ring_open(struct fxt_ring *ring, void *memory, uint64_t size)
{
    uint64_t n_words = fxt_ring_n_words_(memory, size);

    ring->control = (struct fxt_ring_control *)memory;
    ring->words = n_words > 0 ? fxt_ring_words_(memory) : 0;
    ring->n_words = n_words;
    ring->tail = n_words > 0 ? FXT_LOAD_RELAXED(&ring->control->tail) : 0;
    ring->shown = ring->tail;
    ring->faults = 0;
    ring->skipped_bytes = 0;
    if (ring->tail < n_words)
        return true;
    ring->n_words = 0;
    return false;
}

static inline void fxt_ring_move_tail_(struct fxt_ring *ring, uint64_t tail)
{
    ring->tail = tail;
    ring->shown = tail;
    FXT_STORE_RELEASE(&ring->control->tail, (uint32_t)tail);
}

/* Returns where the words end that lie one behind the other from the tail on. */
static inline uint64_t fxt_ring_find_end_(struct fxt_ring *ring)
{
    uint64_t head = FXT_LOAD_ACQUIRE(&ring->control->head);
    uint64_t end;

    if (FXT_LIKELY(head >= ring->tail && head < ring->n_words))
        return head;
    end = FXT_LOAD_RELAXED(&ring->control->end);
    if (head >= ring->n_words || end < ring->tail || end >= ring->n_words) {
        ring->faults++;
        return ring->tail;
    }
    if (end > ring->tail)
        return end;
    fxt_ring_move_tail_(ring, 0);
    return head;
}

/*
 * Shows what is in the ring without copying it: stores the address of whole records, one
 * behind the other, in `*words` and returns how many words they are; 0 if there are none.
 * `*words` is set in any case. There may be more behind them, which shows once these are
 * consumed.
 *
 * The words are the consumer's until it consumes them, and a good producer does not touch
 * them. One that is not trusted could: load each once, as fxt/reader.h does, or copy them
 * with fxt_ring_read.
 */
static inline uint64_t fxt_ring_peek(struct fxt_ring *ring, const uint64_t **words)
{
    *words = ring->words;
    if (ring->n_words == 0)
        return 0;
    ring->shown = fxt_ring_find_end_(ring);
    *words += ring->tail;
    return ring->shown - ring->tail;
}

/*
 * Gives back the first `n_words` of what was shown last, which must be whole records, for
 * the producer to use again. More than was shown is taken for all of it.
 */
static inline void fxt_ring_consume(struct fxt_ring *ring, uint64_t n_words)
{
    uint64_t shown = ring->shown;
    uint64_t n_shown = shown - ring->tail;

    if (n_shown == 0)
        return;
    fxt_ring_move_tail_(ring, ring->tail + (n_words < n_shown ? n_words : n_shown));
    ring->shown = shown;
}

/* The size in words that a header gives its record. */
static inline uint64_t fxt_ring_record_words_(uint64_t header)
{
    return FXT_GET(header, RECORD_TYPE) == FXT_RECORD_LARGE
               ? FXT_GET(header, LARGE_WORDS)
               : FXT_GET(header, RECORD_WORDS);
}

/* Returns how many of the `n_words` that are shown are records that take no more than
 * `max_words` together; sets `*broken` where something is no record. */
static inline uint64_t fxt_ring_whole_words_(const uint64_t *words, uint64_t n_words,
                                             uint64_t max_words, bool *broken)
{
    uint64_t room = max_words;

    while (n_words > 0) {
        uint64_t record = fxt_ring_record_words_(fxt_load_once_(words));

        *broken = record == 0 || record > n_words;
        if (*broken || record > room)
            break;
        words += record;
        n_words -= record;
        room -= record;
    }
    return max_words - room;
}

/* Moves what is shown, at most `max_bytes` of it, and returns how many bytes that was. */
static inline uint64_t fxt_ring_move_(struct fxt_ring *ring, unsigned char *to,
                                      uint64_t max_bytes)
{
    uint64_t max_words = max_bytes / FXT_WORD_BYTES;
    const uint64_t *words;
    uint64_t n_shown = fxt_ring_peek(ring, &words);
    uint64_t n_words = n_shown;
    bool broken = false;

    if (n_shown > max_words)
        n_words = fxt_ring_whole_words_(words, n_shown, max_words, &broken);
    for (uint64_t i = 0; i < n_words; i++)
        FXT_COPY(to + i * FXT_WORD_BYTES, words + i, FXT_WORD_BYTES);
    if (FXT_UNLIKELY(broken)) {
        ring->faults++;
        ring->skipped_bytes += (n_shown - n_words) * FXT_WORD_BYTES;
        fxt_ring_consume(ring, n_shown);
    } else {
        fxt_ring_consume(ring, n_words);
    }
    return n_words * FXT_WORD_BYTES;
}

/*
 * Takes as many whole records out of the ring as `size` bytes at `to` have room for, and
 * returns how many bytes they are; the address may be any. 0 says that there are none, or
 * that the first is larger than `size`: fxt_ring_peek tells. Of a sampler's records none
 * is larger than 70 words, of all but large ones none larger than FXT_RECORD_WORDS_MAX.
 */
static inline uint64_t fxt_ring_read(struct fxt_ring *ring, void *to, uint64_t size)
{
    unsigned char *bytes = (unsigned char *)to;
    uint64_t n = fxt_ring_move_(ring, bytes, size);

    /* There may be more at the ring's beginning, but not in front of records that are
     * left. */
    if (n > 0 && ring->tail == ring->shown)
        n += fxt_ring_move_(ring, bytes + n, size - n);
    return n;
}

FXT_END_DECLS

#endif
