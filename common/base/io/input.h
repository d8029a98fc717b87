/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file, a pipe or standard input as chunks of bytes, decompressed if its first bytes
 * are those of gzip or zstd. Files are read, not mapped: a mapped file that shrinks kills
 * the program, and a pipe cannot be mapped at all.
 */
#ifndef BASE_IO_INPUT_H
#define BASE_IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

struct input;

/* Opens a file, or standard input for "-". Returns NULL and adds the reason to `why` on
 * failure, including an error at the very first read, and data that is compressed in
 * another format. */
struct input *input_open(const char *name, struct text *why);

/* Opens a file at a byte offset and reads it without decompression. */
struct input *input_open_at(const char *name, uint64_t offset, struct text *why);

/* The size of a regular file that is not compressed, from the position where reading
 * starts, according to the file system; 0 for everything else. */
uint64_t input_stated_size(const struct input *input);

/* Takes over memory that stays the caller's; for tests and fuzzing. */
struct input *input_from_memory(const void *data, size_t size);

void input_close(struct input *input);

/* From now on `wait` is called at the end of a file that may grow, and is not compressed:
 * it returns whether to try again, when it has waited as long as it sees fit. */
typedef bool input_wait_fn(void *context);
void input_follow(struct input *input, input_wait_fn *wait, void *context);

/* Reports how many more bytes were read from the file, before they are decompressed. */
typedef void input_read_fn(void *context, size_t n_bytes);

/* Calls `on_read` for each read from here on, and now for those before. */
void input_watch(struct input *input, input_read_fn *on_read, void *context);

/* What is in memory: the next bytes of the (decompressed) input. Valid until the next
 * call with this input. */
const unsigned char *input_data(const struct input *input);
size_t input_size(const struct input *input);

/* How many bytes were consumed: the offset in the whole input of what is in memory. */
uint64_t input_offset(const struct input *input);

/* Drops the first `size` bytes of what is in memory. */
void input_consume(struct input *input, size_t size);

/*
 * Tries to have at least `size` bytes in memory, and more where it is cheap. Memory grows
 * with the bytes that arrive, not with the size requested. Returns true if `size` bytes
 * are there; false at the end of the input, or after an error; what could be read is in
 * memory nevertheless.
 */
bool input_want(struct input *input, size_t size);

/* Whether more than `size` bytes remain, including those in memory. For a regular file
 * this is its size; of anything else as much is read ahead. */
bool input_has_more_than(struct input *input, uint64_t size);

/* Why the input ended early, or NULL: a sentence that names the place in the file. It
 * belongs to the input. */
const char *input_error(const struct input *input);

#endif
