/* SPDX-License-Identifier: BSD-2-Clause */
/* See feed.h. */
#include "feed.h"

#include <string.h>

#include <fxt/sample.h>

#include "guard.h"
#include "tiling.h"

/* A record whose size is asked for twice, or a search, may need this many calls with just
 * the bytes that were asked for before anything moves: for the first word, for the
 * record, for the word after it, and for some records after it
 * where they are newer than the library. */
enum { MAX_STANDSTILL = 12 };

/* How many bytes more than a record the reader may ask for: two words after it, or four
 * records of newer types. */
enum { MOST_AFTER = 16 + 4 * 8 * FXT_RECORD_WORDS_MAX };

struct feeding {
    const struct feed_options *options;
    const unsigned char *data;
    size_t size;
    struct fxt_reader *reader;
    struct feed_result result;
    struct tiling tiling;
    struct guard *guard;
    /* Where the bytes are that pointers may lead to. */
    const unsigned char *memory;
    size_t memory_size;
    /* The place in the stream, and up to where it is presented. */
    size_t pos;
    size_t until;
    size_t next_cut;
    uint64_t needed;
    int standstill;
    bool stopped;
};

static void fail(struct feeding *f, const char *fault)
{
    if (f->result.fault == NULL)
        f->result.fault = fault;
}

/* ---- looking at everything ---- */

static void mix(struct feeding *f, uint64_t value)
{
    uint64_t x = (f->result.hash ^ value) * 0x9e3779b97f4a7c15;

    f->result.hash = x ^ x >> 29;
}

static void mix_number(void *context, const char *field, uint64_t value)
{
    (void)field;
    mix((struct feeding *)context, value);
}

static bool is_inside(const struct feeding *f, const void *data, uint64_t size)
{
    const unsigned char *at = (const unsigned char *)data;

    return at >= f->memory && at <= f->memory + f->memory_size &&
           size <= (uint64_t)(f->memory + f->memory_size - at);
}

static void mix_memory(struct feeding *f, const void *data, uint64_t size)
{
    const unsigned char *b = (const unsigned char *)data;

    mix(f, size);
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), b += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, b, sizeof(word));
        mix(f, word);
    }
    while (size-- > 0)
        mix(f, *b++);
}

static void mix_bytes(void *context, const char *field, const void *data, uint64_t size)
{
    struct feeding *f = (struct feeding *)context;

    (void)field;
    if (size > 0 && !is_inside(f, data, size))
        fail(f, "bytes lead out of the chunk");
    mix_memory(f, data, size);
}

static void mix_words(void *context, const char *field, struct fxt_words words)
{
    struct feeding *f = (struct feeding *)context;

    (void)field;
    mix(f, words.swapped);
    mix_bytes(context, field, words.data, words.count * FXT_WORD_BYTES);
    for (uint64_t i = 0; i < words.count; i++)
        mix(f, fxt_words_get(words, i));
}

static bool is_registered(const struct fxt_string *s)
{
    return s->data != NULL && s->ref != 0 && !(s->ref & FXT_STRING_REF_INLINE);
}

/* Registered strings and providers' names are the reader's own memory. */
static void mix_string(void *context, const char *field, const struct fxt_string *s)
{
    struct feeding *f = (struct feeding *)context;

    (void)field;
    mix(f, s->ref);
    mix(f, s->data != NULL);
    if (s->data == NULL && s->size != 0)
        fail(f, "a string that is not there has a size");
    if (s->ref & FXT_STRING_REF_INLINE && !is_inside(f, s->data, s->size))
        fail(f, "a string leads out of the chunk");
    if (is_registered(s) && !f->options->reader.stable_input && is_inside(f, s->data, 0))
        fail(f, "a registered string is not the reader's own");
    if (s->data != NULL)
        mix_memory(f, s->data, s->size);
}

static void mix_thread(void *context, const char *field, const struct fxt_thread *t)
{
    struct feeding *f = (struct feeding *)context;

    (void)field;
    mix(f, t->ref);
    mix(f, t->known);
    mix(f, t->process);
    mix(f, t->thread);
    if (!t->known && (t->process != 0 || t->thread != 0))
        fail(f, "a thread that is not known has koids");
}

static struct walker looking(struct feeding *f)
{
    return (struct walker){
        .context = f,
        .number = mix_number,
        .string = mix_string,
        .thread = mix_thread,
        .bytes = mix_bytes,
        .words = mix_words,
    };
}

/* A stack's PCs are in the chunk, too. */
static void mix_sample(struct feeding *f, const struct fxt_record *record)
{
    struct fxt_sample sample;

    mix(f, fxt_sample_from_record(record, &sample));
    if (sample.kind == FXT_SAMPLE_STACK)
        mix_words(f, "pcs", sample.pcs);
}

static void add_step(struct feeding *f, enum fxt_code code)
{
    uint64_t i = f->result.n_records + f->result.n_errors;

    if (i < f->options->n_steps)
        f->options->steps[i] = (struct feed_step){f->result.hash, code};
}

static int on_record(void *context, const struct fxt_record *record)
{
    struct feeding *f = (struct feeding *)context;
    struct walker w = looking(f);

    if (f->stopped)
        fail(f, "a record comes in spite of a stop");
    f->stopped = f->options->stop;
    tiling_record(&f->tiling, record);
    if (fxt_reader_offset(f->reader) != record->offset + record->size)
        fail(f, "the reader is not at the end of the record");
    if (record->n_args > FXT_ARGS_MAX)
        fail(f, "a record has too many arguments");
    walk_frame(&w, record);
    walk_content(&w, record);
    mix_sample(f, record);
    if (f->options->show != NULL)
        show_record(f->options->show, record);
    add_step(f, FXT_OK);
    f->result.n_records++;
    return f->options->stop;
}

static int on_error(void *context, const struct fxt_error *error)
{
    struct feeding *f = (struct feeding *)context;
    struct walker w = looking(f);

    if (f->stopped)
        fail(f, "a report comes in spite of a stop");
    tiling_error(&f->tiling, error);
    /* A stop in a report about a record that is kept waits for the record. */
    f->stopped = f->options->stop && !f->tiling.announced;
    if (error->message != fxt_code_message(error->code))
        fail(f, "a report has another code's message");
    if (error->severity < FXT_NOTE || error->severity > FXT_FATAL)
        fail(f, "a report has no severity");
    walk_error(&w, error);
    if (f->options->show != NULL)
        show_error(f->options->show, error);
    add_step(f, error->code);
    f->result.n_errors++;
    return f->options->stop;
}

/* ---- feeding ---- */

/* What is presented next. The promise of stable input forbids to move it. */
static struct fxt_chunk present(struct feeding *f)
{
    if (!f->options->reader.stable_input) {
        f->memory_size = f->until - f->pos;
        f->memory = guard_at_end(f->guard, f->data + f->pos, f->memory_size);
        return (struct fxt_chunk){f->memory, f->memory_size, 0};
    }
    return (struct fxt_chunk){f->memory, f->until, f->pos};
}

static void present_more(struct feeding *f)
{
    if (f->options->as_needed)
        f->until = f->needed < f->size - f->pos ? f->pos + (size_t)f->needed : f->size;
    else if (f->next_cut < f->options->n_cuts)
        f->until = f->options->cuts[f->next_cut++];
    else
        f->until = f->size;
}

/* Takes over where the reader left the chunk. */
static void take_pos(struct feeding *f, const struct fxt_chunk *chunk, size_t from)
{
    if (chunk->pos < from || chunk->pos > chunk->size)
        fail(f, "the chunk's place has gone wild");
    f->standstill = chunk->pos == from && from < chunk->size ? f->standstill + 1 : 0;
    f->pos += chunk->pos - from;
    if (fxt_reader_offset(f->reader) != f->pos)
        fail(f, "the reader's offset is not where the chunk's place is");
}

static void take_needed(struct feeding *f, enum fxt_code code)
{
    uint64_t most = f->options->reader.max_record_bytes;

    f->needed = FXT_WORD_BYTES;
    if (code != FXT_NEED_MORE)
        return;
    if (f->pos == f->until)
        fail(f, "a part of a record is reported to be left, and nothing is");
    if (most == 0)
        most = FXT_DEFAULT_MAX_RECORD_BYTES;
    f->needed = fxt_reader_needed(f->reader);
    if (f->needed <= f->until - f->pos)
        fail(f, "more is needed than there is, but it is there");
    if (f->needed > most && f->needed - most > MOST_AFTER)
        fail(f, "more is needed than a record may have");
    if (f->options->as_needed && f->until < f->size && f->standstill > MAX_STANDSTILL)
        fail(f, "what is needed is there, and nothing moves");
}

/* Reads what is presented, and comes back for more or at the end. */
static enum fxt_code read_chunk(struct feeding *f, bool last)
{
    enum fxt_code code;

    do {
        struct fxt_chunk chunk = present(f);
        size_t from = chunk.pos;

        f->stopped = false;
        if (last)
            code = fxt_reader_finish(f->reader, &chunk);
        else
            code = fxt_reader_read(f->reader, &chunk);
        take_pos(f, &chunk, from);
    } while (code == FXT_STOPPED && f->result.fault == NULL);
    if (!last)
        take_needed(f, code);
    if (code == FXT_OK && f->pos != f->until)
        fail(f, "not all of the chunk was read");
    return code;
}

static void feed_all(struct feeding *f)
{
    enum fxt_code code = FXT_OK;

    f->needed = FXT_WORD_BYTES;
    do {
        present_more(f);
        code = read_chunk(f, false);
    } while (f->until < f->size && code != FXT_E_SIZE_ZERO && f->result.fault == NULL);
    f->result.code = read_chunk(f, true);
    tiling_end(&f->tiling, f->pos, f->result.code == FXT_E_SIZE_ZERO);
    if (f->tiling.fault != NULL)
        fail(f, f->tiling.fault);
}

/* Kept from one reading to the next: to map it costs more than to read a few records. */
static struct guard *memory_for(size_t size)
{
    static struct guard guard;

    if (guard.start == NULL || (size_t)(guard.end - guard.start) < size) {
        if (guard.start != NULL)
            guard_destroy(&guard);
        guard_create(&guard, size);
    }
    return &guard;
}

/* Places everything at the start of the stream. */
static void start_stream(struct feeding *f)
{
    f->result = (struct feed_result){0};
    f->memory = guard_at_end(f->guard, f->data, f->size);
    f->memory_size = f->size;
    f->pos = 0;
    f->until = 0;
    f->next_cut = 0;
    f->standstill = 0;
    tiling_start(&f->tiling, f->data, f->size);
}

static void feed_twice(struct feeding *f)
{
    start_stream(f);
    feed_all(f);
    if (!f->options->again || f->result.fault != NULL)
        return;
    if (fxt_reader_reset(f->reader) != FXT_OK)
        fail(f, "the reader cannot be reset");
    start_stream(f);
    feed_all(f);
}

struct feed_result feed(const void *data, size_t size, const struct feed_options *options)
{
    struct feeding f = {
        .options = options,
        .data = (const unsigned char *)data,
        .size = size,
        .guard = memory_for(size),
    };
    struct fxt_reader_options reader = options->reader;

    reader.size = sizeof(reader);
    reader.on_record = on_record;
    reader.on_error = on_error;
    reader.context = &f;
    f.result.code = fxt_reader_create(&reader, &f.reader);
    if (f.result.code != FXT_OK)
        return f.result;
    feed_twice(&f);
    fxt_reader_destroy(f.reader);
    return f.result;
}
