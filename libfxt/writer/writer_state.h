/* SPDX-License-Identifier: BSD-2-Clause */
/* A writer's state, and the small steps that its files share. */
#ifndef LIBFXT_WRITER_WRITER_STATE_H
#define LIBFXT_WRITER_WRITER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>
#include <fxt/writer.h>

#include "assign_refs.h"
#include "libfxt/memory.h"
#include "write_buffer.h"

/* The sources of packed records, with what each has registered. */
struct packed_source {
    uint32_t id;
    struct fxt_reader *reader;
};

struct packed_sources {
    struct packed_source *items;
    size_t n;
    size_t capacity;
    /* What became of the records of one call: the first fault. */
    enum fxt_code fault;
};

void packed_sources_free(struct packed_sources *sources, struct memory *memory);

/* A file that a writer opened, and closes. */
struct write_file {
    /* -1 while none is open. */
    int fd;
    /* The errno of the first failure, or 0. */
    int error;
};

/* Returns false, with errno, if it cannot be opened. */
bool write_file_open(struct write_file *file, const char *path);

/* A fxt_write_fn; `context` is a struct write_file. */
int write_file_write(void *context, const void *data, size_t size);

/* Does nothing if none is open. Returns false if closing failed: what was written may
 * then be lost. */
bool write_file_close(struct write_file *file);

struct fxt_writer {
    /* For the writer and its buffer, and for its tables. */
    struct memory own;
    struct memory kept;
    struct ref_assigner assigner;
    struct write_buffer out;
    /* What fxt_writer_open opened. */
    struct write_file file;
    struct packed_sources packed;
    /* Words are not in this machine's byte order. */
    bool swapped;

    /* A blob has been begun, and this much of its payload is to come; then come zeros. */
    bool in_blob;
    uint64_t blob_left;
    unsigned blob_padding;

    bool finished;
    /* The first code that a call returned, other than FXT_OK. */
    enum fxt_code first_fault;
};

/* Keeps the first code that is not FXT_OK for fxt_writer_finish. */
static inline enum fxt_code writer_note(struct fxt_writer *w, enum fxt_code code)
{
    if (FXT_UNLIKELY(code != FXT_OK) && w->first_fault == FXT_OK)
        w->first_fault = code;
    return code;
}

/* Whether a call that does not continue a blob is allowed. */
static inline enum fxt_code writer_check_turn(const struct fxt_writer *w, bool in_blob)
{
    if (FXT_UNLIKELY(w->out.failed))
        return FXT_E_SINK;
    return w->in_blob == in_blob && !w->finished ? FXT_OK : FXT_E_OUT_OF_ORDER;
}

/* How many zero bytes follow a payload. */
static inline unsigned writer_padding(uint64_t size)
{
    return (unsigned)(-size % FXT_WORD_BYTES);
}

/* Buffers a record and the registrations that it needs, of a large record all but what
 * encode_rest returns; or nothing at all. */
enum fxt_code writer_buffer_record(struct fxt_writer *w, const struct fxt_record *record);

/* Ends a blob that was begun, with zeros for what is missing of its payload. */
enum fxt_code writer_end_blob(struct fxt_writer *w);

#endif
