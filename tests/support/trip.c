/* SPDX-License-Identifier: BSD-2-Clause */
/* See trip.h. */
#include "trip.h"

#include <stdio.h>
#include <stdlib.h>

static void must(enum fxt_code code, const char *what)
{
    if (code == FXT_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, fxt_code_name(code));
    abort();
}

static void take(struct trip *trip, const struct fxt_record *record)
{
    if (trip->writer != NULL && fxt_writer_write(trip->writer, record) != FXT_OK)
        trip->n_refused++;
    else if (trip->canon != NULL)
        canon_add(trip->canon, record);
}

static bool selects(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_METADATA &&
           (record->kind == FXT_METADATA_PROVIDER_INFO ||
            record->kind == FXT_METADATA_PROVIDER_SECTION);
}

/* Where the record that selects a provider was damaged, the reader did not hand it out,
 * and a copy has to state which provider follows. */
static void follow_provider(struct trip *trip, const struct fxt_record *record)
{
    struct fxt_record section = {.type = FXT_RECORD_METADATA,
                                 .kind = FXT_METADATA_PROVIDER_SECTION,
                                 .provider = record->provider};

    if (record->provider->id == trip->provider)
        return;
    trip->provider = record->provider->id;
    section.metadata.provider_id = trip->provider;
    if (trip->writer != NULL && !selects(record))
        take(trip, &section);
}

static int on_record(void *context, const struct fxt_record *record)
{
    struct trip *trip = (struct trip *)context;
    struct fxt_sample sample;

    trip->n_records++;
    trip->n_strings += record->type == FXT_RECORD_STRING;
    trip->n_threads += record->type == FXT_RECORD_THREAD;
    trip->n_drops += fxt_sample_from_record(record, &sample) == FXT_SAMPLE_DROPS;
    follow_provider(trip, record);
    take(trip, record);
    return 0;
}

/* What a copy has where the original has it. */
static bool is_copied(enum fxt_code code)
{
    return code == FXT_E_PROVIDER_UNKNOWN || code == FXT_E_SAMPLE_SIZE;
}

static int on_error(void *context, const struct fxt_error *error)
{
    struct trip *trip = (struct trip *)context;

    trip->n_errors += error->severity > FXT_NOTE && !is_copied(error->code);
    trip->n_lost += error->severity >= FXT_ERROR;
    return 0;
}

void trip_read(struct trip *trip, const void *data, size_t size,
               enum fxt_byte_order order)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = on_record,
        .on_error = on_error,
        .context = trip,
        .stream = FXT_STREAM_ARCHIVE,
        .byte_order = order,
        .resync = trip->resync,
    };
    struct fxt_chunk chunk = {data, size, 0};
    struct fxt_reader *reader;

    must(fxt_reader_create(&options, &reader), "reader");
    fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
}

struct fxt_writer *trip_writer(const struct fxt_writer_options *options,
                               struct fxt_buffer *buffer)
{
    struct fxt_writer_options all = *options;
    struct fxt_writer *writer;

    all.size = sizeof(all);
    all.write = fxt_buffer_write;
    all.context = buffer;
    must(fxt_writer_create(&all, &writer), "writer");
    return writer;
}

struct fxt_buffer trip_copy(struct trip *trip, const void *data, size_t size,
                            enum fxt_byte_order order,
                            const struct fxt_writer_options *options)
{
    struct fxt_buffer buffer = {0};
    enum fxt_code code;

    trip->writer = trip_writer(options, &buffer);
    trip_read(trip, data, size, order);
    code = fxt_writer_finish(trip->writer);
    if ((code == FXT_OK) != (trip->n_refused == 0))
        must(code == FXT_OK ? FXT_E_INVALID : code, "the end of a writer");
    fxt_writer_destroy(trip->writer);
    trip->writer = NULL;
    return buffer;
}
