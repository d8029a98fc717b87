/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the writer is, beside a bare loop that packs the same words of the same
 * records, and checks and looks up nothing. A copy of the bytes would say nothing of the
 * writer on another processor: it took 2 ns a record on an AMD EPYC, and three times that
 * on an Intel Xeon, where the writer was nearly as fast.
 *
 * Usage: bench_writer [MIB]     how much to write; 256 by default
 *
 * A general archive: four fifths events of all kinds, one fifth context switches, with
 * 1000 names and 200 threads, which the writer finds in its tables each time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

#include "bench.h"
#include "tests/support/pick.h"

enum { N_RECORDS = 1 << 10, N_NAMES = 1000, N_CATEGORIES = 20, N_THREADS = 200 };

/* No record has more words. */
enum { MAX_WORDS = 64 };

struct data {
    struct fxt_record records[N_RECORDS];
    struct fxt_arg args[N_RECORDS][3];
    char names[N_NAMES][32];
    /* How many records are written, and the stream that they come to. */
    uint64_t n_written;
    struct fxt_buffer stream;
    struct fxt_buffer packed;
    enum fxt_references references;
};

/* ---- Records ----------------------------------------------------------------------- */

/* With an index, for the bare loop; the writer does not look at it, here and below. */
static struct fxt_string pick_name(const struct data *data, uint64_t n)
{
    uint64_t number = pick(n);
    struct fxt_string name = fxt_string_from(data->names[number]);

    name.ref = (uint16_t)(1 + number);
    return name;
}

static struct fxt_thread pick_thread(void)
{
    uint64_t number = pick(N_THREADS);
    struct fxt_thread thread = fxt_thread_from(100 + number % 10, 1000 + number);

    thread.ref = (uint8_t)(1 + number);
    return thread;
}

static void make_arg(const struct data *data, struct fxt_arg *arg)
{
    static const uint32_t types[] = {FXT_ARG_UINT32, FXT_ARG_UINT64, FXT_ARG_STRING};

    arg->name = pick_name(data, N_NAMES);
    arg->type = types[pick(3)];
    if (arg->type == FXT_ARG_STRING)
        arg->value.string = pick_name(data, N_NAMES);
    else
        arg->value.uint64 = pick(UINT32_MAX);
}

static void make_event(struct data *data, struct fxt_record *record)
{
    record->type = FXT_RECORD_EVENT;
    record->kind = (uint32_t)pick(FXT_EVENT_FLOW_END + 1);
    record->n_args = (uint32_t)pick(4);
    record->event.thread = pick_thread();
    record->event.category = pick_name(data, N_CATEGORIES);
    record->event.name = pick_name(data, N_NAMES);
    record->event.id = pick(UINT32_MAX);
    record->event.end_timestamp = pick(UINT32_MAX);
}

static void make_context_switch(struct data *data, struct fxt_record *record)
{
    (void)data;
    record->type = FXT_RECORD_SCHEDULING;
    record->kind = FXT_SCHEDULING_CONTEXT_SWITCH;
    record->n_args = 2;
    record->scheduling.cpu = (uint32_t)pick(8);
    record->scheduling.outgoing_state = FXT_THREAD_BLOCKED;
    record->scheduling.outgoing.thread = 1000 + pick(N_THREADS);
    record->scheduling.incoming.thread = 1000 + pick(N_THREADS);
}

static void make_records(struct data *data)
{
    for (uint64_t i = 0; i < N_NAMES; i++)
        snprintf(data->names[i], sizeof(data->names[i]), "%.*s_%" PRIu64, (int)(i % 18),
                 "a_name_of_some_length", i);
    for (size_t i = 0; i < N_RECORDS; i++) {
        struct fxt_record *record = &data->records[i];

        if (pick(5) > 0)
            make_event(data, record);
        else
            make_context_switch(data, record);
        record->args = data->args[i];
        for (uint32_t j = 0; j < record->n_args; j++)
            make_arg(data, &data->args[i][j]);
    }
}

/* ---- Writing ----------------------------------------------------------------------- */

static void must(enum fxt_code code)
{
    if (code == FXT_OK)
        return;
    fprintf(stderr, "bench_writer: %s\n", fxt_code_message(code));
    exit(EXIT_FAILURE);
}

static struct fxt_writer *start(struct data *data)
{
    struct fxt_writer_options options = {
        .size = sizeof(options),
        .write = fxt_buffer_write,
        .context = &data->stream,
        .strings = data->references,
        .threads = data->references,
    };
    struct fxt_writer *writer;

    data->stream.size = 0;
    must(fxt_writer_create(&options, &writer));
    must(fxt_writer_start_archive(writer, 1000000000));
    return writer;
}

static void write_one(struct data *data, struct fxt_writer *writer, uint64_t i)
{
    struct fxt_record *record = &data->records[i % N_RECORDS];

    if (record->type == FXT_RECORD_EVENT)
        record->event.timestamp = i;
    else
        record->scheduling.timestamp = i;
    must(fxt_writer_write(writer, record));
}

static uint64_t write_all(void *context)
{
    struct data *data = (struct data *)context;
    struct fxt_writer *writer = start(data);

    for (uint64_t i = 0; i < data->n_written; i++)
        write_one(data, writer, i);
    must(fxt_writer_finish(writer));
    fxt_writer_destroy(writer);
    return data->stream.size;
}

/* ---- The bare loop ----------------------------------------------------------------- */

/* The same words from the same fields, with what each record's strings and thread are
 * called known beforehand, and without a check. */

static uint64_t string_ref(const struct data *data, const struct fxt_string *string)
{
    return data->references == FXT_REFERENCES_TABLE
               ? string->ref
               : FXT_STRING_REF_INLINE | string->size;
}

static uint64_t *pack_string(const struct data *data, uint64_t *to,
                             const struct fxt_string *string)
{
    uint64_t n_words = (string->size + 7) / FXT_WORD_BYTES;

    if (data->references == FXT_REFERENCES_TABLE)
        return to;
    to[n_words - 1] = 0;
    memcpy(to, string->data, string->size);
    return to + n_words;
}

static uint64_t *pack_arg(const struct data *data, uint64_t *start,
                          const struct fxt_arg *arg)
{
    uint64_t header = arg->type | FXT_PUT(ARG_NAME, string_ref(data, &arg->name));
    uint64_t *to = pack_string(data, start + 1, &arg->name);

    switch (arg->type) {
    case FXT_ARG_UINT32:
        header |= FXT_PUT(ARG_VALUE, arg->value.uint32);
        break;
    case FXT_ARG_UINT64:
        *to++ = arg->value.uint64;
        break;
    default:
        header |= FXT_PUT(ARG_STRING, string_ref(data, &arg->value.string));
        to = pack_string(data, to, &arg->value.string);
    }
    *start = header | FXT_PUT(ARG_WORDS, to - start);
    return to;
}

static uint64_t *pack_args(const struct data *data, uint64_t *to,
                           const struct fxt_record *record)
{
    for (uint32_t i = 0; i < record->n_args; i++)
        to = pack_arg(data, to, &record->args[i]);
    return to;
}

static uint64_t *pack_event(const struct data *data, uint64_t *start,
                            const struct fxt_record *record, uint64_t now)
{
    const struct fxt_event *event = &record->event;
    bool by_table = data->references == FXT_REFERENCES_TABLE;
    uint64_t *to = start + 2;

    start[1] = now;
    if (!by_table) {
        *to++ = event->thread.process;
        *to++ = event->thread.thread;
    }
    to = pack_string(data, to, &event->category);
    to = pack_string(data, to, &event->name);
    to = pack_args(data, to, record);
    if (record->kind == FXT_EVENT_DURATION_COMPLETE)
        *to++ = event->end_timestamp;
    else if (record->kind == FXT_EVENT_COUNTER || record->kind > FXT_EVENT_DURATION_END)
        *to++ = event->id;
    *start = FXT_RECORD_EVENT | FXT_PUT(RECORD_WORDS, to - start) |
             FXT_PUT(EVENT_TYPE, record->kind) | FXT_PUT(EVENT_ARGS, record->n_args) |
             FXT_PUT(EVENT_THREAD, by_table ? event->thread.ref : 0) |
             FXT_PUT(EVENT_CATEGORY, string_ref(data, &event->category)) |
             FXT_PUT(EVENT_NAME, string_ref(data, &event->name));
    return to;
}

static uint64_t *pack_context_switch(const struct data *data, uint64_t *start,
                                     const struct fxt_record *record, uint64_t now)
{
    const struct fxt_scheduling *s = &record->scheduling;
    uint64_t *to = pack_args(data, start + 4, record);

    start[1] = now;
    start[2] = s->outgoing.thread;
    start[3] = s->incoming.thread;
    *start = FXT_RECORD_SCHEDULING | FXT_PUT(RECORD_WORDS, to - start) |
             FXT_PUT(SCHEDULING_TYPE, FXT_SCHEDULING_CONTEXT_SWITCH) |
             FXT_PUT(CONTEXT_SWITCH_ARGS, record->n_args) |
             FXT_PUT(CONTEXT_SWITCH_CPU, s->cpu) |
             FXT_PUT(CONTEXT_SWITCH_STATE, s->outgoing_state);
    return to;
}

/* In pieces, as the writer's come. */
static uint64_t pack_all(void *context)
{
    static uint64_t words[FXT_DEFAULT_BUFFER_SIZE / FXT_WORD_BYTES];
    struct data *data = (struct data *)context;
    uint64_t *to = words;

    data->packed.size = 0;
    for (uint64_t i = 0; i < data->n_written; i++) {
        const struct fxt_record *record = &data->records[i % N_RECORDS];

        if (record->type == FXT_RECORD_EVENT)
            to = pack_event(data, to, record, i);
        else
            to = pack_context_switch(data, to, record, i);
        if (to - words > (ptrdiff_t)(sizeof(words) / sizeof(*words)) - MAX_WORDS ||
            i + 1 == data->n_written) {
            fxt_buffer_write(&data->packed, words, (size_t)(to - words) * sizeof(*words));
            to = words;
        }
    }
    return data->packed.size;
}

/* ---- Comparison -------------------------------------------------------------------- */

/* How large the last records of a stream are: by then, all strings and threads are in the
 * writer's tables, but for a few that it does not remember to have seen before. */
struct last_sizes {
    uint64_t sizes[N_RECORDS];
    uint64_t n;
};

static int note_size(void *context, const struct fxt_record *record)
{
    struct last_sizes *last = (struct last_sizes *)context;

    if (record->type == FXT_RECORD_EVENT || record->type == FXT_RECORD_SCHEDULING)
        last->sizes[last->n++ % N_RECORDS] = record->size;
    return 0;
}

static uint64_t size_of_last(const struct data *data, const struct fxt_buffer *stream)
{
    struct last_sizes last = {.n = 0};
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = note_size,
        .context = &last,
    };
    uint64_t size = 0;

    must(fxt_read_memory(&options, stream->data, stream->size));
    for (size_t i = 0; i < N_RECORDS; i++)
        size += last.sizes[i];
    return last.n == data->n_written ? size : 0;
}

/* Writes until there is enough, so that both buffers have room for all that comes. */
static void make_room(struct data *data, uint64_t size)
{
    struct fxt_writer *writer = start(data);
    uint64_t i = 0;

    while (fxt_writer_offset(writer) < size)
        write_one(data, writer, i++);
    must(fxt_writer_finish(writer));
    fxt_writer_destroy(writer);
    data->n_written = i;
    data->packed = (struct fxt_buffer){0};
    pack_all(data);
}

static int bench(struct data *data, const char *what, enum fxt_references references,
                 double limit, size_t mib)
{
    struct bench_candidate both[] = {
        {.name = "bare loop", .run = pack_all},
        {.name = "writer", .run = write_all},
    };
    uint64_t written;
    uint64_t packed;

    data->references = references;
    make_room(data, (uint64_t)mib << 20);
    printf("%s: %" PRIu64 " records, %.1f bytes each\n", what, data->n_written,
           (double)data->stream.size / (double)data->n_written);
    bench_run(both, 2, data);
    bench_print(both, 2, (double)data->n_written, "a record");
    printf("  writer: %.1f million records a second\n",
           (double)data->n_written / both[1].median * 1e-6);
    written = size_of_last(data, &data->stream);
    packed = size_of_last(data, &data->packed);
    free(data->stream.data);
    free(data->packed.data);
    data->stream = (struct fxt_buffer){0};
    if (packed > 0 && written >= packed && written - packed <= packed / 100)
        return bench_ratio(&both[1], &both[0], limit);
    printf("  the last records have %" PRIu64 " bytes, those of the bare loop %" PRIu64
           "\n",
           written, packed);
    return 1;
}

int main(int argc, char **argv)
{
    static struct data data;
    size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 256;
    int wrong;

    if (mib == 0 || mib > 65536) {
        fputs("usage: bench_writer [MIB]\n", stderr);
        return 2;
    }
    make_records(&data);
    wrong = bench(&data, "general archive, strings and threads from tables",
                  FXT_REFERENCES_TABLE, 7, mib);
    wrong +=
        bench(&data, "general archive, all inline", FXT_REFERENCES_IN_LINE, 1.8, mib);
    return wrong > 0;
}
