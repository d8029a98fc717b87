/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far the reading of all inputs is, in one line on standard error:
 *
 *     fxt2folded: 410 of 1024 MiB read
 *
 * It is there only if standard error is a terminal, from the first second on, and goes
 * before anything else is said. A program has one, which is why there is no object.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdint.h>

/* `total` is how many bytes the inputs have; 0 if that is not known. */
void progress_start(const char *program, uint64_t total);

/* So many bytes more were read. From any thread. */
void progress_add(uint64_t size);

/* Takes the line away, until there is more to tell; from any thread. What is printed on
 * standard error is to be printed behind this. */
void progress_hide(void);

void progress_end(void);

#endif
