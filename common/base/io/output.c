/* SPDX-License-Identifier: BSD-2-Clause */
/* See output.h. */
#include "output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_lock.h"
#include "gzip.h"
#include "zstd.h"

struct output {
    struct memory_cleanup cleanup;
    /* -1 where it all goes to memory, or to a function. */
    int fd;
    bool is_standard;
    struct text *memory;
    output_fn *function;
    void *context;
    /* None for what is written in place: standard output, devices, pipes. */
    struct new_file file;
    /* errno. */
    int error;
    /* What could not be written whole was cut off. */
    bool is_trimmed;
    /* What is still to be written; with compression, to be compressed. */
    struct text buffer;
    bool compressed;
    /* All that is to be compressed is still in the buffer. */
    bool whole;
    struct gzip gzip;
    /* NULL for what is not compressed by zstd. */
    struct zstd *zstd;
};

/* What a function is to take, and what it returned. */
struct piece {
    const struct output *output;
    const void *data;
    size_t size;
    int result;
};

bool output_is_special(const char *name)
{
    struct stat status;

    return stat(name, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Some file systems report a full disk only now. */
static void close_file(struct output *output, bool keep)
{
    bool is_to_stay = output->is_standard && !keep;

    if (output->fd >= 0 && !is_to_stay && close(output->fd) != 0 && output->error == 0)
        output->error = errno;
    output->fd = -1;
}

/* Gives back what is no memory of ours. */
static void release_output(void *context)
{
    struct output *output = (struct output *)context;

    gzip_free(&output->gzip);
    zstd_free(output->zstd);
    output->zstd = NULL;
    close_file(output, false);
    new_file_remove(&output->file);
}

static struct output *make_output(void)
{
    struct output *output = memory_allocate(sizeof(*output));

    output->fd = -1;
    memory_cleanup_add(&output->cleanup, release_output, output);
    return output;
}

static void free_output(struct output *output)
{
    memory_cleanup_remove(&output->cleanup);
    new_file_free(&output->file);
    text_free(&output->buffer);
    memory_release(output);
}

struct output *output_open_with(const struct output_maker *maker, const char *name,
                                struct text *why)
{
    struct output *output = make_output();
    int error;

    output->fd = output_is_special(name) ? open(name, O_WRONLY | O_CLOEXEC)
                                         : new_file_create(&output->file, maker, name);
    if (output->fd >= 0)
        return output;
    error = errno;
    text_str(why, strerror(error));
    free_output(output);
    errno = error;
    return NULL;
}

struct output *output_open_file(const char *name, struct text *why)
{
    return output_open_with(&plain_output_maker, name, why);
}

struct output *output_standard(void)
{
    struct output *output = make_output();

    output->fd = STDOUT_FILENO;
    output->is_standard = true;
    return output;
}

struct output *output_to_function(output_fn *function, void *context)
{
    struct output *output = make_output();

    output->function = function;
    output->context = context;
    return output;
}

bool output_replaces(const char *name, const char *input)
{
    bool is_stdin = strcmp(input, "-") == 0;
    struct stat old;
    struct stat read;

    if (name == NULL || strcmp(name, "-") == 0 || stat(name, &old) != 0 ||
        !S_ISREG(old.st_mode))
        return false;
    if ((is_stdin ? fstat(STDIN_FILENO, &read) : stat(input, &read)) != 0)
        return false;
    return old.st_dev == read.st_dev && old.st_ino == read.st_ino;
}

struct output *output_to_memory(struct text *memory)
{
    struct output *output = make_output();

    output->memory = memory;
    return output;
}

static void call_function(void *context)
{
    struct piece *piece = (struct piece *)context;
    const struct output *output = piece->output;

    piece->result = output->function(output->context, piece->data, piece->size);
}

static void give_to_function(struct output *output, const char *data, size_t size)
{
    struct piece piece = {output, data, size, 0};

    if (size == 0 || output->error != 0)
        return;
    memory_run_outside(call_function, &piece);
    if (piece.result != 0)
        output->error = EIO;
}

static void write_all(struct output *output, const char *data, size_t size)
{
    if (output->memory != NULL) {
        text_add(output->memory, data, size);
        return;
    }
    if (output->function != NULL) {
        give_to_function(output, data, size);
        return;
    }
    while (size > 0 && output->error == 0) {
        ssize_t n = write(output->fd, data, size);

        if (n < 0 && errno != EINTR)
            output->error = errno;
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        }
    }
}

/* A gzip_fn. */
static bool write_compressed(void *context, const char *data, size_t size)
{
    struct output *output = (struct output *)context;

    write_all(output, data, size);
    return output->error == 0;
}

/* In steps, of which each needs memory for what becomes of it. */
static void encode_zstd(struct output *output, const char *data, size_t size,
                        bool is_last)
{
    struct text compressed = {NULL, 0, 0};

    while (size > 0 && output->error == 0) {
        size_t n = size < OUTPUT_PIECE_BYTES ? size : OUTPUT_PIECE_BYTES;

        zstd_add(output->zstd, data, n, &compressed);
        write_all(output, compressed.data, compressed.size);
        compressed.size = 0;
        data += n;
        size -= n;
    }
    if (is_last)
        zstd_end(output->zstd, &compressed);
    write_all(output, compressed.data, compressed.size);
    text_free(&compressed);
}

static void encode_bytes(struct output *output, const char *data, size_t size,
                         bool is_last)
{
    if (output->zstd != NULL)
        encode_zstd(output, data, size, is_last);
    else if (output->compressed)
        gzip_add(&output->gzip, data, size, is_last);
    else
        write_all(output, data, size);
}

static void start_gzip(struct output *output)
{
    gzip_begin(&output->gzip, write_compressed, output);
    output->whole = false;
}

static void encode_buffer(struct output *output, bool is_last)
{
    if (output->whole && is_last) {
        gzip_whole(output->buffer.data, output->buffer.size, write_compressed, output);
    } else {
        if (output->whole)
            start_gzip(output);
        encode_bytes(output, output->buffer.data, output->buffer.size, is_last);
    }
    output->buffer.size = 0;
}

void output_compress(struct output *output)
{
    assert(!output->compressed);
    encode_buffer(output, false);
    output->compressed = true;
    output->whole = gzip_whole_max() > 0;
    if (!output->whole)
        start_gzip(output);
}

void output_compress_zstd(struct output *output)
{
    assert(!output->compressed);
    encode_buffer(output, false);
    output->compressed = true;
    output->zstd = zstd_create();
}

void output_write(struct output *output, const void *data, size_t size)
{
    size_t enough = output->whole ? gzip_whole_max() : OUTPUT_PIECE_BYTES;

    if (size >= enough) {
        encode_buffer(output, false);
        encode_bytes(output, (const char *)data, size, false);
        return;
    }
    text_add(&output->buffer, data, size);
    if (output->buffer.size >= enough)
        encode_buffer(output, false);
}

void output_text(struct output *output, struct text *text)
{
    output_write(output, text->data, text->size);
    text->size = 0;
}

const char *output_temporary(const struct output *output)
{
    return output->file.temporary;
}

void output_lock(struct output *output)
{
    if (output->file.temporary != NULL)
        file_lock_fd(output->fd);
}

bool output_failed(const struct output *output)
{
    return output->error != 0;
}

int output_take(void *context, const void *data, size_t size)
{
    struct output *output = (struct output *)context;

    output_write(output, data, size);
    return output_failed(output);
}

static void rename_file(struct output *output)
{
    if (output->error == 0 && !new_file_rename(&output->file))
        output->error = errno;
}

bool output_publish(struct output *output)
{
    int first = output->error;

    encode_buffer(output, false);
    if (output->is_trimmed)
        output->error = 0;
    rename_file(output);
    if (first != 0)
        output->error = first;
    return output->error == 0;
}

bool output_write_whole(struct output *output, const void *data, size_t size)
{
    int first = output->error;
    struct stat status;
    off_t begin = -1;
    bool good;

    assert(!output->compressed && output->buffer.size == 0);
    if (output->fd >= 0 && fstat(output->fd, &status) == 0 && S_ISREG(status.st_mode))
        begin = lseek(output->fd, 0, SEEK_CUR);
    output->error = 0;
    write_all(output, data, size);
    good = output->error == 0;
    if (!good && begin >= 0 && ftruncate(output->fd, begin) == 0)
        output->is_trimmed = lseek(output->fd, begin, SEEK_SET) == begin;
    else if (!good)
        output->is_trimmed = false;
    if (first != 0)
        output->error = first;
    return good;
}

bool output_close(struct output *output, bool keep, struct text *why)
{
    int error;

    if (keep)
        encode_buffer(output, true);
    gzip_free(&output->gzip);
    zstd_free(output->zstd);
    output->zstd = NULL;
    close_file(output, keep);
    if (keep)
        rename_file(output);
    error = output->error;
    if (error != 0)
        text_str(why, strerror(error));
    new_file_remove(&output->file);
    free_output(output);
    errno = error;
    return error == 0;
}
