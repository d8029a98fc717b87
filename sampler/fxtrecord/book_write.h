/* SPDX-License-Identifier: BSD-2-Clause */
/* What the book knows as records of an archive. */
#ifndef FXTRECORD_BOOK_WRITE_H
#define FXTRECORD_BOOK_WRITE_H

#include <stdint.h>

#include <fxt/writer.h>

#include "book.h"

/* The same moment by two clocks. */
struct book_moment {
    uint64_t monotonic_ns;
    uint64_t wall_ns;
};

/* From here on, what is written is this provider's, whose clock is the monotonic one. */
void book_write_provider(struct fxt_writer *writer, uint32_t id, const char *name,
                         struct book_moment moment);

/* The processes and threads that were sampled. */
void book_write_objects(struct fxt_writer *writer, const struct book *book);

/* The modules of a process as they are written, each with the next number. */
struct book_modules {
    struct fxt_writer *writer;
    pid_t process;
    uint64_t time_ns;
    uint32_t id;
};

struct book_placed {
    uint64_t start;
    uint64_t length;
    uint64_t vaddr;
    uint32_t flags;
};

/* All that a process has mapped, with its modules. */
void book_write_mappings(struct book_modules *modules, const struct book *book,
                         const struct book_entry *process);

/* A module, and a mapping of the last one. */
void book_write_module(struct book_modules *modules, const struct image *image);
void book_write_mapping(const struct book_modules *modules, struct book_placed placed);

#endif
