/* SPDX-License-Identifier: BSD-2-Clause */
/* See input.h. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/parallel.h"
#include "decompress.h"
#include "magic.h"
#include "read_ahead.h"

/* Small enough to stay in a processor's own cache until it is looked at. */
enum { PIECE = 1 << 18, PAGE = 4096 };

/* Less than this is decompressed before another thread would have started. */
enum { ALONE = 1 << 20 };

struct input {
    struct memory_cleanup cleanup;
    int fd;
    /* Where bytes come from in a test instead of a file. */
    const unsigned char *memory;
    size_t memory_size;
    /* How many bytes were read from the file. */
    uint64_t file_offset;
    bool at_end;
    /* Why it could not be read on, and errno where it was read(2) that failed. */
    struct text error;
    int read_errno;
    /* NULL until input_watch, and how many bytes were read since the last report. */
    input_read_fn *on_read;
    void *context;
    atomic_size_t n_unreported;
    /* NULL until input_follow. */
    input_wait_fn *wait;
    void *wait_context;

    /* The bytes in memory: buffer[start .. start + size). */
    unsigned char *buffer;
    size_t capacity;
    size_t start;
    size_t size;
    /* How many bytes before them were dropped. */
    uint64_t consumed;

    /* NULL for what is not compressed. */
    struct decompressor *decompressor;
    /* NULL until another thread decompresses. Until it has come to the end, the
     * decompressor, file_offset and read_errno are that thread's. */
    struct read_ahead *ahead;
    bool may_read_ahead;
};

static void set_error(struct input *in, const char *what)
{
    uint64_t offset = in->file_offset;

    in->at_end = true;
    if (in->error.size > 0)
        return;
    if (in->decompressor != NULL)
        offset -= decompressor_rest(in->decompressor);
    text_printf(&in->error, "%s at byte %llu of the file", what,
                (unsigned long long)offset);
    text_char(&in->error, '\0');
}

static void report_read(struct input *in)
{
    size_t n_bytes;

    if (in->on_read == NULL)
        return;
    n_bytes = atomic_exchange(&in->n_unreported, 0);
    if (n_bytes > 0)
        in->on_read(in->context, n_bytes);
}

/* Reads from the file: a decompress_read_fn. Returns 0 at its end and after an error. */
static size_t read_file(void *context, void *to, size_t size)
{
    struct input *in = (struct input *)context;
    ssize_t n;

    if (in->memory != NULL) {
        n = (ssize_t)(in->memory_size < size ? in->memory_size : size);
        memcpy(to, in->memory, (size_t)n);
        in->memory += n;
        in->memory_size -= (size_t)n;
    } else {
        do {
            n = read(in->fd, to, size);
        } while (n < 0 && errno == EINTR);
    }
    if (n < 0) {
        in->read_errno = errno;
        return 0;
    }
    in->file_offset += (uint64_t)n;
    atomic_fetch_add(&in->n_unreported, (size_t)n);
    return (size_t)n;
}

/* ---- filling ---- */

/* A read_ahead_fn. */
static size_t decompress(void *context, void *to, size_t size)
{
    struct input *in = (struct input *)context;

    return decompressor_read(in->decompressor, to, size);
}

static size_t read_compressed(struct input *in, void *to, size_t size)
{
    if (in->may_read_ahead && in->consumed + in->size >= ALONE) {
        in->may_read_ahead = false;
        in->ahead = read_ahead_start(decompress, in);
    }
    return in->ahead != NULL ? read_ahead_read(in->ahead, to, size)
                             : decompress(in, to, size);
}

/* An error of the file comes before that of the data which ends with it. */
static void end_reading(struct input *in)
{
    in->at_end = true;
    if (in->read_errno != 0)
        set_error(in, strerror(in->read_errno));
    else if (in->decompressor != NULL && decompressor_error(in->decompressor) != NULL)
        set_error(in, decompressor_error(in->decompressor));
}

static size_t read_some(struct input *in, void *to, size_t size)
{
    size_t n;

    do
        n = in->decompressor != NULL ? read_compressed(in, to, size)
                                     : read_file(in, to, size);
    while (n == 0 && in->read_errno == 0 && in->wait != NULL &&
           in->wait(in->wait_context));
    report_read(in);
    if (n == 0)
        end_reading(in);
    return n;
}

void input_follow(struct input *in, input_wait_fn *wait, void *context)
{
    if (in->decompressor != NULL)
        return;
    in->wait = wait;
    in->wait_context = context;
    in->at_end = in->error.size > 0;
}

/* How many bytes can be read after those in memory: whole pages, so that a file is read
 * in whole pages, too. */
static size_t buffer_room(const struct input *in)
{
    return (in->capacity - in->start - in->size) / PAGE * PAGE;
}

/* Moves the bytes in memory to the front, to where they end at the beginning of a page:
 * the kernel copies from page to page much faster than to anywhere else. */
static void move_to_front(struct input *in)
{
    size_t start = (size_t)(0 - ((uintptr_t)in->buffer + in->size)) % PAGE;

    memmove(in->buffer + start, in->buffer + in->start, in->size);
    in->start = start;
}

/* Makes room for more bytes after those in memory: moves them if more before them were
 * consumed, so that no byte is moved often, else doubles the buffer. */
static void make_room(struct input *in)
{
    if (in->capacity == 0 || (buffer_room(in) == 0 && in->start <= in->size)) {
        in->capacity = in->capacity > 0 ? in->capacity * 2 : PIECE + 2 * PAGE;
        in->buffer = memory_reallocate(in->buffer, in->capacity);
    }
    if (in->size == 0 || buffer_room(in) == 0)
        move_to_front(in);
}

bool input_want(struct input *in, size_t size)
{
    while (in->size < size && !in->at_end) {
        make_room(in);
        in->size += read_some(in, in->buffer + in->start + in->size, buffer_room(in));
    }
    return in->size >= size;
}

uint64_t input_stated_size(const struct input *in)
{
    struct stat status;
    off_t pos;

    if (in->decompressor != NULL || in->fd < 0 || fstat(in->fd, &status) != 0 ||
        !S_ISREG(status.st_mode))
        return 0;
    pos = lseek(in->fd, 0, SEEK_CUR);
    if (pos < 0 || status.st_size < pos)
        return 0;
    return (uint64_t)(status.st_size - pos) + in->size;
}

bool input_has_more_than(struct input *in, uint64_t size)
{
    uint64_t stated = input_stated_size(in);

    if (stated > 0)
        return stated > size;
    return size < SIZE_MAX && input_want(in, (size_t)size + 1);
}

void input_consume(struct input *in, size_t size)
{
    in->start += size;
    in->size -= size;
    in->consumed += size;
}

uint64_t input_offset(const struct input *in)
{
    return in->consumed;
}

const unsigned char *input_data(const struct input *in)
{
    return in->buffer + in->start;
}

size_t input_size(const struct input *in)
{
    return in->size;
}

const char *input_error(const struct input *in)
{
    return in->error.size > 0 ? in->error.data : NULL;
}

/* ---- opening ---- */

/* Of anything else than a file, another thread could wait for bytes that never come. */
static bool may_read_ahead(const struct input *in)
{
    struct stat status;

    return in->fd >= 0 && fstat(in->fd, &status) == 0 && S_ISREG(status.st_mode) &&
           parallel_cpus() > 1;
}

/* The first bytes, which are in memory, decide how the rest is read. */
static struct input *start_input(struct input *in)
{
    enum compression compression;

    input_want(in, MAGIC_BYTES);
    compression = magic_compression(in->buffer + in->start, in->size);
    if (!decompressor_exists(compression))
        return in;
    in->decompressor =
        decompressor_create(compression, read_file, in, in->buffer + in->start, in->size);
    in->size = 0;
    in->at_end = in->error.size > 0;
    in->may_read_ahead = may_read_ahead(in);
    return in;
}

/* Gives back what is no memory of ours. */
static void release_input(void *context)
{
    struct input *in = (struct input *)context;

    read_ahead_stop(in->ahead);
    in->ahead = NULL;
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    decompressor_free(in->decompressor);
    in->decompressor = NULL;
}

static struct input *make_input(void)
{
    struct input *in = memory_allocate(sizeof(*in));

    in->fd = -1;
    memory_cleanup_add(&in->cleanup, release_input, in);
    return in;
}

struct input *input_from_memory(const void *data, size_t size)
{
    struct input *in = make_input();

    in->memory = (const unsigned char *)(size > 0 ? data : "");
    in->memory_size = size;
    return start_input(in);
}

static bool is_directory(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Returns -1, with the reason added to `why`, if that cannot be. */
static int open_file(const char *name, struct text *why)
{
    bool is_stdin = strcmp(name, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && is_directory(fd)) {
        if (!is_stdin)
            close(fd);
        fd = -1;
        errno = EISDIR;
    }
    if (fd < 0)
        text_str(why, strerror(errno));
    return fd;
}

/* Returns false, with the reason added to `why`, if nothing of it can be read. */
static bool is_readable(const struct input *in, struct text *why)
{
    const char *other = magic_find_other(in->buffer + in->start, in->size);

    if (in->read_errno != 0 && in->file_offset == 0)
        text_str(why, strerror(in->read_errno));
    else if (in->decompressor == NULL && other != NULL)
        text_printf(why,
                    "compressed with %s, which is not supported: put '%s -dc FILE |' "
                    "before the command",
                    other, other);
    else
        return true;
    return false;
}

struct input *input_open(const char *name, struct text *why)
{
    struct input *in = make_input();

    in->fd = open_file(name, why);
    if (in->fd < 0 || !is_readable(start_input(in), why)) {
        input_close(in);
        return NULL;
    }
    return in;
}

struct input *input_open_at(const char *name, uint64_t offset, struct text *why)
{
    struct input *in = make_input();

    in->fd = open_file(name, why);
    if (in->fd < 0) {
        input_close(in);
        return NULL;
    }
    in->file_offset = offset;
    if (offset > INT64_MAX || lseek(in->fd, (off_t)offset, SEEK_SET) < 0) {
        text_str(why, strerror(errno));
        input_close(in);
        return NULL;
    }
    return in;
}

void input_watch(struct input *in, input_read_fn *on_read, void *context)
{
    in->on_read = on_read;
    in->context = context;
    report_read(in);
}

void input_close(struct input *in)
{
    memory_cleanup_remove(&in->cleanup);
    release_input(in);
    memory_release(in->buffer);
    text_free(&in->error);
    memory_release(in);
}
