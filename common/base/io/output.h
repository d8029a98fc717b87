/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a tool's results go: standard output, or a file that appears under its name only
 * once it is whole, with the owner and the permissions of a file that it replaces. Every
 * write is checked; the first failure is kept and reported at the end; no partial file
 * remains then.
 */
#ifndef BASE_IO_OUTPUT_H
#define BASE_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"
#include "new_file.h"

struct output;

/* For programs: opens for writing; NULL or "-" is standard output. Binary is refused on a
 * terminal. On failure returns NULL and adds the reason to `why`. */
struct output *output_open(const char *name, bool binary, struct text *why);

/* Whether the output would take the place of an input: of a file by that name, or of the
 * one that standard input is, for "-". */
bool output_replaces(const char *name, const char *input);

/* Whether there is a file of this name that is not a regular one, such as /dev/null, and
 * is written in place. */
bool output_is_special(const char *name);

/* For libraries: a file of any name, without signal handlers; if the program ends before
 * the file is complete, the temporary file remains, whose name has a dot and six more
 * characters. A failure also leaves its reason in errno. */
struct output *output_open_file(const char *name, struct text *why);

/* Takes the next bytes, and returns 0; anything else is a failure to write them. */
typedef int output_fn(void *context, const void *data, size_t size);

/* Gives what is written to a function, which is called outside of memory_run. */
struct output *output_to_function(output_fn *function, void *context);

/* Writes to memory, which is the caller's to free; for tests and fuzzing. */
struct output *output_to_memory(struct text *memory);

/* Opens a file as output_open_file does, under a temporary name of another kind. */
struct output *output_open_with(const struct output_maker *maker, const char *name,
                                struct text *why);

/* Standard output. */
struct output *output_standard(void);

/* From here on, what is written is compressed with gzip, or with zstd, in builds that
 * have it. The same content always gives the same bytes. */
void output_compress(struct output *output);
void output_compress_zstd(struct output *output);

/* What is written in pieces of this size or larger is not copied on the way. */
enum { OUTPUT_PIECE_BYTES = 1 << 18 };

void output_write(struct output *output, const void *data, size_t size);

/* The same as a callback, whose context is the output. Returns other than 0 once a write
 * has failed. */
int output_take(void *context, const void *data, size_t size);

/* Writes what is in `text` and empties it. */
void output_text(struct output *output, struct text *text);

/* Writes what is buffered, and gives the file its name now, though there is more to come:
 * from then on, it stays whatever happens. Returns false on failure; after one of
 * output_write_whole, the file has its name all the same, with what was written before.
 */
bool output_publish(struct output *output);

/* Writes all of this now, or nothing: where that fails, a file is cut to the size that it
 * had. For outputs that are not compressed. It is tried even after a failure, of which
 * output_close reports the first. */
bool output_write_whole(struct output *output, const void *data, size_t size);

/* A file that has a temporary name has a lock from now on, until it is closed, by which
 * others see that it is being written; see file_lock.h. */
void output_lock(struct output *output);

/* The name that a file has until it is complete, for what writes a file by its name; NULL
 * for what is written in place. */
const char *output_temporary(const struct output *output);

/* True once a write has failed; continuing is then pointless. */
bool output_failed(const struct output *output);

/* Ends the output, and closes it even if it is standard output; if `keep` is false a file
 * is removed instead, and standard output stays open. Returns false, with the reason
 * added to `why` and in errno, if not everything was written. */
bool output_close(struct output *output, bool keep, struct text *why);

#endif
