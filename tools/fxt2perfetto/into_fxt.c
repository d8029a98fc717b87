/* SPDX-License-Identifier: BSD-2-Clause */
/* See into_fxt.h. */
#include "into_fxt.h"

#include <string.h>

#include <fxt/format.h>
#include <fxt/reader.h>
#include <fxt/writer.h>

#include "common/base/io/input.h"
#include "tools/common/output_name.h"
#include "tools/common/report.h"

/* The name of the blobs, by which those of an earlier copy are found. */
static const char blob_name[] = "fxt2perfetto";

enum {
    NAME_WORDS = (sizeof(blob_name) - 1 + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES,
    PAYLOAD_MAX = (FXT_RECORD_WORDS_MAX - 1 - NAME_WORDS) * FXT_WORD_BYTES
};

/* An archive that is being copied. */
struct copy {
    const struct conversion *conversion;
    struct output *output;
    struct input *input;
    struct fxt_reader *reader;
    struct fxt_writer *writer;
    /* What the reader is given, and up to where it was copied or left out, in bytes from
     * the start of the archive. */
    struct fxt_chunk chunk;
    uint64_t chunk_offset;
    uint64_t done;
    /* Packets that are not in a blob yet. */
    struct text packets;
    uint64_t n_zero_words;
    uint64_t n_large;
};

/* ---- What is there ----------------------------------------------------------------- */

static void copy_until(struct copy *c, uint64_t offset)
{
    const unsigned char *data = (const unsigned char *)c->chunk.data;

    output_write(c->output, data + (c->done - c->chunk_offset),
                 (size_t)(offset - c->done));
    c->done = offset;
}

static bool is_own_blob(const struct fxt_record *record)
{
    const struct fxt_string *name = &record->blob.name;

    return record->type == FXT_RECORD_BLOB && record->blob.type == FXT_BLOB_PERFETTO &&
           name->size == strlen(blob_name) &&
           memcmp(name->data, blob_name, strlen(blob_name)) == 0;
}

static int take_record(void *context, const struct fxt_record *record)
{
    struct copy *c = (struct copy *)context;

    c->n_large += record->size / FXT_WORD_BYTES > FXT_RECORD_WORDS_MAX;
    if (!is_own_blob(record))
        return 0;
    copy_until(c, record->offset);
    c->done = record->offset + record->size;
    return 0;
}

/* The faults were reported when the samples were read. */
static int take_error(void *context, const struct fxt_error *error)
{
    struct copy *c = (struct copy *)context;

    c->n_zero_words += error->code == FXT_E_ZERO_WORDS;
    return 0;
}

/* Gives the reader what is in memory. Returns false if it needs more than there is, or
 * cannot go on. */
static bool read_chunk(struct copy *c)
{
    uint64_t needed = fxt_reader_needed(c->reader);
    enum fxt_code code;

    if (needed > SIZE_MAX || !input_want(c->input, needed > 0 ? (size_t)needed : 1))
        return false;
    c->chunk = (struct fxt_chunk){input_data(c->input), input_size(c->input), 0};
    c->chunk_offset = input_offset(c->input);
    code = fxt_reader_read(c->reader, &c->chunk);
    copy_until(c, c->chunk_offset + c->chunk.pos);
    input_consume(c->input, c->chunk.pos);
    return code == FXT_OK || code == FXT_NEED_MORE;
}

/* What is left was not read as records. */
static void copy_rest(struct copy *c)
{
    while (!output_failed(c->output) && input_want(c->input, 1)) {
        output_write(c->output, input_data(c->input), input_size(c->input));
        input_consume(c->input, input_size(c->input));
    }
}

/* ---- What is new ------------------------------------------------------------------- */

static int write_blob(struct copy *c, const char *data, size_t size)
{
    struct fxt_record record;

    memset(&record, 0, sizeof(record));
    record.type = FXT_RECORD_BLOB;
    record.blob.type = FXT_BLOB_PERFETTO;
    record.blob.name = fxt_string_from(blob_name);
    record.blob.payload.data = data;
    record.blob.payload.size = size;
    return fxt_writer_write(c->writer, &record) != FXT_OK;
}

/* Packets may go on in the next blob. */
static int take_packets(void *context, const void *data, size_t size)
{
    struct copy *c = (struct copy *)context;
    size_t at = 0;

    text_add(&c->packets, data, size);
    for (; c->packets.size - at >= PAYLOAD_MAX; at += PAYLOAD_MAX) {
        if (write_blob(c, c->packets.data + at, PAYLOAD_MAX) != 0)
            return 1;
    }
    memmove(c->packets.data, c->packets.data + at, c->packets.size - at);
    c->packets.size -= at;
    return 0;
}

static enum fxt_code write_packets(struct copy *c)
{
    struct fxt_profile_output settings = c->conversion->options.write;
    enum fxt_code code;

    settings.no_gzip = true;
    settings.embedded = true;
    code = fxt_profile_write(c->conversion->profile, &settings, take_packets, c);
    if (code == FXT_OK && c->packets.size > 0 &&
        write_blob(c, c->packets.data, c->packets.size) != 0)
        code = FXT_E_SINK;
    return code == FXT_OK ? fxt_writer_finish(c->writer) : code;
}

/* ---- All --------------------------------------------------------------------------- */

static bool start_reader(struct copy *c)
{
    struct fxt_reader_options options = {.size = sizeof(options)};

    options.on_record = take_record;
    options.on_error = take_error;
    options.context = c;
    options.resync = c->conversion->options.build.resync;
    return fxt_reader_create(&options, &c->reader) == FXT_OK;
}

/* Blobs are of the archive's byte order; their names must not change its tables. */
static bool start_writer(struct copy *c)
{
    struct fxt_writer_options options = {.size = sizeof(options)};

    options.write = output_take;
    options.context = c->output;
    options.byte_order = fxt_reader_byte_order(c->reader);
    options.strings = FXT_REFERENCES_IN_LINE;
    return fxt_writer_create(&options, &c->writer) == FXT_OK;
}

static int refuse(const struct copy *c, const char *file, const char *why)
{
    complain(c->conversion->converter->name, file, "%s", why);
    return EXIT_UNUSABLE;
}

/* What makes Perfetto refuse an archive, or lose its place in it. */
static void warn(const struct copy *c, const char *file)
{
    const char *name = c->conversion->converter->name;

    if (c->conversion->options.quiet)
        return;
    if (c->n_zero_words > 0)
        complain(name, file, "has zero words, at which Perfetto refuses an archive");
    if (c->n_large > 0)
        complain(name, file,
                 "has records of more than %d words, which Perfetto cannot skip",
                 FXT_RECORD_WORDS_MAX);
}

static int copy_archive(struct copy *c, const char *file)
{
    enum fxt_code code;

    if (!start_reader(c))
        return refuse(c, file, fxt_code_message(FXT_E_NO_MEMORY));
    while (!output_failed(c->output) && read_chunk(c))
        continue;
    /* Zero words are reported with what comes after them. */
    fxt_reader_finish(c->reader, NULL);
    if (fxt_reader_stream(c->reader) != FXT_STREAM_ARCHIVE)
        return refuse(c, file, "is not an archive: --into-fxt copies one");
    if (!start_writer(c))
        return refuse(c, file, fxt_code_message(FXT_E_NO_MEMORY));
    code = write_packets(c);
    copy_rest(c);
    if (code != FXT_OK && code != FXT_E_SINK)
        return refuse(c, file, fxt_code_message(code));
    warn(c, file);
    /* A failure of the output is reported when it is closed. */
    return EXIT_GOOD;
}

bool into_fxt_check(struct options *o)
{
    const char *why = NULL;

    if (o->build.source != FXT_PROFILE_SAMPLES)
        why = "--into-fxt is for samples, not for --spans and --sched";
    else if (o->n_files != 1 || strcmp(o->files[0].path, "-") == 0)
        why = "--into-fxt copies one file, which is read twice";
    else if (o->input.stream == FXT_STREAM_REGION)
        why = "--into-fxt copies an archive, not a region";
    if (why != NULL)
        complain(o->program, NULL, "%s", why);
    return why == NULL &&
           (o->output == NULL || output_name_check_archive(o->program, o->output));
}

int into_fxt_write(const struct conversion *conversion, struct output *output)
{
    const char *file = conversion->options.files[0].path;
    struct copy c = {.conversion = conversion, .output = output};
    struct text why = {NULL, 0, 0};
    int status;

    c.input = input_open(file, &why);
    if (c.input == NULL) {
        text_char(&why, '\0');
        status = refuse(&c, file, why.data);
    } else {
        status = copy_archive(&c, file);
    }
    fxt_reader_destroy(c.reader);
    fxt_writer_destroy(c.writer);
    if (c.input != NULL)
        input_close(c.input);
    return status;
}
