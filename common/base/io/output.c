/* SPDX-License-Identifier: BSD-2-Clause */
/* See output.h. */
#include "output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

/* As many symbolic links as the kernel follows. */
enum { LINKS_MAX = 40 };

/* zlib counts in 32 bits. */
enum { BUFFER = 1 << 18, DEFLATE_MAX = 1 << 30 };

/*
 * How hard to compress, for zlib and libdeflate. bench/bench_profile.c measures it: on a
 * large profile level 4 takes two thirds of the time of zlib's usual 6 (libdeflate one
 * third) for 5 % more bytes (3 %); the levels below save little time, and those above
 * few bytes.
 */
enum { LEVEL = 4 };

/* libdeflate needs all the data at once. Larger data is compressed by zlib, piece by
 * piece. */
enum { WHOLE_MAX = 1 << 27 };

struct output {
    struct memory_cleanup cleanup;
    /* -1 where it all goes to memory, or to a function. */
    int fd;
    bool is_standard;
    struct text *memory;
    output_fn *function;
    void *context;
    const struct output_maker *maker;
    /* NULL for what is written in place: standard output, devices, pipes. */
    char *name;
    char *temporary;
    /* errno. */
    int error;
    /* What could not be written whole was cut off. */
    bool is_trimmed;
    /* What is still to be written; with compression, to be compressed. */
    struct text buffer;
    bool compressed;
    /* All that is to be compressed is still in the buffer. */
    bool whole;
    bool has_zlib;
    z_stream z;
};

/* What a function is to take, and what it returned. */
struct piece {
    const struct output *output;
    const void *data;
    size_t size;
    int result;
};

/* A file that exists and is not a regular one, such as /dev/null, is written in place. */
static bool is_special(const char *name)
{
    struct stat status;

    return stat(name, &status) == 0 && !S_ISREG(status.st_mode);
}

/* Other than mkstemp's, the file has the mode that any new file has. */
static int create_temporary(char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    enum { TRIES = 100, LETTERS = 6, BITS = 5 };
    char *end = name + strlen(name) - LETTERS;
    int fd = -1;

    for (int i = 0; i < TRIES && fd < 0; i++) {
        uint32_t random = 0;

        if (getrandom(&random, sizeof(random), 0) != sizeof(random))
            return -1;
        for (int at = 0; at < LETTERS; at++, random >>= BITS)
            end[at] = letters[random & ((1U << BITS) - 1)];
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

static void is_done(void)
{
}

static const struct output_maker plain_maker = {create_temporary, is_done};

/* What a symbolic link leads to, as seen from where the link is. */
static char *resolve_link(const char *link, const char *target)
{
    const char *slash = strrchr(link, '/');
    struct text path = {NULL, 0, 0};

    if (target[0] != '/' && slash != NULL)
        text_add(&path, link, (size_t)(slash + 1 - link));
    text_str(&path, target);
    text_char(&path, '\0');
    return path.data;
}

/* The name of the file itself, if this is one of a symbolic link to it, whether there is
 * such a file yet or not. Returns NULL, with errno set, if that cannot be found out. */
static char *follow_links(const char *name)
{
    char *path = memory_copy_string(name);

    for (int n = 0; n < LINKS_MAX; n++) {
        char target[PATH_MAX];
        ssize_t size = readlink(path, target, sizeof(target) - 1);
        char *link = path;

        if (size < 0)
            return path;
        target[size] = '\0';
        path = resolve_link(link, target);
        memory_release(link);
    }
    memory_release(path);
    errno = ELOOP;
    return NULL;
}

/* Gives a file the owner of the one whose place it is to take, as far as that is
 * permitted, and its permissions. A group that cannot be kept leaves none to another
 * group that all others do not have. */
static void take_over_mode(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);

    if (fchown(fd, old->st_uid, old->st_gid) != 0 &&
        fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    fchmod(fd, mode);
}

static void open_temporary(struct output *output, const char *name)
{
    struct text temporary = {NULL, 0, 0};
    struct stat old;

    output->name = follow_links(name);
    if (output->name == NULL) {
        output->error = errno;
        return;
    }
    text_str(&temporary, output->name);
    text_str(&temporary, ".XXXXXX");
    text_char(&temporary, '\0');
    output->fd = output->maker->create(temporary.data);
    output->error = output->fd < 0 ? errno : 0;
    if (output->fd < 0)
        text_free(&temporary);
    else if (stat(output->name, &old) == 0)
        take_over_mode(output->fd, &old);
    output->temporary = temporary.data;
}

static void end_zlib(struct output *output)
{
    if (output->has_zlib)
        deflateEnd(&output->z);
    output->has_zlib = false;
}

/* Some file systems report a full disk only now. */
static void close_file(struct output *output, bool keep)
{
    bool is_to_stay = output->is_standard && !keep;

    if (output->fd >= 0 && !is_to_stay && close(output->fd) != 0 && output->error == 0)
        output->error = errno;
    output->fd = -1;
}

static void remove_temporary(const struct output *output)
{
    if (output->temporary == NULL)
        return;
    unlink(output->temporary);
    output->maker->done();
}

/* Gives back what is no memory of ours. */
static void release_output(void *context)
{
    struct output *output = (struct output *)context;

    end_zlib(output);
    close_file(output, false);
    remove_temporary(output);
}

static struct output *make_output(void)
{
    struct output *output = (struct output *)memory_allocate(sizeof(*output));

    output->fd = -1;
    output->maker = &plain_maker;
    memory_cleanup_add(&output->cleanup, release_output, output);
    return output;
}

static void free_output(struct output *output)
{
    memory_cleanup_remove(&output->cleanup);
    memory_release(output->name);
    memory_release(output->temporary);
    text_free(&output->buffer);
    memory_release(output);
}

struct output *output_open_with(const struct output_maker *maker, const char *name,
                                struct text *why)
{
    struct output *output = make_output();
    int error;

    output->maker = maker;
    if (is_special(name)) {
        output->fd = open(name, O_WRONLY | O_CLOEXEC);
        output->error = output->fd < 0 ? errno : 0;
    } else {
        open_temporary(output, name);
    }
    if (output->error == 0)
        return output;
    error = output->error;
    text_str(why, strerror(error));
    free_output(output);
    errno = error;
    return NULL;
}

struct output *output_open_file(const char *name, struct text *why)
{
    return output_open_with(&plain_maker, name, why);
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

/* Compresses some bytes, and with Z_FINISH ends the compressed data. */
static void deflate_all(struct output *output, const char *data, size_t size, int mode)
{
    unsigned char piece[1 << 14];
    z_stream *z = &output->z;

    z->next_in = (Bytef *)(uintptr_t)data;
    z->avail_in = (uInt)size;
    do {
        z->next_out = piece;
        z->avail_out = sizeof(piece);
        deflate(z, mode);
        write_all(output, (const char *)piece, sizeof(piece) - z->avail_out);
    } while (z->avail_out == 0 && output->error == 0);
}

static void encode_bytes(struct output *output, const char *data, size_t size, int mode)
{
    if (!output->compressed) {
        write_all(output, data, size);
        return;
    }
    for (; size > DEFLATE_MAX; size -= DEFLATE_MAX) {
        deflate_all(output, data, DEFLATE_MAX, Z_NO_FLUSH);
        data += DEFLATE_MAX;
    }
    deflate_all(output, data, size, mode);
}

static void start_zlib(struct output *output)
{
    /* 16: with a gzip header, which zlib leaves without a time or a name. */
    if (deflateInit2(&output->z, LEVEL, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        memory_allocate(SIZE_MAX);
    output->has_zlib = true;
    output->whole = false;
}

/* Compresses the buffer and ends with that. */
static void compress_whole(struct output *output)
{
#ifdef HAVE_LIBDEFLATE
    size_t size = libdeflate_gzip_compress_bound(NULL, output->buffer.size);
    char *compressed = (char *)memory_reserve(size);
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);

    if (compressor == NULL)
        memory_fail(MEMORY_EXHAUSTED);
    size = libdeflate_gzip_compress(compressor, output->buffer.data, output->buffer.size,
                                    compressed, size);
    libdeflate_free_compressor(compressor);
    write_all(output, compressed, size);
    output->buffer.size = 0;
    memory_release(compressed);
#else
    (void)output;
#endif
}

static void encode_buffer(struct output *output, int mode)
{
    if (output->whole && mode == Z_FINISH) {
        compress_whole(output);
        return;
    }
    if (output->whole)
        start_zlib(output);
    encode_bytes(output, output->buffer.data, output->buffer.size, mode);
    output->buffer.size = 0;
}

void output_compress(struct output *output)
{
    assert(!output->compressed);
    encode_buffer(output, Z_NO_FLUSH);
    output->compressed = true;
#ifdef HAVE_LIBDEFLATE
    output->whole = true;
#else
    start_zlib(output);
#endif
}

void output_write(struct output *output, const void *data, size_t size)
{
    size_t enough = output->whole ? WHOLE_MAX : BUFFER;

    if (size >= enough) {
        encode_buffer(output, Z_NO_FLUSH);
        encode_bytes(output, (const char *)data, size, Z_NO_FLUSH);
        return;
    }
    text_add(&output->buffer, data, size);
    if (output->buffer.size >= enough)
        encode_buffer(output, Z_NO_FLUSH);
}

void output_text(struct output *output, struct text *text)
{
    output_write(output, text->data, text->size);
    text->size = 0;
}

bool output_failed(const struct output *output)
{
    return output->error != 0;
}

static void rename_temporary(struct output *output)
{
    if (rename(output->temporary, output->name) != 0) {
        output->error = errno;
        return;
    }
    memory_release(output->temporary);
    output->temporary = NULL;
    output->maker->done();
}

bool output_publish(struct output *output)
{
    int first = output->error;

    encode_buffer(output, Z_NO_FLUSH);
    if (output->is_trimmed)
        output->error = 0;
    if (output->temporary != NULL && output->error == 0)
        rename_temporary(output);
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
        encode_buffer(output, Z_FINISH);
    end_zlib(output);
    close_file(output, keep);
    if (output->temporary != NULL && keep && output->error == 0)
        rename_temporary(output);
    error = output->error;
    if (error != 0)
        text_str(why, strerror(error));
    remove_temporary(output);
    free_output(output);
    errno = error;
    return error == 0;
}
