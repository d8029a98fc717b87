/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies a trace from standard input to standard output, record by record: what a program
 * looks like that filters traces, converts them or adds to them. See on_record.
 *
 *     fxtcopy [--in-line | --as-given] [--big-endian | --little-endian] < FROM > TO
 *
 * What cannot be read or written is reported and skipped, and the exit status is then 1.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

struct copy {
    struct fxt_writer *writer;
    uint32_t provider_id;
    bool incomplete;
};

static void say(struct copy *copy, uint64_t offset, const char *what)
{
    fprintf(stderr, "fxtcopy: %#" PRIx64 ": %s\n", offset, what);
    copy->incomplete = true;
}

/* The reader follows a provider even if the record that announces it is damaged, so that
 * no record needs to have come. */
static void follow_provider(struct copy *copy, const struct fxt_record *record)
{
    struct fxt_record section;

    if (record->type == FXT_RECORD_METADATA || record->provider->id == copy->provider_id)
        return;
    memset(&section, 0, sizeof(section));
    section.type = FXT_RECORD_METADATA;
    section.kind = FXT_METADATA_PROVIDER_SECTION;
    section.metadata.provider_id = record->provider->id;
    fxt_writer_write(copy->writer, &section);
}

/* A filter would look at the record here, and write it or not; or write another. */
static int on_record(void *context, const struct fxt_record *record)
{
    struct copy *copy = (struct copy *)context;
    enum fxt_code code;

    follow_provider(copy, record);
    copy->provider_id = record->provider->id;
    code = fxt_writer_write(copy->writer, record);
    if (code != FXT_OK)
        say(copy, record->offset, fxt_code_message(code));
    /* Continuing is useless if nothing can be written. */
    return code == FXT_E_SINK;
}

static int on_error(void *context, const struct fxt_error *error)
{
    if (error->severity >= FXT_WARNING)
        say((struct copy *)context, error->offset, error->message);
    return 0;
}

/* Moves what is left of a chunk to the front and reads more after it, as much as the
 * reader needs or `room` has. Returns false if out of memory. */
static bool refill(struct fxt_chunk *chunk, unsigned char **data, size_t *room,
                   uint64_t needed, FILE *file)
{
    size_t left = chunk->size - chunk->pos;

    if (needed > *room) {
        unsigned char *larger = (unsigned char *)realloc(*data, (size_t)needed);

        if (larger == NULL)
            return false;
        *data = larger;
        *room = (size_t)needed;
    }
    memmove(*data, *data + chunk->pos, left);
    *chunk = (struct fxt_chunk){*data, left, 0};
    chunk->size += fread(*data + left, 1, *room - left, file);
    return true;
}

/* Reads all there is, a piece at a time, with as much memory as the largest record. */
static enum fxt_code read_all(struct fxt_reader *reader, FILE *file)
{
    size_t room = 1 << 16;
    unsigned char *data = (unsigned char *)malloc(room);
    struct fxt_chunk chunk = {data, 0, 0};
    enum fxt_code code = data != NULL ? FXT_OK : FXT_E_NO_MEMORY;

    while ((code == FXT_OK || code == FXT_NEED_MORE || code == FXT_END) && !feof(file) &&
           !ferror(file)) {
        if (refill(&chunk, &data, &room, fxt_reader_needed(reader), file))
            code = fxt_reader_read(reader, &chunk);
        else
            code = FXT_E_NO_MEMORY;
    }
    if (code == FXT_OK || code == FXT_NEED_MORE || code == FXT_END)
        code = fxt_reader_finish(reader, &chunk);
    free(data);
    return code;
}

static int take_options(struct fxt_writer_options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--in-line") == 0)
            options->strings = options->threads = FXT_REFERENCES_IN_LINE;
        else if (strcmp(argv[i], "--as-given") == 0)
            options->strings = options->threads = FXT_REFERENCES_AS_GIVEN;
        else if (strcmp(argv[i], "--big-endian") == 0)
            options->byte_order = FXT_BYTE_ORDER_BIG;
        else if (strcmp(argv[i], "--little-endian") == 0)
            options->byte_order = FXT_BYTE_ORDER_LITTLE;
        else
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct copy copy = {NULL, 0, false};
    struct fxt_reader_options from = {.size = sizeof(from)};
    struct fxt_writer_options to = {.size = sizeof(to)};
    struct fxt_reader *reader = NULL;
    enum fxt_code code;

    if (take_options(&to, argc, argv) != 0) {
        fputs(
            "usage: fxtcopy [--in-line | --as-given] [--big-endian | --little-endian]\n",
            stderr);
        return 2;
    }
    from.on_record = on_record;
    from.on_error = on_error;
    from.context = &copy;
    to.write = fxt_file_write;
    to.context = stdout;
    if (fxt_reader_create(&from, &reader) != FXT_OK ||
        fxt_writer_create(&to, &copy.writer) != FXT_OK) {
        fputs("fxtcopy: out of memory\n", stderr);
        return 1;
    }
    code = read_all(reader, stdin);
    if (code != FXT_OK)
        say(&copy, fxt_reader_offset(reader), fxt_code_message(code));
    if (ferror(stdin))
        say(&copy, fxt_reader_offset(reader), strerror(errno));
    /* What was refused is reported already; and the disk may be full only now. */
    if (fxt_writer_finish(copy.writer) == FXT_E_SINK || fclose(stdout) != 0)
        say(&copy, fxt_writer_offset(copy.writer), fxt_code_message(FXT_E_SINK));
    fxt_writer_destroy(copy.writer);
    fxt_reader_destroy(reader);
    return copy.incomplete;
}
