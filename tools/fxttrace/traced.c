/* SPDX-License-Identifier: BSD-2-Clause */
/* See traced.h. */
#include "traced.h"

#include <stddef.h>
#include <string.h>

#include "common/base/memory.h"

enum { BLOCK_BYTES = 1 << 20 };

/* A terabyte. */
enum { CHUNKS_MAX = 1 << 25 };

struct search {
    const struct target *target;
    struct traced *traced;
    enum traced_result result;
    unsigned char *block;
};

/* ---- One program ------------------------------------------------------------------- */

uint64_t traced_address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static bool is_consistent(const struct fxt_trace_file_ *file)
{
    return file->n_chunks <= CHUNKS_MAX &&
           file->size >=
               FXT_TRACE_HEADER_BYTES_ + (uint64_t)file->n_chunks * FXT_TRACE_CHUNK_BYTES;
}

static bool read_state(struct traced *traced, const struct target *target)
{
    uint64_t state = traced_address(traced->control.state);
    struct fxt_trace_file_ *file;

    if (!target_read(target, state + offsetof(struct fxt_trace_state_, file), &file,
                     sizeof(file)) ||
        !target_read(target, state + offsetof(struct fxt_trace_state_, path),
                     traced->path, sizeof(traced->path)))
        return false;
    traced->path[sizeof(traced->path) - 1] = '\0';
    if (file == NULL)
        return true;
    traced->has_file =
        target_read(target, traced_address(file), &traced->file, sizeof(traced->file)) &&
        is_consistent(&traced->file);
    return traced->has_file;
}

static enum traced_result read_traced(struct traced *traced, const struct target *target,
                                      const struct fxt_trace_control_ *control)
{
    *traced = (struct traced){.control = *control};
    if (strncmp(control->magic, FXT_TRACE_MAGIC_ FXT_TRACE_VERSION_,
                sizeof(control->magic)) != 0)
        return TRACED_OTHER;
    if (!target_read(target, traced_address(control->session), &traced->session,
                     sizeof(traced->session)) ||
        (control->state != NULL && !read_state(traced, target)))
        return TRACED_UNREADABLE;
    return TRACED_FOUND;
}

/* ---- Searching --------------------------------------------------------------------- */

/* A program may have several copies, of which it uses one. */
static void take_control(struct search *s, const unsigned char *at)
{
    struct fxt_trace_control_ control;
    struct traced found;
    enum traced_result result;

    memcpy(&control, at, sizeof(control));
    result = read_traced(&found, s->target, &control);
    if (s->result != TRACED_FOUND || (result == TRACED_FOUND && control.is_used != 0)) {
        s->result = result;
        *s->traced = found;
    }
}

static bool is_settled(const struct search *s)
{
    return s->result == TRACED_FOUND && s->traced->control.is_used != 0;
}

static void search_block(struct search *s, size_t size)
{
    const size_t step = FXT_TRACE_CONTROL_ALIGNMENT_;
    const size_t magic = strlen(FXT_TRACE_MAGIC_);

    for (size_t at = 0; size - at >= sizeof(struct fxt_trace_control_); at += step) {
        if (memcmp(s->block + at, FXT_TRACE_MAGIC_, magic) == 0)
            take_control(s, s->block + at);
    }
}

/* Parts begin with a page, and a control is within one step. */
static void search_part(struct search *s, const struct target_part *part)
{
    for (uint64_t at = 0; at < part->size && !is_settled(s); at += BLOCK_BYTES) {
        size_t size = part->size - at < BLOCK_BYTES ? (size_t)(part->size - at)
                                                    : (size_t)BLOCK_BYTES;

        if (!target_read(s->target, part->address + at, s->block, size))
            break;
        search_block(s, size);
    }
}

enum traced_result traced_find(struct traced *traced, const struct target *target)
{
    struct search s = {.target = target, .traced = traced, .result = TRACED_NONE};

    _Static_assert(sizeof(struct fxt_trace_control_) <= FXT_TRACE_CONTROL_ALIGNMENT_,
                   "it would not be within one step");
    s.block = memory_allocate(BLOCK_BYTES);
    for (size_t i = 0; i < target->n_parts && !is_settled(&s); i++)
        search_part(&s, &target->parts[i]);
    memory_release(s.block);
    return s.result;
}

const char *traced_reason(enum traced_result result)
{
    switch (result) {
    case TRACED_NONE:
        return "does not use fxt/trace.h";
    case TRACED_OTHER:
        return "uses another version of fxt/trace.h than this fxttrace";
    case TRACED_UNREADABLE:
        return "has no readable session: its memory is damaged, or it has ended";
    case TRACED_FOUND:
        break;
    }
    return "uses fxt/trace.h";
}

uint64_t traced_records_end(const uint64_t *words, uint64_t at, uint64_t *n_damaged)
{
    while (at < FXT_TRACE_CHUNK_WORDS_) {
        uint64_t left = FXT_TRACE_CHUNK_WORDS_ - at;
        uint64_t n_words = FXT_GET(words[at], RECORD_WORDS);

        if (words[at] == 0 || words[at] == fxt_trace_rest_(left))
            break;
        if (n_words == 0 || n_words > left) {
            (*n_damaged)++;
            break;
        }
        at += n_words;
    }
    return at;
}

uint64_t traced_bytes(const struct traced *traced)
{
    uint64_t n = traced->file.n_begun;

    if (n > traced->file.n_chunks)
        n = traced->file.n_chunks;
    return FXT_TRACE_HEADER_BYTES_ + n * FXT_TRACE_CHUNK_BYTES;
}
