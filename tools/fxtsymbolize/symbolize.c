/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbolize.h: the copy. */
#include "symbolize.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <fxt/format.h>
#include <fxt/reader.h>
#include <fxt/record.h>

#include "common/base/io/file.h"
#include "common/base/io/input.h"
#include "common/base/io/magic.h"
#include "common/base/io/output.h"
#include "common/base/io/progress.h"
#include "common/base/io/recognise.h"
#include "finding.h"
#include "tools/common/output_name.h"
#include "tools/common/report.h"

struct copy {
    const struct symbolize_options *options;
    struct input *input;
    struct output *output;
    struct fxt_reader *reader;
    struct finding finding;
    struct report report;
    /* The latest time of the provider whose records come last, by its clock. */
    const struct fxt_provider *provider;
    uint64_t timestamp;
    struct fxt_buffer records;
};

static enum symbolize_status refuse(const char *file, const char *why)
{
    complain(FXTSYMBOLIZE_PROGRAM, file, "%s", why);
    return SYMBOLIZE_UNUSABLE;
}

static enum symbolize_status refuse_text(const char *file, struct text *why)
{
    complain_text(FXTSYMBOLIZE_PROGRAM, file, why);
    return SYMBOLIZE_UNUSABLE;
}

/* ---- Reading and copying ----------------------------------------------------------- */

static int take_record(void *context, const struct fxt_record *record)
{
    struct copy *c = (struct copy *)context;
    uint64_t time = 0;

    fxt_record_time(record, &time);
    if (record->provider != c->provider || time > c->timestamp)
        c->timestamp = time;
    c->provider = record->provider;
    finding_take(&c->finding, record);
    return 0;
}

static int take_error(void *context, const struct fxt_error *error)
{
    struct copy *c = (struct copy *)context;

    report_error(&c->report, c->report.input, error);
    return 0;
}

/* Copies what the reader has taken. Returns false if it needs more than there is, or
 * cannot go on. */
static bool copy_chunk(struct copy *c)
{
    uint64_t needed = fxt_reader_needed(c->reader);
    struct fxt_chunk chunk;
    enum fxt_code code;

    if (needed > SIZE_MAX || !input_want(c->input, needed > 0 ? (size_t)needed : 1))
        return false;
    chunk = (struct fxt_chunk){input_data(c->input), input_size(c->input), 0};
    code = fxt_reader_read(c->reader, &chunk);
    /* Until the first record is read, it may be none of an archive. */
    if (fxt_reader_stream(c->reader) != FXT_STREAM_ARCHIVE)
        return false;
    output_write(c->output, chunk.data, chunk.pos);
    input_consume(c->input, chunk.pos);
    return code == FXT_OK || code == FXT_NEED_MORE;
}

/* What is left was not read as records; with resync, some of it may be. */
static void read_rest(struct copy *c)
{
    struct fxt_chunk rest = {input_data(c->input), input_size(c->input), 0};

    fxt_reader_finish(c->reader, &rest);
    report_rest(&c->report);
}

static void copy_rest(struct copy *c)
{
    while (!output_failed(c->output) && input_want(c->input, 1)) {
        output_write(c->output, input_data(c->input), input_size(c->input));
        input_consume(c->input, input_size(c->input));
    }
}

static bool start_reader(struct copy *c)
{
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = take_record,
                                         .on_error = take_error,
                                         .context = c,
                                         .resync = c->options->resync};

    return fxt_reader_create(&options, &c->reader) == FXT_OK;
}

static void report_added(const struct copy *c)
{
    if (c->options->quiet)
        return;
    if (c->records.size > 0)
        complain(FXTSYMBOLIZE_PROGRAM, NULL, "%zu bytes of names, files and lines added",
                 c->records.size);
    else
        complain(FXTSYMBOLIZE_PROGRAM, NULL, "nothing added");
}

static enum symbolize_status copy_archive(struct copy *c)
{
    const char *file = c->options->input;

    if (!start_reader(c))
        return refuse(file, fxt_code_message(FXT_E_NO_MEMORY));
    while (!output_failed(c->output) && copy_chunk(c))
        continue;
    if (fxt_reader_stream(c->reader) != FXT_STREAM_ARCHIVE)
        return refuse(file, "is no archive: of a region, such as a sampler's buffer, the "
                            "modules are not known; --elf of the other tools names them");
    read_rest(c);
    progress_hide();
    if (!finding_finish(&c->finding, fxt_reader_byte_order(c->reader), c->timestamp,
                        &c->records))
        return SYMBOLIZE_UNUSABLE;
    output_write(c->output, c->records.data, c->records.size);
    copy_rest(c);
    report_added(c);
    if (input_error(c->input) != NULL)
        complain(FXTSYMBOLIZE_PROGRAM, file, "%s", input_error(c->input));
    return input_error(c->input) != NULL || report_is_bad(&c->report) ? SYMBOLIZE_BAD
                                                                      : SYMBOLIZE_GOOD;
}

/* ---- The files --------------------------------------------------------------------- */

/* Whether a copy takes the place of the input. What could not be read to its end would be
 * lost, as would what another program, such as a recorder, has added since. */
static bool may_replace(const struct copy *c, const struct stat *before)
{
    const char *file = c->options->input;
    struct stat now;

    if (input_error(c->input) != NULL)
        return complain(
            FXTSYMBOLIZE_PROGRAM, file,
            "not replaced, since it could not be read to its end: -o writes what "
            "could be read");
    if (stat(file, &now) == 0 && now.st_dev == before->st_dev &&
        now.st_ino == before->st_ino && now.st_size == before->st_size &&
        now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == before->st_mtim.tv_nsec)
        return true;
    return complain(FXTSYMBOLIZE_PROGRAM, file,
                    "not replaced, since it has changed: it may still be recorded");
}

static enum compression compression_of(const char *name)
{
    struct text ignored = {NULL, 0, 0};
    struct file *file = file_open(name, &ignored);
    unsigned char bytes[MAGIC_BYTES];
    enum compression compression = COMPRESSION_NONE;

    if (file != NULL && file_read(file, 0, bytes, sizeof(bytes)))
        compression = magic_compression(bytes, sizeof(bytes));

    if (file != NULL)
        file_close(file);
    return compression;
}

/* The output is compressed if its name says so, or takes the place of what is. */
static void choose_compression(struct copy *c)
{
    const struct symbolize_options *o = c->options;

    if (!o->in_place) {
        output_name_compress(o->output, c->output);
        return;
    }
    switch (compression_of(o->input)) {
    case COMPRESSION_NONE:
        break;
    case COMPRESSION_GZIP:
        output_compress(c->output);
        break;
    case COMPRESSION_ZSTD:
        output_compress_zstd(c->output);
        break;
    }
}

static enum symbolize_status end_output(struct copy *c, bool keep,
                                        enum symbolize_status status)
{
    const char *name = c->options->in_place ? c->options->input : c->options->output;
    struct text why = {NULL, 0, 0};

    if (output_close(c->output, keep, &why))
        return status;
    refuse_text(name != NULL ? name : "standard output", &why);
    return status > SYMBOLIZE_BAD ? status : SYMBOLIZE_BAD;
}

static enum symbolize_status write_copy(struct copy *c)
{
    const struct symbolize_options *o = c->options;
    struct text why = {NULL, 0, 0};
    struct stat before;
    enum symbolize_status status;
    bool keep;

    if (o->in_place && (stat(o->input, &before) != 0 || !S_ISREG(before.st_mode)))
        return refuse(o->input, "only a regular file can be replaced: use -o");
    c->output = output_open(o->in_place ? o->input : o->output, true, &why);
    if (c->output == NULL) {
        refuse_text(o->in_place ? o->input : o->output, &why);
        return SYMBOLIZE_BAD;
    }
    choose_compression(c);
    status = copy_archive(c);
    keep = status != SYMBOLIZE_UNUSABLE;
    if (keep && o->in_place && c->records.size == 0) {
        keep = false;
    } else if (keep && o->in_place && !may_replace(c, &before)) {
        keep = false;
        status = SYMBOLIZE_BAD;
    }
    return end_output(c, keep, status);
}

static enum symbolize_status run_copy(struct copy *c)
{
    enum symbolize_status status = SYMBOLIZE_UNUSABLE;

    if (finding_start(&c->finding, c->options)) {
        if (!c->options->quiet)
            progress_start(FXTSYMBOLIZE_PROGRAM, input_stated_size(c->input));
        progress_watch(c->input);
        status = write_copy(c);
        progress_end();
    }
    finding_free(&c->finding);
    return status;
}

enum symbolize_status symbolize(const struct symbolize_options *o)
{
    struct copy c = {.options = o,
                     .report = {.program = FXTSYMBOLIZE_PROGRAM,
                                .input = o->input,
                                .max_lines = report_max_lines(o->quiet, o->verbose)}};
    struct text why = {NULL, 0, 0};
    enum symbolize_status status;

    c.input = recognise_open(o->input, &why);
    if (c.input == NULL)
        return refuse_text(o->input, &why);
    status = run_copy(&c);
    fxt_reader_destroy(c.reader);
    input_close(c.input);
    free(c.records.data);
    return status;
}
