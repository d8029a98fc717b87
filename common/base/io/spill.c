/* SPDX-License-Identifier: BSD-2-Clause */
/* See spill.h. */
#include "spill.h"

#include <assert.h>
#include <stdio.h>
#include <unistd.h>

/* Allocated, as a spill may be on the stack of a function that is left by a failure. */
struct spill_file {
    struct memory_cleanup cleanup;
    FILE *stream;
};

static bool write_all(int fd, const char *data, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t n = pwrite(fd, data, size, (off_t)offset);

        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

static void close_stream(void *context)
{
    fclose((FILE *)context);
}

/* Returns NULL if there can be no temporary file. */
static struct spill_file *open_file(void)
{
    struct spill_file *file = (struct spill_file *)memory_allocate(sizeof(*file));

    file->stream = tmpfile();
    if (file->stream == NULL) {
        memory_release(file);
        return NULL;
    }
    memory_cleanup_add(&file->cleanup, close_stream, file->stream);
    return file;
}

/* What was written only in part is written over, or never read. */
bool spill_move(struct spill *s)
{
    if (s->file == NULL)
        s->file = open_file();
    if (s->file == NULL ||
        !write_all(fileno(s->file->stream), s->bytes.data, s->bytes.size, s->n_filed))
        return false;
    s->n_filed += s->bytes.size;
    s->bytes.size = 0;
    return true;
}

static size_t read_file(const struct spill *s, uint64_t offset, void *to, size_t size)
{
    ssize_t n;

    if (size > s->n_filed - offset)
        size = (size_t)(s->n_filed - offset);
    n = pread(fileno(s->file->stream), to, size, (off_t)offset);
    if (n <= 0)
        memory_fail("a temporary file cannot be read");
    return (size_t)n;
}

size_t spill_read(const struct spill *s, uint64_t offset, void *to, size_t size)
{
    size_t n_left;

    assert(offset < spill_size(s) && size > 0);
    if (offset < s->n_filed)
        return read_file(s, offset, to, size);
    n_left = (size_t)(spill_size(s) - offset);
    if (size > n_left)
        size = n_left;
    memcpy(to, s->bytes.data + (offset - s->n_filed), size);
    return size;
}

void spill_free(struct spill *s)
{
    text_free(&s->bytes);
    if (s->file != NULL) {
        memory_cleanup_remove(&s->file->cleanup);
        fclose(s->file->stream);
        memory_release(s->file);
    }
    *s = (struct spill){.n_filed = 0};
}
