/* SPDX-License-Identifier: BSD-2-Clause */
/* See take.h: what is in blocks. */
#include "take.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "common/base/io/output.h"

enum { PIECE = 1 << 16 };

/* Reads `size` bytes of the process that has a thread; returns how many there are. */
static size_t read_memory(uint64_t thread, uint64_t address, void *to, size_t size)
{
    uintptr_t at = (uintptr_t)address;
    struct iovec local = {to, size};
    struct iovec remote = {NULL, size};
    ssize_t n;

    memcpy(&remote.iov_base, &at, sizeof(at));
    n = process_vm_readv((pid_t)thread, &local, 1, &remote, 1, 0);
    return n > 0 ? (size_t)n : 0;
}

/* Returns whether all of it was there. */
static bool copy_block(uint64_t thread, const struct table_block *block,
                       struct output *output)
{
    char bytes[PIECE];
    uint64_t at = 0;

    while (at < block->size) {
        uint64_t left = block->size - at;
        size_t wanted = left < PIECE ? (size_t)left : PIECE;
        size_t n = read_memory(thread, block->address + at, bytes, wanted);

        if (n == 0)
            return false;
        output_write(output, bytes, n);
        at += n;
    }
    return true;
}

static bool write_block(uint64_t thread, const struct table_block *block,
                        const char *directory, uint64_t *n_missing, struct text *why)
{
    char *path = text_format("%s/0x%" PRIx64, directory, (uint64_t)block->address);
    struct output *output = output_open(path, false, why);
    bool good = false;

    if (output != NULL) {
        *n_missing += !copy_block(thread, block, output);
        good = output_close(output, true, why);
    }
    memory_release(path);
    return good;
}

/* What is in a heap is not for everybody. */
static bool make_directory(const char *path, bool may_exist, struct text *why)
{
    if (mkdir(path, S_IRWXU) == 0 || (errno == EEXIST && may_exist))
        return true;
    return text_fail(why, "%s: %s", path, strerror(errno));
}

/* If the process may not be read, that is reported once, and not for each block. */
static bool can_read(const struct table_copy *copy, uint64_t thread, struct text *why)
{
    char byte;

    for (size_t i = 0; i < copy->n_blocks; i++) {
        errno = 0;
        if (copy->blocks[i].size == 0)
            continue;
        if (read_memory(thread, copy->blocks[i].address, &byte, 1) == 1)
            return true;
        if (errno != EFAULT)
            break;
    }
    if (errno == 0 || errno == EFAULT)
        return true;
    return text_fail(why, "the memory of process %" PRIu64 " cannot be read: %s",
                     copy->head.process, strerror(errno));
}

bool contents_write(const struct table_copy *copy, uint64_t thread, const char *directory,
                    uint64_t *n_missing, struct text *why)
{
    const char *path = text_format("%s/%" PRIu64, directory, copy->head.process);
    bool good = can_read(copy, thread, why) && make_directory(directory, true, why) &&
                make_directory(path, false, why);

    *n_missing = 0;
    for (size_t i = 0; good && i < copy->n_blocks; i++)
        good = write_block(thread, &copy->blocks[i], path, n_missing, why);
    return good;
}
