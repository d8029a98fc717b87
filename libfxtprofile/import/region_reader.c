/* SPDX-License-Identifier: BSD-2-Clause */
/* See region_reader.h. */
#include "region_reader.h"

#include <fxt/sample.h>

#include "common/base/memory.h"
#include "common/base/io/pump.h"

/* What the reader keeps counts as all memory does, and is freed with it. */
static void *resize_reader_memory(void *context, void *old, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    if (size > 0)
        return memory_reallocate(old, size);
    memory_release(old);
    return NULL;
}

struct fxt_reader *regions_reader(const struct import_settings *o, enum fxt_stream stream,
                                  fxt_record_fn *on_record, fxt_error_fn *on_error,
                                  void *context)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = on_record,
        .on_error = on_error,
        .context = context,
        .stream = stream,
        .byte_order = o->byte_order,
        .resync = o->resync,
        .ticks_per_second = o->ticks_per_second,
        .resize = resize_reader_memory,
    };
    struct fxt_reader *reader;

    /* The options are possible, so that only memory can be missing, and for that
     * memory_allocate has the words. */
    if (fxt_reader_create(&options, &reader) != FXT_OK)
        memory_allocate(SIZE_MAX);
    return reader;
}

/* ---- Pieces ------------------------------------------------------------------------ */

/* Where a piece begins is a guess: it is right if the reading of the piece before it, of
 * which the same is known, ends there. */

/* No piece is much smaller: then there is little to gain. */
#define PIECE_BYTES_MIN ((uint64_t)8 << 20)

/* So many samples after each other are no accident; they are looked for in so much. */
enum { ENOUGH_SAMPLES = 16, LOOKED_AT_BYTES = 1 << 20 };

struct guess {
    /* Where the first of the last samples is, from where the search began. */
    uint64_t offset;
    unsigned n_samples;
};

static int guess_record(void *context, const struct fxt_record *record)
{
    struct guess *guess = (struct guess *)context;
    struct fxt_sample sample;

    if (fxt_sample_from_record(record, &sample) != FXT_SAMPLE_STACK)
        guess->n_samples = 0;
    else if (guess->n_samples++ == 0)
        guess->offset = record->offset;
    return guess->n_samples == ENOUGH_SAMPLES;
}

static int guess_error(void *context, const struct fxt_error *error)
{
    struct guess *guess = (struct guess *)context;

    (void)error;
    guess->n_samples = 0;
    return 0;
}

/* Finds where records may begin at or after an offset of a file. Returns 0 for nowhere.
 */
static uint64_t guess_start(const struct import_settings *settings, const char *name,
                            uint64_t offset)
{
    struct import_settings resyncing = *settings;
    struct guess guess = {0, 0};
    struct text why = {NULL, 0, 0};
    struct input *input = input_open_at(name, offset, &why);
    struct fxt_reader *reader;

    text_free(&why);
    if (input == NULL)
        return 0;
    resyncing.resync = true;
    reader =
        regions_reader(&resyncing, FXT_STREAM_REGION, guess_record, guess_error, &guess);
    pump(input, reader, LOOKED_AT_BYTES, NULL);
    fxt_reader_destroy(reader);
    input_close(input);
    return guess.n_samples == ENOUGH_SAMPLES ? offset + guess.offset : 0;
}

/* Ends the last piece at an offset of the file, where another begins. */
static void cut_at(struct filled_regions *regions, uint64_t offset)
{
    struct filled_region *last = &regions->items[regions->n - 1];
    struct filled_region rest = *last;
    uint64_t size = offset - last->offset;

    last->limit = size;
    last->ends_in_record = true;
    rest.offset = offset;
    if (rest.limit != PUMP_ALL)
        rest.limit -= size;
    MEMORY_ADD(regions->items, regions->n, regions->capacity, rest);
}

/* How much of a region a file has; 0 for one that is compressed. */
static uint64_t measure_region(const char *name, const struct filled_region *region)
{
    struct text why = {NULL, 0, 0};
    struct input *input = input_open(name, &why);
    uint64_t size;

    text_free(&why);
    if (input == NULL)
        return 0;
    size = input_stated_size(input);
    input_close(input);
    if (size < region->offset)
        return 0;
    return size - region->offset < region->limit ? size - region->offset : region->limit;
}

void region_pieces_guess(const struct import_settings *settings,
                         struct filled_regions *regions, size_t n_threads)
{
    const struct filled_region whole = regions->items[0];
    const char *name = settings->files[whole.file].name;
    uint64_t size = measure_region(name, &whole);
    uint64_t n = size / PIECE_BYTES_MIN < n_threads ? size / PIECE_BYTES_MIN : n_threads;

    for (uint64_t i = 1; i < n; i++) {
        uint64_t middle = size / n * i / FXT_WORD_BYTES * FXT_WORD_BYTES;
        uint64_t offset = guess_start(settings, name, whole.offset + middle);

        if (offset > regions->items[regions->n - 1].offset)
            cut_at(regions, offset);
    }
}
