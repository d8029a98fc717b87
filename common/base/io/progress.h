/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far the reading of all inputs is, in one line on standard error:
 *
 *     fxt2folded: 410 of 1024 MiB read
 *
 * or of a download:
 *
 *     fxt2folded: libxul.so: 12.5 of 730.1 MB downloaded
 *
 * It is there only if standard error is a terminal, of inputs from the first second on,
 * and is removed before anything else is printed. A program has one, which is why there
 * is no object.
 */
#ifndef BASE_IO_PROGRESS_H
#define BASE_IO_PROGRESS_H

#include <stdint.h>

#include "input.h"

/* `total` is how many bytes the inputs have; 0 if that is not known. */
void progress_start(const char *program, uint64_t total);

/* So many bytes more were read. From any thread. */
void progress_add(uint64_t size);

/* Adds what is read of an input from its file, as input_watch reports it. */
void progress_watch(struct input *input);

/* Shows instead how far a download is, of `n_all` bytes; 0 if that is not known. It is a
 * callback for libfxtprofile, and needs no context. */
void progress_download(void *context, const char *name, uint64_t size, uint64_t n_all);

/* Removes the line, until there is more progress to show; from any thread. Call this
 * before printing to standard error. */
void progress_hide(void);

void progress_end(void);

#endif
