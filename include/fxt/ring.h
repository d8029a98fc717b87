/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes records through a ring in memory, from one producer to one consumer while both
 * run: on two CPUs, in two processes, or in a kernel and a program that maps its memory.
 * This header has the consumer's side and the layout that both sides share; the producer
 * is an emitter (fxt_emit_init_ring in fxt/emit.h).
 *
 *     struct fxt_ring ring;
 *
 *     if (!fxt_ring_open(&ring, memory, size)) ...
 *     for (;;) {
 *         size_t n = fxt_ring_read(&ring, buffer, sizeof(buffer));
 *         ...                                        n bytes of whole records
 *     }
 *
 * The consumer always gets whole records, one after the other: a record is never split,
 * and none wraps around the ring's end. Where one does not fit before the end the
 * producer continues at the beginning, and the functions below skip the words that it
 * left unused. So all that was ever drained from a ring, concatenated, is a stream
 * without gaps that fxt/reader.h reads as FXT_STREAM_REGION. What the producer had no
 * room for is reported in the stream, by a record with the numbers of dropped records and
 * bytes (FXT_SAMPLE_DROPS in fxt/sample.h).
 *
 * Nothing here waits or wakes the other side: the consumer polls, as often as it likes.
 *
 * Trust. Each side keeps its position in private memory and publishes it in a shared word
 * that only it writes. The other side's word is loaded once and checked, so that a peer
 * that is hostile, or was killed at any instruction, costs the ring's data at most:
 * neither side ever accesses memory outside of the ring, or loops more often than the
 * ring has words. The contents of records are not checked here; that is the reader's
 * task.
 *
 * The layout is the same on 32-bit and 64-bit machines; both sides must have the same
 * byte order.
 */
#ifndef FXT_RING_H
#define FXT_RING_H

#include <fxt/compiler.h>
#include <fxt/format.h>

FXT_BEGIN_DECLS

/*
 * The control block at the beginning of a ring's memory, which both sides map; the ring's
 * words follow it. Positions are counted in words from the first of these, and are less
 * than their number. The two sides' members are in different cache lines.
 *
 * The data are the words from the consumer's position up to the producer's. If the
 * producer's is the lower of the two, it has wrapped around: then the data are the words
 * from the consumer's position up to `end`, and those from the first up to the producer's
 * position. One word always stays free, so that equal positions mean an empty ring.
 */
struct fxt_ring_control {
    /* Written by the producer: the position of the next record, and where it wrapped
     * around last. */
    uint32_t head;
    uint32_t end;
    uint32_t unused_1_[30];
    /* Written by the consumer: the position of the first record that it has not
     * consumed. */
    uint32_t tail;
    uint32_t unused_2_[31];
};

#define FXT_RING_CONTROL_BYTES 256

/* Positions have 32 bits, so a ring has no more words than this. */
#define FXT_RING_WORDS_MAX_ 0xffffffff

/* How many words there are in a ring of `size` bytes; 0 if the memory cannot be a
 * ring. */
FXT_INLINE uint64_t fxt_ring_n_words_(const void *memory, uint64_t size)
{
    uint64_t n_words;

    if (!memory || (uintptr_t)memory % FXT_WORD_BYTES != 0 ||
        size < FXT_RING_CONTROL_BYTES)
        return 0;
    n_words = (size - FXT_RING_CONTROL_BYTES) / FXT_WORD_BYTES;
    return n_words < FXT_RING_WORDS_MAX_ ? n_words : FXT_RING_WORDS_MAX_;
}

FXT_INLINE uint64_t *fxt_ring_words_(void *memory)
{
    return (uint64_t *)memory + FXT_RING_CONTROL_BYTES / FXT_WORD_BYTES;
}

/* The consumer's side of a ring. Use it from one thread at a time; all members may be
 * read. */
struct fxt_ring {
    struct fxt_ring_control *control;
    const uint64_t *words;
    uint64_t n_words;
    /* The position of the first word that was not consumed, and that after the words that
     * fxt_ring_peek returned last. */
    uint64_t tail;
    uint64_t shown;

    /* How often the producer's position was impossible, or its data were no records. In
     * the former case the ring appears empty until the position changes; in the latter
     * the data are skipped and counted in `skipped_bytes`. */
    uint64_t faults;
    uint64_t skipped_bytes;
};

/*
 * Opens a ring of `size` bytes at `memory`, which an emitter has initialized with the
 * same size, and continues where the last consumer stopped. The memory must be writable
 * and stay in place; there is nothing to close. There must be no other consumer.
 *
 * Returns false, and the ring appears empty forever, if the memory holds no ring: it is
 * NULL, not aligned to 8 bytes, or too small, or its control block is invalid.
 */
FXT_INLINE bool fxt_ring_open(struct fxt_ring *ring, void *memory, uint64_t size)
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

FXT_INLINE void fxt_ring_move_tail_(struct fxt_ring *ring, uint64_t tail)
{
    ring->tail = tail;
    ring->shown = tail;
    FXT_STORE_RELEASE(&ring->control->tail, (uint32_t)tail);
}

/* Returns the end of the contiguous data that start at the tail. */
FXT_INLINE uint64_t fxt_ring_find_end_(struct fxt_ring *ring)
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
 * Returns what is in the ring without copying it: stores the address of contiguous whole
 * records in `*words` and returns how many words they are; 0 if there are none. `*words`
 * is set in any case. There may be more records, which are returned once these are
 * consumed.
 *
 * The words belong to the consumer until it consumes them, and a correct producer does
 * not write to them. An untrusted one could: load each word once, as fxt/reader.h does,
 * or copy them with fxt_ring_read.
 */
FXT_INLINE uint64_t fxt_ring_peek(struct fxt_ring *ring, const uint64_t **words)
{
    *words = ring->words;
    if (ring->n_words == 0)
        return 0;
    ring->shown = fxt_ring_find_end_(ring);
    *words += ring->tail;
    return ring->shown - ring->tail;
}

/*
 * Releases to the producer the first `n_words` of what fxt_ring_peek returned last, which
 * must be whole records. A larger number than that releases all of it.
 */
FXT_INLINE void fxt_ring_consume(struct fxt_ring *ring, uint64_t n_words)
{
    uint64_t shown = ring->shown;
    uint64_t n_shown = shown - ring->tail;

    if (n_shown == 0)
        return;
    fxt_ring_move_tail_(ring, ring->tail + (n_words < n_shown ? n_words : n_shown));
    ring->shown = shown;
}

/* The size in words that a header gives its record. */
FXT_INLINE uint64_t fxt_ring_record_words_(uint64_t header)
{
    return FXT_GET(header, RECORD_TYPE) == FXT_RECORD_LARGE
               ? FXT_GET(header, LARGE_WORDS)
               : FXT_GET(header, RECORD_WORDS);
}

/* Returns how many of the `n_words` words are whole records that take no more than
 * `max_words` together; sets `*broken` if it finds what is no record. */
FXT_INLINE uint64_t fxt_ring_whole_words_(const uint64_t *words, uint64_t n_words,
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

/* Copies and consumes contiguous records, at most `max_bytes`, and returns how many
 * bytes. */
FXT_INLINE uint64_t fxt_ring_move_(struct fxt_ring *ring, unsigned char *to,
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
 * Copies as many whole records out of the ring as fit in `size` bytes at `to`, which may
 * have any alignment, consumes them, and returns their size in bytes. 0 means that there
 * are none, or that the first is larger than `size`: fxt_ring_peek distinguishes the two.
 * A sampler's records have at most 70 words; all records but large ones, at most
 * FXT_RECORD_WORDS_MAX.
 */
FXT_INLINE uint64_t fxt_ring_read(struct fxt_ring *ring, void *to, uint64_t size)
{
    unsigned char *bytes = (unsigned char *)to;
    uint64_t n = fxt_ring_move_(ring, bytes, size);

    /* There may be more at the ring's beginning; not while records before it are left. */
    if (n > 0 && ring->tail == ring->shown)
        n += fxt_ring_move_(ring, bytes + n, size - n);
    return n;
}

FXT_END_DECLS

#endif
