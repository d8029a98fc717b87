/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads on another thread: what decompresses and what uses the bytes share the time of
 * two processors. */
#ifndef BASE_IO_READ_AHEAD_H
#define BASE_IO_READ_AHEAD_H

#include <stddef.h>

struct read_ahead;

/* Reads up to `size` bytes. Returns 0 at the end. Memory as of memory.h cannot run out in
 * it, and what it waits for comes. */
typedef size_t read_ahead_fn(void *context, void *to, size_t size);

/* From here on `read` is called on another thread, until it has returned 0 or
 * read_ahead_stop returns. Returns NULL, and nothing has changed, if there is no thread
 * to be had. */
struct read_ahead *read_ahead_start(read_ahead_fn *read, void *context);
void read_ahead_stop(struct read_ahead *ahead);

/* The next bytes, up to `size` of them, which is not 0. Returns 0 at the end: what `read`
 * has changed can be looked at then. */
size_t read_ahead_read(struct read_ahead *ahead, void *to, size_t size);

#endif
