/* SPDX-License-Identifier: BSD-2-Clause */
/* See embed_queue.h: one archive. */
#include "embed_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/profile.h>

#include "common/base/clock.h"
#include "common/base/io/file_lock.h"
#include "common/base/io/progress.h"
#include "common/base/io/zstd.h"
#include "failure.h"
#include "record_options.h"
#include "tools/common/report.h"

/* So many files that were not found are named. */
enum { NAMED_FILES = 3 };

struct embedding {
    const char *path;
    const struct embed_settings *settings;
    int fd;
    /* By the archive's clock. */
    uint64_t time_ns;
    struct fxt_buffer records;
    uint64_t n_missing;
    /* Servers did not answer. */
    bool gave_up;
    /* It is not the first profile. */
    bool is_second;
    /* Commands that bring what is missing, a line for each. */
    struct text remedies;
};

/* ---- Finding ----------------------------------------------------------------------- */

/* What is wrong with the archive is left to those who read it. */
static void take_report(void *context, const struct fxt_profile_report *report)
{
    struct embedding *e = context;

    if (report->kind == FXT_PROFILE_REPORT_DEBUGINFOD) {
        e->gave_up = true;
        if (e->settings->reports_missing)
            complain(FXTRECORD_PROGRAM, NULL, "%s", report->message);
    }
    if (!e->settings->reports_missing)
        return;
    /* Those for where threads were switched out are the same. */
    if (report->kind == FXT_PROFILE_REPORT_REMEDY && !e->is_second)
        text_printf(&e->remedies, "    %s\n", report->message);
    if (report->kind == FXT_PROFILE_REPORT_MISSING_FILE && e->n_missing++ < NAMED_FILES)
        complain(FXTRECORD_PROGRAM, NULL, "%s", report->message);
}

/* Reads the file that is open, whatever has its name by now. */
static enum fxt_code read_archive(const struct embedding *e,
                                  struct fxt_profile_builder *builder)
{
    const struct fxt_profile_input input = {.size = sizeof(input), .name = e->path};
    char path[40];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", e->fd);
    return fxt_profile_builder_add_file(builder, &input, path);
}

static bool add_symbols_of(struct embedding *e, enum fxt_profile_source source)
{
    struct fxt_profile_options options = {
        .size = sizeof(options),
        .on_report = take_report,
        .on_download = progress_download,
        .context = e,
        .source = source,
        .ignore_renames = true,
        .find_modules = true,
        .use_debuginfod = e->settings->uses_debuginfod && !e->gave_up,
        .no_missing_files = !e->settings->reports_missing};
    struct fxt_profile_builder *builder;
    struct fxt_profile *profile = NULL;
    enum fxt_code code = fxt_profile_builder_create(&options, &builder);

    if (code != FXT_OK)
        return failure_report(e->path, fxt_code_message(code));
    fxt_profile_builder_add_debug_dir(builder, "/usr/lib/debug");
    read_archive(e, builder);
    if (e->settings->reports_missing)
        progress_start(FXTRECORD_PROGRAM, 0);
    code = fxt_profile_builder_finish(builder, &profile);
    progress_end();
    if (code != FXT_OK)
        failure_report(NULL, fxt_profile_builder_message(builder));
    fxt_profile_builder_destroy(builder);
    if (code != FXT_OK)
        return false;
    code = fxt_profile_write_symbols(profile, FXT_BYTE_ORDER_HOST, e->time_ns,
                                     fxt_buffer_write, &e->records);
    fxt_profile_destroy(profile);
    e->is_second = true;
    return code == FXT_OK || failure_report(e->path, fxt_code_message(code));
}

/* ---- Appending --------------------------------------------------------------------- */

static bool write_all(int fd, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static bool report_unwritten(const struct embedding *e, int error)
{
    return complain(
        FXTRECORD_PROGRAM, e->path,
        "symbols of %zu bytes were not embedded: %s; the archive is as it was recorded",
        e->records.size, strerror(error));
}

/* A frame after those that are there. */
static bool write_compressed(const struct embedding *e)
{
    struct zstd *zstd = zstd_create();
    struct text frame = {NULL, 0, 0};

    zstd_add(zstd, e->records.data, e->records.size, &frame);
    zstd_end(zstd, &frame);
    zstd_free(zstd);
    return write_all(e->fd, (const unsigned char *)frame.data, frame.size);
}

static bool write_records(const struct embedding *e)
{
    if (e->settings->is_compressed)
        return e->records.size == 0 || write_compressed(e);
    return write_all(e->fd, e->records.data, e->records.size);
}

/* All of it or nothing. */
static bool append(const struct embedding *e)
{
    struct stat status;
    int error;

    if (fstat(e->fd, &status) != 0)
        return failure_report(e->path, strerror(errno));
    if (write_records(e))
        return true;
    error = errno;
    if (ftruncate(e->fd, status.st_size) != 0)
        return failure_report(e->path, strerror(errno));
    return report_unwritten(e, error);
}

/* ---- All --------------------------------------------------------------------------- */

static bool embed(struct embedding *e)
{
    struct stat status;
    bool good;

    if (fstat(e->fd, &status) != 0)
        return failure_report(e->path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return failure_report(e->path, "symbols can be embedded in files only");
    good = add_symbols_of(e, FXT_PROFILE_SAMPLES) &&
           (!e->settings->has_off_cpu || add_symbols_of(e, FXT_PROFILE_OFF_CPU));
    if (e->n_missing > NAMED_FILES)
        complain(FXTRECORD_PROGRAM, NULL, "and %" PRIu64 " more such files",
                 e->n_missing - NAMED_FILES);
    report_remedies(FXTRECORD_PROGRAM, &e->remedies);
    return good && append(e);
}

bool embed_symbols(const char *path, const struct embed_settings *settings)
{
    struct embedding e = {
        .path = path, .settings = settings, .time_ns = clock_ns(CLOCK_MONOTONIC)};
    bool good;

    /* A pipe would not be opened without a reader. */
    e.fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK);
    if (e.fd < 0)
        return (errno == ENOENT && settings->may_be_removed) ||
               failure_report(path, strerror(errno));
    file_lock_fd(e.fd);
    good = embed(&e);
    free(e.records.data);
    return (close(e.fd) == 0 || failure_report(path, strerror(errno))) && good;
}
