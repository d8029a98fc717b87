/* SPDX-License-Identifier: BSD-2-Clause */
/* See target.h. */
#include "target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/elf/elf_headers.h"
#include "common/processes/proc_file.h"
#include "common/processes/proc_read.h"

static void add_part(struct target *target, uint64_t address, uint64_t size,
                     uint64_t offset)
{
    struct target_part part = {address, size, offset};

    MEMORY_ADD(target->parts, target->n_parts, target->part_capacity, part);
}

/* ---- Processes --------------------------------------------------------------------- */

static void read_maps(struct target *target)
{
    char path[64];
    struct proc_file *file;
    char *line;

    snprintf(path, sizeof(path), "/proc/%ld/maps", (long)target->process);
    file = proc_file_open(path);
    if (file == NULL)
        return;
    while ((line = proc_file_line(file)) != NULL) {
        struct file_mapping mapping;

        if (proc_read_parse_mapping(line, &mapping) &&
            (mapping.flags & FXT_MAPPING_WRITE) != 0 && mapping.identity.inode != 0)
            add_part(target, mapping.start, mapping.length, 0);
    }
    proc_file_close(file);
}

bool target_open_process(struct target *target, pid_t process, bool for_writing)
{
    char path[64];

    *target = (struct target){.process = process};
    snprintf(path, sizeof(path), "/proc/%ld/mem", (long)process);
    target->memory = open(path, (for_writing ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (target->memory < 0)
        return false;
    read_maps(target);
    return true;
}

/* ---- Core dumps -------------------------------------------------------------------- */

SORT_ORDER(order_parts, struct target_part, BY(address));

/* Of segments that overlap, which no kernel writes, the first in the file is found. */
static void read_segments(struct target *target, const struct elf_headers *headers)
{
    for (uint64_t i = 0; i < headers->n_segments; i++) {
        struct elf_segment segment;

        if (elf_segment_read(headers, i, &segment) && segment.type == PT_LOAD &&
            (segment.flags & PF_W) != 0 && segment.file_size > 0 &&
            segment.file_size <= UINT64_MAX - segment.vaddr &&
            segment.offset <= file_size(target->core))
            add_part(target, segment.vaddr, segment.file_size, segment.offset);
    }
    SORT(target->parts, target->n_parts, order_parts);
}

bool target_open_core(struct target *target, const char *name, struct text *why)
{
    struct elf_headers headers;

    *target = (struct target){.memory = -1, .core = file_open(name, why)};
    if (target->core == NULL || !elf_headers_read(&headers, target->core, why))
        return false;
    if (headers.type != ET_CORE || !headers.is_64 || headers.swapped)
        return text_fail(why,
                         "is no core dump of a program of 64 bits in this byte order");
    read_segments(target, &headers);
    return true;
}

/* The last part that begins at an address or before. */
static const struct target_part *find_part(const struct target *target, uint64_t address)
{
    size_t n = search_up_to(target->parts, target->n_parts, sizeof(*target->parts),
                            offsetof(struct target_part, address), address);

    return n > 0 ? &target->parts[n - 1] : NULL;
}

/* A mapping may be several segments. */
static bool read_core(const struct target *target, uint64_t address, char *to,
                      size_t size)
{
    while (size > 0) {
        const struct target_part *part = find_part(target, address);
        uint64_t skipped = part != NULL ? address - part->address : 0;
        size_t n = size;

        if (part == NULL || skipped >= part->size)
            return false;
        if (n > part->size - skipped)
            n = (size_t)(part->size - skipped);
        if (skipped > UINT64_MAX - part->offset ||
            !file_read(target->core, part->offset + skipped, to, n))
            return false;
        address += n;
        to += n;
        size -= n;
    }
    return true;
}

/* ---- Reading and writing ----------------------------------------------------------- */

/* What offsets of files can be. */
static bool is_address(uint64_t address, size_t size)
{
    return address <= INT64_MAX && size <= INT64_MAX - address;
}

bool target_read(const struct target *target, uint64_t address, void *to, size_t size)
{
    char *bytes = to;

    if (!is_address(address, size))
        return false;
    if (target->core != NULL)
        return read_core(target, address, bytes, size);
    while (size > 0) {
        ssize_t n = pread(target->memory, bytes, size, (off_t)address);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        address += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool target_write(const struct target *target, uint64_t address, const void *from,
                  size_t size)
{
    return target->core == NULL && is_address(address, size) &&
           pwrite(target->memory, from, size, (off_t)address) == (ssize_t)size;
}

void target_close(struct target *target)
{
    if (target->memory >= 0)
        close(target->memory);
    if (target->core != NULL)
        file_close(target->core);
    memory_release(target->parts);
}
