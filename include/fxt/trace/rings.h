/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: which thread writes where, and what is in a
 * chunk before its events. Not for direct use.
 *
 * Nothing here takes a lock: signal handlers may interrupt it anywhere and call it, too.
 */
#ifndef FXT_TRACE_RINGS_H
#define FXT_TRACE_RINGS_H

#include <sys/prctl.h>
#include <sys/syscall.h>

#include <fxt/trace/file.h>
#include <fxt/trace/names.h>

FXT_BEGIN_DECLS

uint32_t fxt_trace_session_ = 1;
FXT_TRACE_THREAD_LOCAL_ struct fxt_trace_thread_ fxt_trace_thread_
    __attribute__((__tls_model__("initial-exec")));

/* What the end of threads is noticed by is there. */
static uint32_t fxt_trace_has_key_;

/* ---- Rings ------------------------------------------------------------------------- */

static uint64_t fxt_trace_ring_head_(uint64_t before, uint32_t number)
{
    return ((before >> 32) + 1) << 32 | number;
}

static struct fxt_trace_ring_ *fxt_trace_reuse_ring_(struct fxt_trace_state_ *state)
{
    uint64_t head = __atomic_load_n(&state->free_rings, __ATOMIC_ACQUIRE);
    struct fxt_trace_ring_ *ring;

    do {
        if ((uint32_t)head == 0)
            return 0;
        ring = state->rings[(uint32_t)head];
    } while (!__atomic_compare_exchange_n(
        &state->free_rings, &head,
        fxt_trace_ring_head_(head, FXT_LOAD_RELAXED(&ring->next)), true, __ATOMIC_ACQUIRE,
        __ATOMIC_ACQUIRE));
    return ring;
}

static void fxt_trace_free_ring_(struct fxt_trace_state_ *state,
                                 struct fxt_trace_ring_ *ring)
{
    uint64_t head = FXT_LOAD_RELAXED(&state->free_rings);

    /* Another thread may have the same id. */
    ring->thread = 0;
    do {
        FXT_STORE_RELAXED(&ring->next, (uint32_t)head);
    } while (!__atomic_compare_exchange_n(&state->free_rings, &head,
                                          fxt_trace_ring_head_(head, ring->number), true,
                                          __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static struct fxt_trace_ring_ *fxt_trace_make_ring_(struct fxt_trace_state_ *state)
{
    uint32_t number = __atomic_add_fetch(&state->n_rings, 1, __ATOMIC_RELAXED);
    struct fxt_trace_ring_ *ring;

    if (number >= FXT_TRACE_RINGS_) {
        __atomic_sub_fetch(&state->n_rings, 1, __ATOMIC_RELAXED);
        return 0;
    }
    ring = (struct fxt_trace_ring_ *)fxt_trace_map_(sizeof(*ring), -1);
    if (!ring)
        return 0;
    ring->number = number;
    ring->chunk = FXT_TRACE_NO_CHUNK_;
    state->rings[number] = ring;
    return ring;
}

/* Threads that end hand over their rings, and with these what is left of their chunks. */
static void fxt_trace_end_thread_(void *of_thread)
{
    struct fxt_trace_thread_ *thread = (struct fxt_trace_thread_ *)of_thread;

    thread->is_followed = false;
    for (uint32_t i = 0; i < FXT_TRACE_LEVELS_; i++) {
        struct fxt_trace_ring_ *ring = thread->rings[i];

        thread->rings[i] = 0;
        if (ring)
            fxt_trace_free_ring_(fxt_trace_state_, ring);
    }
}

static struct fxt_trace_ring_ *fxt_trace_take_ring_(struct fxt_trace_state_ *state,
                                                    struct fxt_trace_thread_ *thread,
                                                    uint32_t level)
{
    struct fxt_trace_ring_ *ring = thread->rings[level];

    if (ring)
        return ring;
    ring = fxt_trace_reuse_ring_(state);
    if (!ring)
        ring = fxt_trace_make_ring_(state);
    thread->rings[level] = ring;
    if (!thread->is_followed && FXT_LOAD_RELAXED(&fxt_trace_has_key_) != 0) {
        thread->is_followed = true;
        pthread_setspecific(state->key, thread);
    }
    return ring;
}

/* ---- Records of a chunk ------------------------------------------------------------ */

/* Copies records to where the ring has room for them. */
static void fxt_trace_put_(struct fxt_trace_ring_ *ring, const uint64_t *words,
                           uint64_t n_words)
{
    for (uint64_t i = 1; i < n_words; i++)
        ring->pos[i] = words[i];
    fxt_trace_publish_(ring, n_words, words[0]);
}

static bool fxt_trace_fits_(const struct fxt_trace_ring_ *ring, uint64_t n_words)
{
    return n_words < (uint64_t)(ring->end - ring->pos);
}

/* Gives the thread an index in the session, if there is one left. An index is of one
 * thread, as some readers keep the first that has it. */
static void fxt_trace_number_thread_(struct fxt_trace_file_ *file,
                                     struct fxt_trace_thread_ *thread)
{
    uint32_t n;

    if (thread->session == file->session)
        return;
    n = __atomic_add_fetch(&file->n_threads, 1, __ATOMIC_RELAXED);
    thread->index = n <= FXT_THREAD_INDEX_MAX ? n : 0;
    thread->process = (uint64_t)getpid();
    thread->id = (uint64_t)syscall(SYS_gettid);
    thread->session = file->session;
}

/* Registers the thread and its name. */
static bool fxt_trace_put_thread_(struct fxt_trace_ring_ *ring,
                                  const struct fxt_trace_thread_ *thread)
{
    struct fxt_arg arg = fxt_arg_koid(FXT_TEXT("process"), thread->process);
    uint64_t words[24];
    struct fxt_emit emit;
    char name[32] = "";

    if (thread->name[0])
        memcpy(name, thread->name, sizeof(name));
    else
        prctl(PR_GET_NAME, name);
    fxt_emit_init(&emit, words, sizeof(words));
    if (thread->index > 0)
        fxt_emit_thread(&emit, thread->index, thread->process, thread->id);
    fxt_emit_kernel_object(&emit, FXT_OBJECT_THREAD, thread->id, fxt_trace_text_(name),
                           &arg, 1);
    if (!fxt_trace_fits_(ring, emit.pos))
        return false;
    fxt_trace_put_(ring, words, emit.pos);
    ring->thread = thread->id;
    return true;
}

static bool fxt_trace_put_string_(struct fxt_trace_ring_ *ring, uint16_t index,
                                  const char *text)
{
    uint64_t words[2 + (FXT_TRACE_STRING_MAX + 7) / 8];
    struct fxt_emit emit;

    fxt_emit_init(&emit, words, sizeof(words));
    fxt_emit_string(&emit, index, fxt_trace_text_(text));
    if (!fxt_trace_fits_(ring, emit.pos))
        return false;
    fxt_trace_put_(ring, words, emit.pos);
    ring->strings[index / 64] |= (uint64_t)1 << index % 64;
    return true;
}

static bool fxt_trace_put_site_(const struct fxt_trace_state_ *state,
                                struct fxt_trace_ring_ *ring,
                                const struct fxt_trace_site_ *site)
{
    uint32_t number = FXT_LOAD_RELAXED(&site->number);

    for (uint32_t i = 0; i < site->n_texts; i++) {
        uint16_t index = FXT_LOAD_RELAXED(&site->refs[i]);

        if (index != 0 && (ring->strings[index / 64] >> index % 64 & 1) == 0 &&
            !fxt_trace_put_string_(ring, index,
                                   fxt_trace_known_string_(&state->names, index)))
            return false;
    }
    ring->sites[number / 64] |= (uint64_t)1 << number % 64;
    return true;
}

/* Gives the ring another chunk, in which nothing is registered. */
static bool fxt_trace_change_chunk_(struct fxt_trace_file_ *file,
                                    struct fxt_trace_ring_ *ring)
{
    uint32_t chunk = fxt_trace_begin_chunk_(file);

    if (chunk == FXT_TRACE_NO_CHUNK_)
        return false;
    if (ring->session == file->session && ring->chunk != FXT_TRACE_NO_CHUNK_)
        FXT_STORE_RELEASE(&file->chunks[ring->chunk].owner,
                          file->streams ? FXT_TRACE_CHUNK_LEFT_ : FXT_TRACE_CHUNK_FREE_);
    memset(ring->sites, 0, sizeof(ring->sites));
    memset(ring->strings, 0, sizeof(ring->strings));
    ring->pos = fxt_trace_chunk_words_(file, chunk);
    ring->end = ring->pos + FXT_TRACE_CHUNK_WORDS_;
    ring->pos += file->streams ? FXT_TRACE_ORDER_WORDS_ : 0;
    ring->chunk = chunk;
    ring->session = file->session;
    ring->thread = 0;
    return true;
}

/* Whether all that the event needs is in the ring's chunk, and room for it. */
static bool fxt_trace_complete_chunk_(const struct fxt_trace_state_ *state,
                                      struct fxt_trace_ring_ *ring,
                                      const struct fxt_trace_thread_ *thread,
                                      const struct fxt_trace_site_ *site,
                                      uint64_t n_words)
{
    return (ring->thread == thread->id || fxt_trace_put_thread_(ring, thread)) &&
           fxt_trace_put_site_(state, ring, site) && fxt_trace_fits_(ring, n_words);
}

FXT_END_DECLS

#endif
