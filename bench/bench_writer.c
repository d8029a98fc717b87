/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the writer is, beside a copy of the bytes that it writes. Fails if that is
 * over a limit. Measured on an Intel Xeon: 6.7 to 6.9 with tables, 1.8 inline.
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

struct data {
    struct fxt_record records[N_RECORDS];
    struct fxt_arg args[N_RECORDS][3];
    char names[N_NAMES][32];
    /* How many records are written, and the stream that they come to. */
    uint64_t n_written;
    struct fxt_buffer stream;
    struct fxt_buffer copy;
    enum fxt_references references;
};

/* ---- Records ----------------------------------------------------------------------- */

static struct fxt_string pick_name(const struct data *data, uint64_t n)
{
    return fxt_string_from(data->names[pick(n)]);
}

static struct fxt_thread pick_thread(void)
{
    uint64_t thread = pick(N_THREADS);

    return fxt_thread_from(100 + thread % 10, 1000 + thread);
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

/* In pieces, as the writer's come. */
static uint64_t copy_all(void *context)
{
    struct data *data = (struct data *)context;
    size_t size = data->stream.size;

    data->copy.size = 0;
    for (size_t pos = 0; pos < size; pos += FXT_DEFAULT_BUFFER_SIZE) {
        size_t left = size - pos;

        fxt_buffer_write(&data->copy, data->stream.data + pos,
                         left < FXT_DEFAULT_BUFFER_SIZE ? left : FXT_DEFAULT_BUFFER_SIZE);
    }
    return data->copy.size;
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
    data->copy = (struct fxt_buffer){0};
    copy_all(data);
}

static int bench(struct data *data, const char *what, enum fxt_references references,
                 double limit, size_t mib)
{
    struct bench_candidate both[] = {
        {.name = "memcpy of the same bytes", .run = copy_all},
        {.name = "writer", .run = write_all},
    };

    data->references = references;
    make_room(data, (uint64_t)mib << 20);
    printf("%s: %" PRIu64 " records, %.1f bytes each\n", what, data->n_written,
           (double)data->stream.size / (double)data->n_written);
    bench_run(both, 2, data);
    bench_print(both, 2, (double)data->n_written, "a record");
    printf("  writer: %.1f million records a second\n",
           (double)data->n_written / both[1].median * 1e-6);
    free(data->stream.data);
    free(data->copy.data);
    data->stream = (struct fxt_buffer){0};
    if (both[0].result == both[1].result)
        return bench_ratio(&both[1], &both[0], limit);
    puts("  the copy is not as large as the stream");
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
                  FXT_REFERENCES_TABLE, 8.5, mib);
    wrong +=
        bench(&data, "general archive, all inline", FXT_REFERENCES_IN_LINE, 2.4, mib);
    return wrong > 0;
}
