/* SPDX-License-Identifier: BSD-2-Clause */
/* See fxt/read.h: a buffer in front of a reader, which grows to the largest record. */
#define _POSIX_C_SOURCE 200809L
#include <fxt/read.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "libfxt/memory.h"
#include "libfxt/options.h"
#include "reader_state.h"

enum { FIRST_BUFFER = 256 << 10 };

/* Reads up to `size` bytes: how many, 0 at the end, or -1 with errno. */
typedef ssize_t read_fn(void *context, void *to, size_t size);

struct source {
    read_fn *read;
    void *context;
    struct memory memory;
    unsigned char *buffer;
    size_t capacity;
    struct fxt_chunk chunk;
};

static ssize_t read_from_fd(void *context, void *to, size_t size)
{
    ssize_t n;

    do {
        n = read(*(const int *)context, to, size);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* A file that is opened when it is first read, so that both can fail in one place. */
struct path_file {
    const char *path;
    int fd;
};

static ssize_t read_from_path(void *context, void *to, size_t size)
{
    struct path_file *file = (struct path_file *)context;

    if (file->fd < 0)
        file->fd = open(file->path, O_RDONLY | O_CLOEXEC);
    return file->fd < 0 ? -1 : read_from_fd(&file->fd, to, size);
}

static ssize_t read_from_file(void *context, void *to, size_t size)
{
    FILE *file = (FILE *)context;
    size_t n = fread(to, 1, size, file);

    return n == 0 && ferror(file) ? -1 : (ssize_t)n;
}

/* Makes room for what the reader needs next, which is bounded by its largest record. */
static bool make_room(struct source *s, uint64_t needed)
{
    size_t capacity = s->capacity > 0 ? s->capacity : FIRST_BUFFER;
    unsigned char *buffer;

    while (capacity < needed) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    if (capacity == s->capacity)
        return true;
    buffer = (unsigned char *)memory_resize(&s->memory, s->buffer, s->capacity, capacity);
    if (buffer == NULL)
        return false;
    s->buffer = buffer;
    s->capacity = capacity;
    return true;
}

/* Moves the part of a record that is left to the front, and reads more after it. */
static enum fxt_code refill(struct source *s, uint64_t needed, bool *at_end)
{
    size_t left = s->chunk.size - s->chunk.pos;
    ssize_t n;

    if (!make_room(s, needed > left ? needed : (uint64_t)left + 1))
        return FXT_E_NO_MEMORY;
    if (s->chunk.pos > 0)
        memmove(s->buffer, s->buffer + s->chunk.pos, left);
    n = s->read(s->context, s->buffer + left, s->capacity - left);
    s->chunk = (struct fxt_chunk){s->buffer, left, 0};
    if (n < 0)
        return FXT_E_FILE;
    s->chunk.size += (size_t)n;
    *at_end = n == 0;
    return FXT_OK;
}

/* FXT_END is not the end: what follows a region is checked, too. */
static enum fxt_code read_all(struct fxt_reader *reader, struct source *s)
{
    bool at_end = false;

    while (!at_end) {
        enum fxt_code code = refill(s, fxt_reader_needed(reader), &at_end);

        if (code == FXT_OK && !at_end)
            code = fxt_reader_read(reader, &s->chunk);
        if (code != FXT_OK && code != FXT_NEED_MORE && code != FXT_END)
            return code;
    }
    return fxt_reader_finish(reader, &s->chunk);
}

/* Of what the reader itself does not see. */
static void report_end(struct fxt_reader *reader, enum fxt_code code)
{
    struct fxt_error error = reader_error_at(reader, code, 0);

    error.severity = FXT_FATAL;
    reader_report(reader, &error);
}

/* What is read here does not stay in place, whatever the options promise. */
static enum fxt_code make_reader(const struct fxt_reader_options *options,
                                 const char *path, struct memory *memory,
                                 struct fxt_reader **reader)
{
    struct fxt_reader_options moving;
    enum fxt_code code;

    *reader = NULL;
    if (!options_copy(&moving, sizeof(moving), options))
        return FXT_E_INVALID;
    moving.size = sizeof(moving);
    moving.stable_input = false;
    code = fxt_reader_create(&moving, reader);
    if (code != FXT_OK)
        return code;
    (*reader)->path = path;
    *memory = memory_make(moving.resize, moving.resize_context, UINT64_MAX);
    return FXT_OK;
}

static enum fxt_code read_source(const struct fxt_reader_options *options,
                                 const char *path, read_fn *read, void *context)
{
    struct source s = {.read = read, .context = context};
    struct fxt_reader *reader;
    enum fxt_code code = make_reader(options, path, &s.memory, &reader);
    int error;

    if (code != FXT_OK)
        return code;
    code = read_all(reader, &s);
    error = errno;
    if (code == FXT_E_FILE || code == FXT_E_NO_MEMORY)
        report_end(reader, code);
    fxt_reader_destroy(reader);
    memory_free(&s.memory, s.buffer, s.capacity);
    errno = error;
    return code;
}

enum fxt_code fxt_read_fd(const struct fxt_reader_options *options, int fd)
{
    return read_source(options, NULL, read_from_fd, &fd);
}

enum fxt_code fxt_read_file(const struct fxt_reader_options *options, FILE *file)
{
    return read_source(options, NULL, read_from_file, file);
}

enum fxt_code fxt_read_path(const struct fxt_reader_options *options, const char *path)
{
    struct path_file file = {path, -1};
    enum fxt_code code = read_source(options, path, read_from_path, &file);
    int error = errno;

    if (file.fd >= 0)
        close(file.fd);
    errno = error;
    return code;
}

enum fxt_code fxt_read_memory(const struct fxt_reader_options *options, const void *data,
                              size_t size)
{
    struct fxt_chunk chunk = {data, size, 0};
    struct fxt_reader *reader;
    enum fxt_code code = fxt_reader_create(options, &reader);

    if (code != FXT_OK)
        return code;
    code = fxt_reader_read(reader, &chunk);
    if (code != FXT_STOPPED && code != FXT_E_SIZE_ZERO && code != FXT_E_INVALID)
        code = fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
    return code;
}

/* ---- One record after the other ---------------------------------------------------- */

struct read_file {
    struct source source;
    int fd;
    bool at_end;
    /* Why it cannot be read on. */
    enum fxt_code failed;
};

enum fxt_code fxt_reader_open(const struct fxt_reader_options *options, const char *path,
                              struct fxt_reader **reader)
{
    static const struct fxt_reader_options defaults = {.size = sizeof(defaults)};
    struct memory memory;
    struct read_file *file;
    enum fxt_code code =
        make_reader(options != NULL ? options : &defaults, path, &memory, reader);
    int error;

    if (code != FXT_OK)
        return code;
    file = (struct read_file *)memory_zeroed(&memory, sizeof(*file));
    code = FXT_E_NO_MEMORY;
    if (file != NULL) {
        file->source =
            (struct source){.read = read_from_fd, .context = &file->fd, .memory = memory};
        file->fd = open(path, O_RDONLY | O_CLOEXEC);
        (*reader)->file = file;
        code = file->fd >= 0 ? FXT_OK : FXT_E_FILE;
    }
    error = errno;
    if (code != FXT_OK) {
        fxt_reader_destroy(*reader);
        *reader = NULL;
    }
    errno = error;
    return code;
}

void read_file_close(struct read_file *file)
{
    struct memory memory;

    if (file == NULL)
        return;
    if (file->fd >= 0)
        close(file->fd);
    memory = file->source.memory;
    memory_free(&memory, file->source.buffer, file->source.capacity);
    memory_free(&memory, file, sizeof(*file));
}

enum fxt_code read_file_next(struct fxt_reader *r, const struct fxt_record **record)
{
    struct read_file *file = r->file;
    enum fxt_code code;
    int error;

    if (file == NULL)
        return FXT_E_INVALID;
    if (file->failed != FXT_OK)
        return file->failed;
    while (!file->at_end) {
        code = fxt_reader_next(r, &file->source.chunk, record);
        if (*record != NULL ||
            (code != FXT_OK && code != FXT_NEED_MORE && code != FXT_END))
            return code;
        file->failed = refill(&file->source, fxt_reader_needed(r), &file->at_end);
        if (file->failed != FXT_OK) {
            error = errno;
            report_end(r, file->failed);
            errno = error;
            return file->failed;
        }
    }
    return fxt_reader_finish(r, &file->source.chunk);
}
