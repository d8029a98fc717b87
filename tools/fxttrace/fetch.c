/* SPDX-License-Identifier: BSD-2-Clause */
/* See actions.h: what a program has traced out of its memory, as an archive. */
#include "actions.h"

#include <inttypes.h>

#include "common/base/io/output.h"
#include "common/base/memory.h"
#include "common/base/sort.h"
#include "tools/common/report.h"
#include "traced.h"

enum { CHUNKS_AT_ONCE = 256 };

struct begun_chunk {
    uint64_t begun;
    uint32_t n_begun;
    uint32_t number;
};

struct fetching {
    const struct target *target;
    const char *name;
    struct traced traced;
    struct begun_chunk *chunks;
    size_t n_chunks;
    size_t capacity;
    struct output *output;
    /* What was overwritten while it was read, could not be read, or was no record. */
    uint64_t n_overwritten;
    uint64_t n_unread;
    uint64_t n_damaged;
};

/* ---- Which chunks ------------------------------------------------------------------ */

SORT_ORDER(order_chunks, struct begun_chunk, BY(begun));

static uint64_t describing_address(const struct fetching *f, uint32_t chunk)
{
    return traced_address(f->traced.file.chunks) +
           (uint64_t)chunk * sizeof(struct fxt_trace_chunk_);
}

static bool list_chunks(struct fetching *f)
{
    struct fxt_trace_chunk_ some[CHUNKS_AT_ONCE];
    uint32_t n = f->traced.file.n_chunks;

    for (uint32_t first = 0; first < n; first += CHUNKS_AT_ONCE) {
        uint32_t count = n - first < CHUNKS_AT_ONCE ? n - first : CHUNKS_AT_ONCE;

        if (!target_read(f->target, describing_address(f, first), some,
                         count * sizeof(*some)))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            struct begun_chunk chunk = {some[i].begun, some[i].n_begun, first + i};

            if (chunk.n_begun > 0)
                MEMORY_ADD(f->chunks, f->n_chunks, f->capacity, chunk);
        }
    }
    SORT(f->chunks, f->n_chunks, order_chunks);
    return true;
}

/* ---- One chunk --------------------------------------------------------------------- */

/* A record is stored before its header: what is read after the headers has all of each
 * record that they are of. */
static uint64_t read_chunk(struct fetching *f, const struct begun_chunk *chunk,
                           uint64_t *words)
{
    uint64_t address = traced_address(f->traced.file.words) + FXT_TRACE_HEADER_BYTES_ +
                       (uint64_t)chunk->number * FXT_TRACE_CHUNK_BYTES;
    struct fxt_trace_chunk_ now;
    uint64_t n_words;

    if (!target_read(f->target, address, words, FXT_TRACE_CHUNK_BYTES)) {
        f->n_unread++;
        return 0;
    }
    n_words = traced_records_end(words, 0, &f->n_damaged);
    if (f->target->core != NULL)
        return n_words;
    if (!target_read(f->target, address, words, (size_t)n_words * FXT_WORD_BYTES) ||
        !target_read(f->target, describing_address(f, chunk->number), &now,
                     sizeof(now))) {
        f->n_unread++;
        return 0;
    }
    if (now.n_begun == chunk->n_begun)
        return n_words;
    f->n_overwritten++;
    return 0;
}

/* ---- All --------------------------------------------------------------------------- */

static void report_parts(const struct fetching *f, uint64_t n, const char *what)
{
    if (n > 0)
        complain(FXTTRACE_PROGRAM, f->name, "of %zu parts of %d bytes, %" PRIu64 " %s",
                 f->n_chunks, FXT_TRACE_CHUNK_BYTES, n, what);
}

static bool write_chunks(struct fetching *f)
{
    uint64_t *words = memory_allocate(FXT_TRACE_CHUNK_BYTES);

    for (size_t i = 0; i < f->n_chunks && !output_failed(f->output); i++) {
        uint64_t n_words = read_chunk(f, &f->chunks[i], words);

        output_write(f->output, words, (size_t)n_words * FXT_WORD_BYTES);
    }
    report_parts(f, f->n_overwritten,
                 "were overwritten by newer events while they were read");
    report_parts(f, f->n_unread, "could not be read");
    report_parts(f, f->n_damaged, "are damaged, and were cut there");
    return f->n_unread == 0 && f->n_damaged == 0;
}

static enum fxttrace_status write_archive(struct fetching *f, const uint64_t *header,
                                          const char *output)
{
    struct text why = {NULL, 0, 0};
    bool good = true;

    f->output = output_open(output, true, &why);
    if (f->output != NULL) {
        output_write(f->output, header, FXT_TRACE_HEADER_BYTES_);
        good = write_chunks(f);
    }
    if (f->output == NULL || !output_close(f->output, true, &why)) {
        complain_text(FXTTRACE_PROGRAM, output != NULL ? output : "standard output",
                      &why);
        return FXTTRACE_BAD;
    }
    return good ? FXTTRACE_GOOD : FXTTRACE_BAD;
}

/* A core dump has no mapped files: then the file itself has everything. */
static enum fxttrace_status report_unread(const struct fetching *f)
{
    if (f->traced.path[0] != '\0')
        complain(FXTTRACE_PROGRAM, f->name,
                 "what it traced is in its file, which is whole: %s", f->traced.path);
    else
        complain(FXTTRACE_PROGRAM, f->name, "%s", traced_reason(TRACED_UNREADABLE));
    return FXTTRACE_BAD;
}

static enum fxttrace_status fetch_found(struct fetching *f, const char *output)
{
    uint64_t header[FXT_TRACE_HEADER_WORDS_];

    if (!f->traced.has_file) {
        complain(FXTTRACE_PROGRAM, f->name, "has traced nothing");
        return FXTTRACE_BAD;
    }
    if (f->traced.file.streams) {
        complain(FXTTRACE_PROGRAM, f->name, "what it traces is streamed to %s",
                 f->traced.path);
        return FXTTRACE_BAD;
    }
    if (!target_read(f->target, traced_address(f->traced.file.words), header,
                     sizeof(header)) ||
        !list_chunks(f))
        return report_unread(f);
    if (header[0] != FXT_MAGIC_RECORD) {
        complain(FXTTRACE_PROGRAM, f->name,
                 f->traced.file.is_open ? "its session begins or ends just now"
                                        : "its session has ended, and is not in memory");
        return FXTTRACE_BAD;
    }
    return write_archive(f, header, output);
}

enum fxttrace_status fetch(const struct target *target, const char *name,
                           const char *output)
{
    struct fetching f = {.target = target, .name = name};
    enum traced_result result = traced_find(&f.traced, target);
    enum fxttrace_status status = FXTTRACE_BAD;

    if (result == TRACED_FOUND)
        status = fetch_found(&f, output);
    else
        complain(FXTTRACE_PROGRAM, name, "%s", traced_reason(result));
    return status;
}
