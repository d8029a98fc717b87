/* SPDX-License-Identifier: BSD-2-Clause */
/* See part.h. */
#include "part.h"

#include <fxt/compiler.h>
#include <fxt/format.h>

#include "common/base/text.h"
#include "tools/common/references.h"

/* ---- Bytes ------------------------------------------------------------------------- */

void part_flush(struct output_part *p)
{
    record_run_flush(&p->run, p->output);
}

static void write_bytes(struct output_part *p, const void *data, size_t size)
{
    part_flush(p);
    output_write(p->output, data, size);
    p->n_bytes += size;
}

static void write_word(struct output_part *p, uint64_t word)
{
    if (p->swapped)
        word = FXT_SWAP64(word);
    write_bytes(p, &word, sizeof(word));
}

static void write_record(struct output_part *p, const struct fxt_record *record)
{
    const unsigned char *data = (const unsigned char *)record->data;

    if (!registration_has_all(record)) {
        uint64_t header = registration_header(record);

        write_bytes(p, &header, sizeof(header));
        write_bytes(p, data + sizeof(header), (size_t)record->size - sizeof(header));
        return;
    }
    record_run_add(&p->run, p->output, record);
    p->n_bytes += record->size;
}

void part_begin(struct output_part *p, struct output *output)
{
    p->output = output;
    p->number++;
    p->provider = 0;
    p->n_bytes = 0;
    p->has_tracks = false;
    if (p->is_archive)
        write_word(p, FXT_MAGIC_RECORD);
}

/* ---- What records refer to --------------------------------------------------------- */

/* The serial number of what the part has in a slot; 0 for none. */
static uint64_t find_written(const struct output_part *p, const struct slot *slot)
{
    return slot->part == p->number ? slot->written : 0;
}

static void set_written(const struct output_part *p, struct slot *slot, uint64_t serial)
{
    slot->part = p->number;
    slot->written = serial;
}

static bool is_written(const struct output_part *p, const struct slot *slot)
{
    return slot->known == NULL || find_written(p, slot) == slot->known->serial;
}

static void write_known(struct output_part *p, struct slot *slot)
{
    if (is_written(p, slot))
        return;
    write_bytes(p, slot->known->bytes, slot->known->size);
    set_written(p, slot, slot->known->serial);
}

static FXT_NOINLINE void begin_section(struct output_part *p, struct trace_source *source)
{
    if (!is_written(p, &source->info))
        write_known(p, &source->info);
    else if (p->provider != source->id)
        write_word(p, FXT_PUT(RECORD_TYPE, FXT_RECORD_METADATA) |
                          FXT_PUT(RECORD_WORDS, 1) |
                          FXT_PUT(METADATA_TYPE, FXT_METADATA_PROVIDER_SECTION) |
                          FXT_PUT(PROVIDER_ID, source->id));
    p->provider = source->id;
    write_known(p, &source->initialization);
}

/* Enters the section of a provider, unless that is where the output is. */
static inline void enter_source(struct output_part *p, struct trace_source *source)
{
    if (p->provider != source->id || !is_written(p, &source->info) ||
        !is_written(p, &source->initialization))
        begin_section(p, source);
}

/* A registration cannot be taken back: where the output has one that has been lost in the
 * input since, such as by damage, another takes its place. Strings are what fxtdump
 * shows, threads are unknown. */
static void write_unknown(struct output_part *p, bool is_thread, uint32_t index)
{
    if (is_thread) {
        write_word(p, FXT_PUT(RECORD_TYPE, FXT_RECORD_THREAD) | FXT_PUT(RECORD_WORDS, 3) |
                          FXT_PUT(THREAD_INDEX, index));
        write_word(p, 0);
        write_word(p, 0);
    } else {
        /* Zeros follow the text, to the end of the word. */
        char bytes[32] = {0};
        struct text shown = {bytes, 0, sizeof(bytes)};

        text_char(&shown, '#');
        text_u64(&shown, index);
        write_word(p, FXT_PUT(RECORD_TYPE, FXT_RECORD_STRING) | FXT_PUT(RECORD_WORDS, 2) |
                          FXT_PUT(STRING_INDEX, index) |
                          FXT_PUT(STRING_SIZE, shown.size));
        write_bytes(p, bytes, FXT_WORD_BYTES);
    }
}

static void leave_unknown(struct output_part *p, struct slot *slot, bool is_thread,
                          uint32_t index)
{
    uint64_t written = slot != NULL ? find_written(p, slot) : 0;

    if (written == 0 || written == SLOT_STANDS_FOR_UNKNOWN)
        return;
    write_unknown(p, is_thread, index);
    set_written(p, slot, SLOT_STANDS_FOR_UNKNOWN);
}

static void write_references(struct output_part *p, const struct trace_source *source,
                             const struct fxt_record *record)
{
    struct reference references[REFERENCES_MAX];
    size_t n = references_find(references, record, NULL);

    for (size_t i = 0; i < n; i++) {
        const struct reference *r = &references[i];
        struct slot *slot = source_slot(source, r->is_thread, r->index);

        if (r->is_known && slot != NULL && slot->known != NULL)
            write_known(p, slot);
        else
            leave_unknown(p, slot, r->is_thread, r->index);
    }
}

/* The first `n` of what it refers to, as that was when it was read. */
static void write_held_references(struct output_part *p, const struct held *held,
                                  size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct held_reference *r = &held->references[i];
        struct slot *slot = source_slot(held->source, r->is_thread, r->index);

        if (r->registration == NULL) {
            leave_unknown(p, slot, r->is_thread, r->index);
        } else if (find_written(p, slot) != r->registration->serial) {
            write_bytes(p, r->registration->bytes, r->registration->size);
            set_written(p, slot, r->registration->serial);
        }
    }
}

/* ---- Records ----------------------------------------------------------------------- */

void part_write(struct output_part *p, struct trace_source *source,
                const struct fxt_record *record)
{
    enter_source(p, source);
    write_references(p, source, record);
    write_record(p, record);
    p->has_tracks =
        p->has_tracks || (record->type == FXT_RECORD_EVENT && tracks_have(record->kind));
}

void part_write_held(struct output_part *p, const struct held *held)
{
    enter_source(p, held->source);
    write_held_references(p, held, held->n_references);
    write_bytes(p, held->bytes, held->size);
}

void part_write_edge(struct output_part *p, const struct held *held, bool has_args,
                     const struct text *bytes)
{
    enter_source(p, held->source);
    write_held_references(p, held, has_args ? held->n_references : held->n_head);
    write_bytes(p, bytes->data, bytes->size);
}

void part_write_registration(struct output_part *p, struct trace_source *source,
                             struct slot *slot, const struct fxt_record *record)
{
    if (slot == &source->info)
        p->provider = source->id;
    set_written(p, slot, slot->known != NULL ? slot->known->serial : 0);
    if (slot != &source->info)
        enter_source(p, source);
    write_record(p, record);
}

void part_write_section(struct output_part *p, struct trace_source *source,
                        const struct fxt_record *record)
{
    if (!is_written(p, &source->info)) {
        enter_source(p, source);
        return;
    }
    p->provider = source->id;
    write_record(p, record);
}

void part_write_mark(struct output_part *p, const struct part_mark *mark)
{
    part_flush(p);
    p->n_bytes += part_mark_write(p->output, mark, p->swapped);
}
