/* SPDX-License-Identifier: BSD-2-Clause */
/* See spill.h. */
#include "spill.h"

#include <assert.h>
#include <unistd.h>

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

static void close_file(void *context)
{
    fclose((FILE *)context);
}

/* What was written only in part is written over, or never read. */
bool spill_move(struct spill *s)
{
    if (s->file == NULL) {
        s->file = tmpfile();
        if (s->file == NULL)
            return false;
        memory_cleanup_add(&s->cleanup, close_file, s->file);
    }
    if (!write_all(fileno(s->file), s->bytes.data, s->bytes.size, s->n_filed))
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
    n = pread(fileno(s->file), to, size, (off_t)offset);
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
        memory_cleanup_remove(&s->cleanup);
        fclose(s->file);
    }
    *s = (struct spill){.n_filed = 0};
}
