/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes FXT records from restricted contexts: a kernel's interrupt handler, an NMI, a
 * signal handler.
 *
 *     struct fxt_emit emit;
 *
 *     fxt_emit_init(&emit, region, region_size);           once for each CPU
 *     ...
 *     n_pcs = fxt_unwind_walk(&stack, pcs, FXT_SAMPLER_PCS_MAX);
 *     fxt_emit_sample(&emit, ticks, process, thread, pcs, n_pcs);
 *
 * Everything is in this header and those it includes. It needs no library, allocates no
 * memory, uses no floating point and takes no lock; it never waits, and uses a few
 * hundred bytes of stack at most. A compiler may turn its loops into calls of memcpy,
 * which compilers require of every program, freestanding or not. The records of a
 * sampler, which are the most frequent, are here; all others are in fxt/emit_records.h.
 *
 * Output. A *region* is memory that is filled with records, one after the other, until it
 * is full; Zircon's kernel sampler has one for each CPU. It has no magic number, and a
 * header word of zero ends its data; fxt/reader.h reads it as FXT_STREAM_REGION, and
 * readers of Zircon's regions read it too. A *ring* is memory that a consumer drains
 * while it is written (fxt/ring.h). The same functions write to both.
 *
 * Errors. Each function returns true if the record was written. If it was not, no part of
 * it was, and it is counted:
 *
 * - in `dropped_records` if there was no room. A region is full from then on, and accepts
 *   no smaller record either: else its end would hold only short stacks. A ring accepts
 *   records again when the consumer has made room, and the first one that fits is
 *   preceded by an event that reports what was dropped in between (see fxt_emit_drops).
 * - in `invalid_records` if the format cannot represent the record: a name of 40,000
 *   bytes, CPU number 65,536, an event with 16 arguments. Nothing is ever truncated or
 *   masked to fit, and later records are not affected.
 *
 * Concurrent readers of a region. A record's header is stored last, with release order,
 * after the word that follows the record was set to zero. Read at any moment, whether the
 * writer still runs, was killed, or crashed with its kernel, the region thus holds whole
 * records and then the end. After the end there may be part of the one record that was
 * being written; libfxt's reader reports it (FXT_E_DATA_AFTER_END) and does not decode
 * it. A reader that runs while the writer does must load each header with acquire order
 * before it loads what follows it, as libfxt's does, and must stop at the first end that
 * it sees.
 *
 * On 32-bit machines a header is stored in two halves, the lower one last, and a reader
 * could see the upper one alone. The size and the type are in the lower half, so that it
 * is never zero in a record: for a reader that runs while such a writer does, or after it
 * crashed, a word whose lower half is zero is the end. libfxt's reader, which cannot know
 * this, reports a header of size zero (FXT_E_SIZE_ZERO), after all whole records.
 *
 * Threads. One writer at a time: an emitter belongs to one CPU and one context, and code
 * that can interrupt its writer, as an NMI interrupts an interrupt handler, needs its own
 * emitter and memory. Where that is impossible, as in a program whose threads migrate
 * from CPU to CPU, and wherever writers must be stopped from outside, guard the emitter
 * by a gate, which never waits (fxt/gate.h); examples/selfsample shows how.
 *
 * Words are stored in this machine's byte order, as the format specifies.
 */
#ifndef FXT_EMIT_H
#define FXT_EMIT_H

#include <fxt/compiler.h>
#include <fxt/emit_room.h>
#include <fxt/format.h>
#include <fxt/ring.h>

FXT_BEGIN_DECLS

/* ---- Starting ---------------------------------------------------------------------- */

FXT_INLINE void fxt_emit_start_(struct fxt_emit *emit, uint64_t *words, uint64_t n_words)
{
    emit->words = words;
    emit->pos = 0;
    emit->limit = n_words;
    emit->control = 0;
    emit->time = 0;
    emit->n_words = n_words;
    emit->dropped_records = 0;
    emit->dropped_bytes = 0;
    emit->invalid_records = 0;
    emit->full = n_words == 0;
    emit->cpu = 0;
    emit->unreported_records = 0;
    emit->unreported_bytes = 0;
    emit->unreported_first = 0;
    emit->unreported_last = 0;
    emit->faults = 0;
}

/*
 * Starts an emitter at the beginning of a region of `size` bytes, which must be aligned
 * to 8. One word is kept for the zero that ends the data; bytes after the last whole word
 * are not written.
 *
 * Returns false if the region has no room even for the end: it is NULL, not aligned, or
 * smaller than one word. The emitter may be used nevertheless: it is full and counts what
 * it drops.
 *
 * The region need not be zeroed: its first word is set to zero, and further ones as
 * records are written. But a reader that is given a whole region checks that only zeros
 * follow the end, and warns if it finds old data there, so zeroed memory is better.
 */
FXT_INLINE bool fxt_emit_init(struct fxt_emit *emit, void *region, uint64_t size)
{
    bool usable =
        region && (uintptr_t)region % FXT_WORD_BYTES == 0 && size >= FXT_WORD_BYTES;

    fxt_emit_start_(emit, (uint64_t *)region, usable ? size / FXT_WORD_BYTES : 0);
    if (usable)
        fxt_store_release_(emit->words, 0);
    return usable;
}

/*
 * Starts an emitter on a ring of `size` bytes, which must be aligned to 8, and is best
 * aligned to 128. FXT_RING_CONTROL_BYTES of it hold the control block that the two sides
 * share, and one word always stays free. A record smaller than half of the remaining
 * bytes is certain to fit once the consumer has drained the ring; a larger one that can
 * fit at all, once it has drained the ring twice. After a drop, the event that reports it
 * must fit together with the record; it takes up to 17 words. A record too large to fit
 * together with it is not written after a drop until a smaller one has been: make a ring
 * a few times as large as the largest record.
 *
 * The ring is then empty, whatever was in the memory; the consumer must not open it
 * before. `cpu` is the number that is reported where records were dropped.
 *
 * Returns false if the memory is NULL, not aligned, or too small for any record. The
 * emitter may be used nevertheless and counts what it drops.
 */
FXT_INLINE bool fxt_emit_init_ring(struct fxt_emit *emit, void *memory, uint64_t size,
                                   uint32_t cpu)
{
    uint64_t n_words = fxt_ring_n_words_(memory, size);

    if (n_words < 2) {
        fxt_emit_start_(emit, 0, 0);
        return false;
    }
    fxt_emit_start_(emit, fxt_ring_words_(memory), n_words);
    emit->control = (struct fxt_ring_control *)memory;
    emit->cpu = cpu;
    FXT_STORE_RELAXED(&emit->control->end, (uint32_t)0);
    FXT_STORE_RELAXED(&emit->control->tail, (uint32_t)0);
    FXT_STORE_RELEASE(&emit->control->head, (uint32_t)0);
    return true;
}

/* ---- Stopping -----------------------------------------------------------------------
 */

/*
 * Reports now what was dropped and not reported yet, with the event that would otherwise
 * precede the next record: a complete duration drop_stats in category kernel:meta, from
 * the earliest to the latest timestamp of what was dropped, in process 0, of the thread
 * whose koid is the CPU number, with the arguments num_records and num_bytes.
 * fxt_sample_from_record recognises it. A record without a timestamp counts with that of
 * the one before; a complete duration, with its end.
 *
 * Call this when a session ends, after its last record. Returns true if nothing is left
 * to report; false if there was no room. A region that has dropped records has no room
 * for the event: use the emitter's counts.
 */
FXT_INLINE bool fxt_emit_drops(struct fxt_emit *emit)
{
    if (emit->unreported_records == 0)
        return true;
    if (!emit->control || !fxt_emit_find_room_(emit, fxt_emit_drops_words_(emit))) {
        emit->limit = emit->pos;
        return false;
    }
    fxt_emit_put_drops_(emit);
    FXT_STORE_RELEASE(&emit->control->head, (uint32_t)emit->pos);
    return true;
}

/* ---- A sampler's records ----------------------------------------------------------- */

/* How many words a sample takes in addition to its PCs: header, format header, timestamp,
 * process, thread and the payload's size. */
#define FXT_EMIT_SAMPLE_WORDS_ 6

/* The most PCs that a sample can have. Some readers use only 12 bits of the size of a
 * large record; they lose the framing after a sample of more than 4089 PCs. */
#define FXT_EMIT_PCS_MAX (FXT_LARGE_WORDS_MAX - FXT_EMIT_SAMPLE_WORDS_)

/* Reserves a sample and fills in what precedes its arguments. */
FXT_INLINE uint64_t *fxt_emit_sample_start_(struct fxt_emit *emit, uint64_t n_words,
                                            uint64_t n_args, uint64_t timestamp,
                                            uint64_t process, uint64_t thread)
{
    uint64_t *record;

    emit->time = timestamp;
    record = fxt_emit_reserve_(emit, n_words);
    if (FXT_UNLIKELY(!record))
        return record;
    record[1] = FXT_PUT(LARGE_BLOB_CATEGORY, FXT_STRING_REF_EMPTY) |
                FXT_PUT(LARGE_BLOB_NAME, FXT_STRING_REF_EMPTY) |
                FXT_PUT(LARGE_BLOB_ARGS, n_args) |
                FXT_PUT(LARGE_BLOB_THREAD, FXT_THREAD_REF_INLINE);
    record[2] = timestamp;
    record[3] = process;
    record[4] = thread;
    return record;
}

/* Fills in the payload, which is the record's last words, and publishes the sample. */
FXT_INLINE void fxt_emit_sample_end_(struct fxt_emit *emit, uint64_t *record,
                                     uint64_t n_words, const uint64_t *pcs,
                                     uint64_t n_pcs)
{
    record[n_words - n_pcs - 1] = n_pcs * FXT_WORD_BYTES;
    fxt_emit_copy_(record + (n_words - n_pcs), pcs, n_pcs);
    fxt_emit_publish_(emit, n_words,
                      FXT_PUT(RECORD_TYPE, FXT_RECORD_LARGE) |
                          FXT_PUT(LARGE_WORDS, n_words) |
                          FXT_PUT(LARGE_TYPE, FXT_LARGE_BLOB) |
                          FXT_PUT(LARGE_BLOB_FORMAT, FXT_LARGE_BLOB_METADATA));
}

/*
 * Writes a sample as Zircon's kernel sampler did until 2025: a large blob with metadata
 * whose category and name are empty and whose payload is the PCs (thread_sampler and its
 * buffer_writer; the layout is in the trace format reference under "large blob").
 *
 * `timestamp` is in ticks. A region does not contain their rate: it must be given to the
 * reader (fxt_reader_options.ticks_per_second), which otherwise assumes nanoseconds.
 * `process` and `thread` are the koids, or whatever ids this system has. `pcs` are
 * `n_pcs` addresses, leaf first: the instruction that was interrupted, then return
 * addresses as found on the stack. They are copied. There must be at least one and at
 * most FXT_EMIT_PCS_MAX.
 */
FXT_INLINE bool fxt_emit_sample(struct fxt_emit *emit, uint64_t timestamp,
                                uint64_t process, uint64_t thread, const uint64_t *pcs,
                                uint64_t n_pcs)
{
    uint64_t n_words = FXT_EMIT_SAMPLE_WORDS_ + n_pcs;
    uint64_t *record;

    if (FXT_UNLIKELY(n_pcs == 0 || n_pcs > FXT_EMIT_PCS_MAX)) {
        emit->invalid_records++;
        return false;
    }
    record = fxt_emit_sample_start_(emit, n_words, 0, timestamp, process, thread);
    if (FXT_UNLIKELY(!record))
        return false;
    fxt_emit_sample_end_(emit, record, n_words, pcs, n_pcs);
    return true;
}

/* What the argument takes that says how a stack ended. */
#define FXT_EMIT_END_WORDS_ 2

/* The most PCs that a sample with that argument can have. */
#define FXT_EMIT_STACK_PCS_MAX (FXT_EMIT_PCS_MAX - FXT_EMIT_END_WORDS_)

/* Fills in that argument. */
FXT_INLINE void fxt_emit_put_end_(uint64_t *arg, enum fxt_stack_end end)
{
    arg[0] = FXT_PUT(ARG_TYPE, FXT_ARG_UINT32) | FXT_PUT(ARG_WORDS, FXT_EMIT_END_WORDS_) |
             FXT_PUT(ARG_NAME, FXT_STRING_REF_INLINE | 3) |
             FXT_PUT(ARG_VALUE, (uint32_t)end);
    /* "end", padded with zeros. */
    arg[1] = FXT_HOST_IS_BIG_ENDIAN ? 0x656e640000000000u : 0x646e65u;
}

/*
 * Writes a sample as fxt_emit_sample does, with at most FXT_EMIT_STACK_PCS_MAX PCs and an
 * argument "end" of type uint32 that says how the stack ended, for samplers that know.
 * This is libfxt's own addition to the record: other readers ignore a sample's arguments.
 */
FXT_INLINE bool fxt_emit_stack(struct fxt_emit *emit, uint64_t timestamp,
                               uint64_t process, uint64_t thread, const uint64_t *pcs,
                               uint64_t n_pcs, enum fxt_stack_end end)
{
    uint64_t n_words = FXT_EMIT_SAMPLE_WORDS_ + FXT_EMIT_END_WORDS_ + n_pcs;
    uint64_t *record;

    if (FXT_UNLIKELY(n_pcs == 0 || n_pcs > FXT_EMIT_STACK_PCS_MAX)) {
        emit->invalid_records++;
        return false;
    }
    record = fxt_emit_sample_start_(emit, n_words, 1, timestamp, process, thread);
    if (FXT_UNLIKELY(!record))
        return false;
    fxt_emit_put_end_(record + 5, end);
    fxt_emit_sample_end_(emit, record, n_words, pcs, n_pcs);
    return true;
}

/* What the arguments take that say how a stack ended, what was sampled and how much. */
#define FXT_EMIT_EVENT_WORDS_ (FXT_EMIT_END_WORDS_ + 5)

/* The most PCs that a sample with these arguments can have. */
#define FXT_EMIT_EVENT_PCS_MAX (FXT_EMIT_PCS_MAX - FXT_EMIT_EVENT_WORDS_)

/*
 * Writes a sample as fxt_emit_stack does, with at most FXT_EMIT_EVENT_PCS_MAX PCs and two
 * more arguments, for samplers that sample several kinds of event: a uint32 "event", the
 * number by which the archive declares the event (docs/sampled-events.md), and a uint64
 * "weight", how many of these events the sample stands for; 0 is as many as the archive
 * declares for all samples of the event.
 */
FXT_INLINE bool fxt_emit_event_stack(struct fxt_emit *emit, uint64_t timestamp,
                                     uint64_t process, uint64_t thread,
                                     const uint64_t *pcs, uint64_t n_pcs,
                                     enum fxt_stack_end end, uint32_t event,
                                     uint64_t weight)
{
    uint64_t n_words = FXT_EMIT_SAMPLE_WORDS_ + FXT_EMIT_EVENT_WORDS_ + n_pcs;
    uint64_t *record;

    if (FXT_UNLIKELY(n_pcs == 0 || n_pcs > FXT_EMIT_EVENT_PCS_MAX)) {
        emit->invalid_records++;
        return false;
    }
    record = fxt_emit_sample_start_(emit, n_words, 3, timestamp, process, thread);
    if (FXT_UNLIKELY(!record))
        return false;
    fxt_emit_put_end_(record + 5, end);
    record[7] = FXT_PUT(ARG_TYPE, FXT_ARG_UINT32) | FXT_PUT(ARG_WORDS, 2) |
                FXT_PUT(ARG_NAME, FXT_STRING_REF_INLINE | 5) | FXT_PUT(ARG_VALUE, event);
    /* "event" and "weight", padded with zeros. */
    record[8] = FXT_HOST_IS_BIG_ENDIAN ? 0x6576656e74000000u : 0x746e657665u;
    record[9] = FXT_PUT(ARG_TYPE, FXT_ARG_UINT64) | FXT_PUT(ARG_WORDS, 3) |
                FXT_PUT(ARG_NAME, FXT_STRING_REF_INLINE | 6);
    record[10] = FXT_HOST_IS_BIG_ENDIAN ? 0x7765696768740000u : 0x746867696577u;
    record[11] = weight;
    fxt_emit_sample_end_(emit, record, n_words, pcs, n_pcs);
    return true;
}

/* How many words a backtrace takes in addition to its PCs: header, timestamp, process and
 * thread. */
#define FXT_EMIT_BACKTRACE_WORDS_ 4

/*
 * Writes a sample as Zircon's kernel sampler does since 2025: a profiler backtrace, which
 * is two words shorter. The same as fxt_emit_sample, except that there can be at most
 * FXT_BACKTRACE_PCS_MAX PCs, and that older readers do not know these records.
 */
FXT_INLINE bool fxt_emit_backtrace(struct fxt_emit *emit, uint64_t timestamp,
                                   uint64_t process, uint64_t thread, const uint64_t *pcs,
                                   uint64_t n_pcs)
{
    uint64_t n_words = FXT_EMIT_BACKTRACE_WORDS_ + n_pcs;
    uint64_t *record;

    if (FXT_UNLIKELY(n_pcs == 0 || n_pcs > FXT_BACKTRACE_PCS_MAX)) {
        emit->invalid_records++;
        return false;
    }
    emit->time = timestamp;
    record = fxt_emit_reserve_(emit, n_words);
    if (FXT_UNLIKELY(!record))
        return false;
    record[1] = timestamp;
    record[2] = process;
    record[3] = thread;
    fxt_emit_copy_(record + FXT_EMIT_BACKTRACE_WORDS_, pcs, n_pcs);
    fxt_emit_publish_(emit, n_words,
                      FXT_PUT(RECORD_TYPE, FXT_RECORD_PROFILER) |
                          FXT_PUT(RECORD_WORDS, n_words) |
                          FXT_PUT(PROFILER_TYPE, FXT_PROFILER_BACKTRACE) |
                          FXT_PUT(PROFILER_THREAD, FXT_THREAD_REF_INLINE) |
                          FXT_PUT(BACKTRACE_PCS, n_pcs));
    return true;
}

FXT_END_DECLS

#endif
