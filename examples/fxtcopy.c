/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies a trace from standard input to standard output, record by record: what a program
 * looks like that filters traces, converts them or adds to them. See on_record.
 *
 *     fxtcopy [--in-line | --as-given] [--big-endian | --little-endian] < FROM > TO
 *
 * What cannot be read or written is reported and skipped, and the exit status is then 1.
 */
#include <inttypes.h>
#include <stdio.h>
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
    if (fxt_writer_create(&to, &copy.writer) != FXT_OK) {
        fputs("fxtcopy: out of memory\n", stderr);
        return 1;
    }
    if (fxt_read_file(&from, stdin) != FXT_OK)
        copy.incomplete = true;
    /* What was refused is reported already; and the disk may be full only now. */
    if (fxt_writer_finish(copy.writer) == FXT_E_SINK || fclose(stdout) != 0)
        say(&copy, fxt_writer_offset(copy.writer), fxt_code_message(FXT_E_SINK));
    fxt_writer_destroy(copy.writer);
    return copy.incomplete;
}
