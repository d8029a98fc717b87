/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing FXT from where little else is possible: an interrupt handler of a kernel, an
 * NMI, a signal handler.
 *
 *     struct fxt_emit emit;
 *
 *     fxt_emit_init(&emit, region, region_size);           once for each CPU
 *     ...
 *     n_pcs = fxt_unwind_walk(&stack, pcs, FXT_SAMPLER_PCS_MAX);
 *     fxt_emit_sample(&emit, ticks, process, thread, pcs, n_pcs);
 *
 * Everything is in this header. It needs no library, no memory but the region and the
 * emitter, no floating point and no lock; it runs straight through but for one loop over
 * the PCs, in a few dozen bytes of stack. A compiler may turn that loop into a call of
 * memcpy, which it expects of every program, freestanding or not.
 *
 * An emitter writes one *region*: memory that takes records one behind the other until it
 * is full, as Zircon's kernel sampler has one for each CPU. A region has no magic number
 * and a header word of zero ends its data; fxt/reader.h reads it as FXT_STREAM_REGION,
 * and so does the code for Zircon's regions.
 *
 * What others see. A record's header is stored last, with release order, and by then the
 * word behind the record is zero. Whoever looks at the region at any moment, whether the
 * writer still runs, was killed, or went down with its kernel, thus finds whole records
 * and then a zero word. Behind that there may be part of the one record that was being
 * written; libfxt's reader says so (FXT_E_DATA_AFTER_END) and does not take it. A reader
 * that looks while the writer runs must load each header with acquire order before it
 * looks at what is behind it, and must take the first zero header for the end of that
 * look.
 *
 * On 32-bit machines a header is stored in two halves, and a reader could see the upper
 * one alone. That of a sample is zero unless the record has 2^28 words (2 GiB) or more,
 * so that such a moment shows the zero word that was there before.
 *
 * Who may write. One at a time: an emitter belongs to one CPU and one context, and what
 * may interrupt its writer, as an NMI interrupts an interrupt, needs its own emitter and
 * region. Where that cannot be had, as in a program whose threads move from CPU to CPU,
 * guard the emitter by something that never waits; examples/selfsample shows how.
 *
 * Words are stored in this machine's byte order, as the format has it.
 */
#ifndef FXT_EMIT_H
#define FXT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/compiler.h>
#include <fxt/format.h>

FXT_BEGIN_DECLS

/*
 * An emitter. The caller owns both it and the region, which must stay in place as long as
 * the emitter is used; there is nothing to free. All members may be read, by the writer
 * or once the writer has stopped, and only the functions below write them.
 */
struct fxt_emit {
    /* The region, in words of 8 bytes. The first `pos` hold records, and the next one is
     * zero, so that `pos` is always less than `n_words` (or both are 0). */
    uint64_t *words;
    uint64_t n_words;
    uint64_t pos;

    /* What did not fit: how many records, and how many bytes they would have taken. */
    uint64_t dropped_records;
    uint64_t dropped_bytes;

    /* How many calls asked for a record that the format cannot express. */
    uint64_t invalid_records;

    /* The region has refused a record and takes no more. */
    bool full;
};

/*
 * Starts an emitter at the beginning of a region of `size` bytes, which must be aligned
 * to 8. One word is kept for the zero that ends the data; bytes behind the last whole
 * word are not touched.
 *
 * Returns false if there can be no data in the region, not even an end: it is NULL, not
 * aligned, or smaller than one word. The emitter may be used all the same: it is full and
 * counts what it drops.
 *
 * The region need not be zeroed: its first word is set to zero, and further ones as
 * records are written. But a reader that is given a whole region looks behind the end,
 * where there should be nothing, and warns if it finds old data there, so zeroed memory
 * is better.
 */
static inline bool fxt_emit_init(struct fxt_emit *emit, void *region, uint64_t size)
{
    bool usable =
        region && (uintptr_t)region % FXT_WORD_BYTES == 0 && size >= FXT_WORD_BYTES;

    emit->words = (uint64_t *)region;
    emit->n_words = usable ? size / FXT_WORD_BYTES : 0;
    emit->pos = 0;
    emit->dropped_records = 0;
    emit->dropped_bytes = 0;
    emit->invalid_records = 0;
    emit->full = !usable;
    if (usable)
        fxt_store_release_(emit->words, 0);
    return usable;
}

/* Returns the place for a record of `n_words` words, to be filled from its second word on
 * and then published; or NULL, when the record is dropped and counted. */
static inline uint64_t *fxt_emit_reserve_(struct fxt_emit *emit, uint64_t n_words)
{
    /* Less, not equal: the end needs a word too. */
    if (FXT_LIKELY(!emit->full && n_words < emit->n_words - emit->pos))
        return emit->words + emit->pos;
    emit->full = true;
    emit->dropped_records++;
    emit->dropped_bytes += n_words * FXT_WORD_BYTES;
    return 0;
}

/* Makes the record that was reserved last, and filled, visible. */
static inline void fxt_emit_publish_(struct fxt_emit *emit, uint64_t n_words,
                                     uint64_t header)
{
    uint64_t *record = emit->words + emit->pos;

    record[n_words] = 0;
    fxt_store_release_(record, header);
    emit->pos += n_words;
}

/* What a sample takes beside its PCs: header, format header, timestamp, process, thread
 * and the payload's size. */
#define FXT_EMIT_SAMPLE_WORDS_ 6

/* The most PCs that a sample can have. Readers that take the size of a large record for
 * one of 12 bits, as some do, are lost behind a sample of more than 4089. */
#define FXT_EMIT_PCS_MAX (FXT_LARGE_WORDS_MAX - FXT_EMIT_SAMPLE_WORDS_)

/*
 * Writes a sample as Zircon's kernel sampler did until 2025: a large blob with metadata
 * whose category and name are empty and whose payload is the PCs (thread_sampler and its
 * buffer_writer; the layout is in the trace format reference under "large blob").
 *
 * `timestamp` is in ticks, whose rate no region says: the reader must be told, or it
 * takes them for nanoseconds. `process` and `thread` are the koids, or whatever ids this
 * system has. `pcs` are `n_pcs` addresses, leaf first: the instruction that was
 * interrupted, then return addresses as they stand on the stack. They are copied.
 *
 * Returns true if the sample is in the region. Returns false
 *
 * - if it does not fit. It is dropped whole and counted, and so is every later one,
 *   however small: else the end of the region would fill up with short stacks.
 * - if no sample can be like that: it has no PC, or more than FXT_EMIT_PCS_MAX. Nothing
 *   is written or cut to size; the call is counted in `invalid_records`, and the region
 *   goes on taking samples.
 */
static inline bool fxt_emit_sample(struct fxt_emit *emit, uint64_t timestamp,
                                   uint64_t process, uint64_t thread, const uint64_t *pcs,
                                   uint64_t n_pcs)
{
    uint64_t n_words = FXT_EMIT_SAMPLE_WORDS_ + n_pcs;
    uint64_t *record;

    if (FXT_UNLIKELY(n_pcs == 0 || n_pcs > FXT_EMIT_PCS_MAX)) {
        emit->invalid_records++;
        return false;
    }
    record = fxt_emit_reserve_(emit, n_words);
    if (FXT_UNLIKELY(!record))
        return false;
    /* No arguments, the thread in line, and both strings empty: all zero. */
    record[1] = FXT_PUT(LARGE_BLOB_CATEGORY, FXT_STRING_REF_EMPTY) |
                FXT_PUT(LARGE_BLOB_NAME, FXT_STRING_REF_EMPTY) |
                FXT_PUT(LARGE_BLOB_THREAD, FXT_THREAD_REF_INLINE);
    record[2] = timestamp;
    record[3] = process;
    record[4] = thread;
    record[5] = n_pcs * FXT_WORD_BYTES;
    for (uint64_t i = 0; i < n_pcs; i++)
        record[FXT_EMIT_SAMPLE_WORDS_ + i] = pcs[i];
    fxt_emit_publish_(emit, n_words,
                      FXT_PUT(RECORD_TYPE, FXT_RECORD_LARGE) |
                          FXT_PUT(LARGE_WORDS, n_words) |
                          FXT_PUT(LARGE_TYPE, FXT_LARGE_BLOB) |
                          FXT_PUT(LARGE_BLOB_FORMAT, FXT_LARGE_BLOB_METADATA));
    return true;
}

FXT_END_DECLS

#endif
