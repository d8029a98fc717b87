/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed records, such as a ring's: read by a reader for each of their sources, which
 * keeps what they register, and written again. See fxt_writer_write_packed. */
#include <string.h>

#include <fxt/ring.h>

#include "writer_state.h"

void packed_sources_free(struct packed_sources *sources, struct memory *memory)
{
    for (size_t i = 0; i < sources->n; i++)
        fxt_reader_destroy(sources->items[i].reader);
    memory_free(memory, sources->items, sources->capacity * sizeof(*sources->items));
    *sources = (struct packed_sources){.items = NULL};
}

static void note_fault(struct fxt_writer *w, enum fxt_code code)
{
    if (w->packed.fault == FXT_OK)
        w->packed.fault = code;
}

/* ---- Records ----------------------------------------------------------------------- */

static int write_packed_record(void *context, const struct fxt_record *record)
{
    struct fxt_writer *w = (struct fxt_writer *)context;
    enum fxt_code code = fxt_writer_write(w, record);

    if (code != FXT_OK)
        note_fault(w, code);
    return code == FXT_E_SINK;
}

static int take_packed_error(void *context, const struct fxt_error *error)
{
    if (error->severity >= FXT_WARNING)
        note_fault((struct fxt_writer *)context, error->code);
    return 0;
}

/* ---- Sources ----------------------------------------------------------------------- */

static bool make_source_room(struct fxt_writer *w)
{
    struct packed_sources *s = &w->packed;
    size_t capacity = s->capacity > 0 ? 2 * s->capacity : 8;
    struct packed_source *items;

    if (s->n < s->capacity)
        return true;
    items = (struct packed_source *)memory_resize(
        &w->own, s->items, s->capacity * sizeof(*items), capacity * sizeof(*items));
    if (items == NULL)
        return false;
    s->items = items;
    s->capacity = capacity;
    return true;
}

/* An archive, because a region's reader would stop at a zero word for good. */
static struct packed_source *add_source(struct fxt_writer *w, uint32_t id)
{
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = write_packed_record,
                                         .on_error = take_packed_error,
                                         .context = w,
                                         .stream = FXT_STREAM_ARCHIVE,
                                         .byte_order = FXT_BYTE_ORDER_HOST,
                                         .max_kept_bytes = w->kept.limit,
                                         .resize = w->own.resize,
                                         .resize_context = w->own.context};
    struct packed_source *added;

    if (!make_source_room(w))
        return NULL;
    added = &w->packed.items[w->packed.n];
    added->id = id;
    if (fxt_reader_create(&options, &added->reader) != FXT_OK)
        return NULL;
    w->packed.n++;
    return added;
}

static struct packed_source *find_source(struct fxt_writer *w, uint32_t id)
{
    for (size_t i = 0; i < w->packed.n; i++) {
        if (w->packed.items[i].id == id)
            return &w->packed.items[i];
    }
    return add_source(w, id);
}

static void drop_source(struct fxt_writer *w, struct packed_source *source)
{
    fxt_reader_destroy(source->reader);
    *source = w->packed.items[--w->packed.n];
}

/* ---- A call ------------------------------------------------------------------------ */

static bool switches_provider(uint64_t header)
{
    uint64_t kind = FXT_GET(header, METADATA_TYPE);

    return FXT_GET(header, RECORD_TYPE) == FXT_RECORD_METADATA &&
           (kind == FXT_METADATA_PROVIDER_INFO || kind == FXT_METADATA_PROVIDER_SECTION);
}

/* Finds the first run of whole records that can be read: how many bytes they have, and,
 * in `*skipped`, how many come after them that cannot. A reader would wait for the rest
 * of a record, and have other tables after a provider's. */
static size_t find_run(struct fxt_writer *w, const unsigned char *data, size_t size,
                       size_t *skipped)
{
    size_t at = 0;

    for (;;) {
        uint64_t n_left = (size - at) / FXT_WORD_BYTES;
        uint64_t header = 0;
        uint64_t n_words;

        *skipped = size - at;
        if (size == at)
            return at;
        if (n_left > 0)
            memcpy(&header, data + at, sizeof(header));
        n_words = fxt_ring_record_words_(header);
        if (n_left == 0 || n_words > n_left) {
            note_fault(w, FXT_E_TRUNCATED);
            return at;
        }
        if (n_words == 0) {
            note_fault(w, FXT_E_SIZE_ZERO);
            return at;
        }
        if (switches_provider(header)) {
            note_fault(w, FXT_E_INVALID);
            *skipped = (size_t)n_words * FXT_WORD_BYTES;
            return at;
        }
        at += (size_t)n_words * FXT_WORD_BYTES;
    }
}

/* Returns false if the reader cannot go on: it cannot write, or the memory has changed
 * since its framing was checked. */
static bool read_run(struct fxt_writer *w, struct packed_source *source,
                     const unsigned char *data, size_t size)
{
    struct fxt_chunk chunk = {data, size, 0};

    fxt_reader_read(source->reader, &chunk);
    if (chunk.pos < size && !w->out.failed) {
        note_fault(w, FXT_E_SIZE_ZERO);
        drop_source(w, source);
    }
    return chunk.pos == size && !w->out.failed;
}

static void write_records(struct fxt_writer *w, uint32_t id, const unsigned char *data,
                          size_t size)
{
    struct packed_source *source = find_source(w, id);
    bool named = w->assigner.name_unresolved;
    size_t skipped;

    if (source == NULL) {
        note_fault(w, FXT_E_NO_MEMORY);
        return;
    }
    w->assigner.name_unresolved = w->assigner.strings == FXT_REFERENCES_TABLE;
    while (size > 0) {
        size_t run = find_run(w, data, size, &skipped);

        if (!read_run(w, source, data, run))
            break;
        data += run + skipped;
        size -= run + skipped;
    }
    w->assigner.name_unresolved = named;
}

enum fxt_code fxt_writer_write_packed(struct fxt_writer *w, uint32_t source,
                                      const void *data, size_t size)
{
    enum fxt_code code;

    if (w->out.busy)
        return FXT_E_BUSY;
    code = writer_check_turn(w, false);
    if (code == FXT_OK && data == NULL && size > 0)
        code = FXT_E_INVALID;
    if (code != FXT_OK || size == 0)
        return writer_note(w, code);
    w->packed.fault = FXT_OK;
    write_records(w, source, (const unsigned char *)data, size);
    return writer_note(w, w->packed.fault);
}
