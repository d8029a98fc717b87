/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The implementation of fxt/trace.h, which includes this where FXT_TRACE_IMPLEMENTATION
 * is defined: sessions, and which thread writes where. Not for direct use.
 *
 * What a macro may call, up to fxt_trace_prepare_, takes no lock, so that signal handlers
 * may interrupt it anywhere and call it, too.
 */
#ifndef FXT_TRACE_IMPLEMENTATION_H
#define FXT_TRACE_IMPLEMENTATION_H

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <fxt/trace/file.h>
#include <fxt/trace/names.h>

FXT_BEGIN_DECLS

#define FXT_TRACE_RINGS_ 65536

/* What there is once a session was started. */
struct fxt_trace_state_ {
    struct fxt_trace_names_ names;
    struct fxt_trace_file_ *file;
    pthread_key_t key;
    uint32_t n_sessions;
    /* All rings, from number 1 on, and the first of those that no thread has: its number,
     * and above that a count of changes. */
    uint32_t n_rings;
    uint64_t free_rings;
    struct fxt_trace_ring_ *rings[FXT_TRACE_RINGS_];
    /* For children. */
    struct fxt_trace_options options;
    char path[4096];
};

uint32_t fxt_trace_session_ = 1;
uint32_t fxt_trace_clock_;
FXT_TRACE_THREAD_LOCAL_ struct fxt_trace_thread_ fxt_trace_thread_
    __attribute__((__tls_model__("initial-exec")));

static struct fxt_trace_state_ *fxt_trace_state_;
/* A thread is starting or stopping a session. */
static uint32_t fxt_trace_is_busy_;

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
    if (!thread->is_followed) {
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
        FXT_STORE_RELEASE(&file->chunks[ring->chunk].is_taken, (uint32_t)0);
    memset(ring->sites, 0, sizeof(ring->sites));
    memset(ring->strings, 0, sizeof(ring->strings));
    ring->pos = fxt_trace_chunk_words_(file, chunk);
    ring->end = ring->pos + FXT_TRACE_CHUNK_WORDS_;
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

struct fxt_trace_ring_ *fxt_trace_prepare_(struct fxt_trace_site_ *site, uint32_t level,
                                           uint64_t n_words)
{
    uint32_t session = FXT_LOAD_ACQUIRE(&fxt_trace_session_);
    struct fxt_trace_thread_ *thread = &fxt_trace_thread_;
    struct fxt_trace_state_ *state = fxt_trace_state_;
    struct fxt_trace_file_ *file;
    struct fxt_trace_ring_ *ring = 0;

    if (session <= 1)
        return 0;
    file = __atomic_load_n(&state->file, __ATOMIC_ACQUIRE);
    fxt_trace_number_thread_(file, thread);
    if (level < FXT_TRACE_LEVELS_ && FXT_LOAD_RELAXED(&site->number) != 0)
        ring = fxt_trace_take_ring_(state, thread, level);
    if (ring && ring->session == file->session &&
        fxt_trace_complete_chunk_(state, ring, thread, site, n_words))
        return ring;
    if (ring && fxt_trace_change_chunk_(file, ring) &&
        fxt_trace_complete_chunk_(state, ring, thread, site, n_words))
        return ring;
    fxt_trace_drop_(file, n_words);
    return 0;
}

/* ---- Children ---------------------------------------------------------------------- */

/* In a child after fork there is one thread, and the parent's rings are not the child's.
 * It may have been interrupted while it wrote: the memory stays, without the file. */
static void fxt_trace_fork_(void)
{
    struct fxt_trace_state_ *state = fxt_trace_state_;
    struct fxt_trace_thread_ *thread = &fxt_trace_thread_;
    bool goes_on = fxt_trace_session_ == 1 ||
                   (fxt_trace_session_ > 1 && strstr(state->path, "%p") != NULL);

    if (fxt_trace_session_ > 1)
        fxt_trace_close_file_(state->file);
    for (uint32_t i = 0; i < FXT_TRACE_LEVELS_; i++)
        thread->rings[i] = 0;
    state->free_rings = 0;
    fxt_trace_is_busy_ = 0;
    thread->is_busy = false;
    fxt_trace_session_ = goes_on;
}

/* ---- Starting and stopping --------------------------------------------------------- */

/* Whether no other thread starts or stops a session, until fxt_trace_unlock_. */
static bool fxt_trace_lock_(void)
{
    if (__atomic_exchange_n(&fxt_trace_is_busy_, 1, __ATOMIC_ACQUIRE))
        return false;
    fxt_trace_thread_.is_busy = true;
    return true;
}

static void fxt_trace_unlock_(void)
{
    fxt_trace_thread_.is_busy = false;
    FXT_STORE_RELEASE(&fxt_trace_is_busy_, (uint32_t)0);
}

/* Two threads may do this at the same time. */
static bool fxt_trace_make_state_(void)
{
    struct fxt_trace_state_ *known = __atomic_load_n(&fxt_trace_state_, __ATOMIC_ACQUIRE);
    struct fxt_trace_state_ *state;

    if (known)
        return true;
    state = (struct fxt_trace_state_ *)fxt_trace_map_(sizeof(*state), -1);
    if (!state)
        return false;
    if (pthread_key_create(&state->key, fxt_trace_end_thread_) != 0) {
        munmap(state, sizeof(*state));
        errno = EAGAIN;
        return false;
    }
#ifdef MADV_POPULATE_WRITE
    /* The tables of strings: each page would be a fault at some site. */
    madvise(state, offsetof(struct fxt_trace_names_, n_sites), MADV_POPULATE_WRITE);
#endif
    state->n_sessions = 1;
    fxt_trace_judge_(&state->names, 0, "");
    if (__atomic_compare_exchange_n(&fxt_trace_state_, &known, state, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        pthread_atfork(0, 0, fxt_trace_fork_);
    } else {
        pthread_key_delete(state->key);
        munmap(state, sizeof(*state));
    }
    return true;
}

static uint64_t fxt_trace_parse_size_(const char *text)
{
    char *end;
    uint64_t size = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;

    return size > UINT64_MAX >> shift ? UINT64_MAX : size << shift;
}

static bool fxt_trace_is_(const char *variable, const char *value)
{
    const char *text = getenv(variable);

    return text && strcmp(text, value) == 0;
}

/* What the environment asks for. Returns whether it asks for a trace. */
static bool fxt_trace_read_environment_(struct fxt_trace_options *options)
{
    const char *path = getenv("FXT_TRACE_FILE");
    const char *categories = getenv("FXT_TRACE");
    const char *size = getenv("FXT_TRACE_SIZE");

    memset(options, 0, sizeof(*options));
    options->size = sizeof(*options);
    options->path = path && *path ? path : "trace.fxt";
    options->categories = categories;
    options->max_bytes = size ? fxt_trace_parse_size_(size) : 0;
    options->monotonic_clock = fxt_trace_is_("FXT_TRACE_CLOCK", "monotonic");
    if (fxt_trace_is_("FXT_TRACE_MODE", "keep-last"))
        options->mode = FXT_TRACE_KEEP_LAST;
    return (path && *path) || (categories && *categories);
}

static int fxt_trace_fail_(int error)
{
    errno = error;
    return -1;
}

static int fxt_trace_open_session_(struct fxt_trace_state_ *state,
                                   const struct fxt_trace_options *options)
{
    struct fxt_trace_file_ *file;
    char path[sizeof(state->path) + 64];
    int fd = -1;

    if (options->path && !fxt_trace_expand_path_(path, sizeof(path), options->path))
        return fxt_trace_fail_(ENAMETOOLONG);
    if (options->path && (fd = fxt_trace_open_(path)) < 0)
        return -1;
    fxt_trace_choose_clock_(options->monotonic_clock);
    file = fxt_trace_make_file_(options, fd);
    if (!file) {
        int error = errno;

        if (fd >= 0)
            close(fd);
        return fxt_trace_fail_(error);
    }
    fxt_trace_write_header_(file);
    file->session = ++state->n_sessions;
    if (options->categories)
        fxt_trace_change_patterns_(&state->names, options->categories);
    __atomic_store_n(&state->file, file, __ATOMIC_RELEASE);
    __atomic_store_n(&fxt_trace_session_, file->session, __ATOMIC_SEQ_CST);
    return 0;
}

static void fxt_trace_keep_options_(struct fxt_trace_state_ *state,
                                    const struct fxt_trace_options *options)
{
    state->options = *options;
    state->options.categories = 0;
    state->path[0] = 0;
    if (options->path)
        snprintf(state->path, sizeof(state->path), "%s", options->path);
    state->options.path = options->path ? state->path : 0;
}

/* While no other thread starts or stops a session. */
static int fxt_trace_start_now_(const struct fxt_trace_options *options)
{
    struct fxt_trace_options asked;

    if (FXT_LOAD_RELAXED(&fxt_trace_session_) > 1)
        return fxt_trace_fail_(EBUSY);
    if (!options) {
        fxt_trace_read_environment_(&asked);
        options = &asked;
    }
    if (options->path && strlen(options->path) >= sizeof(fxt_trace_state_->path))
        return fxt_trace_fail_(ENAMETOOLONG);
    if (!fxt_trace_make_state_())
        return -1;
    if (options != &fxt_trace_state_->options)
        fxt_trace_keep_options_(fxt_trace_state_, options);
    return fxt_trace_open_session_(fxt_trace_state_, options);
}

/* The members that both the caller and this version know; others must be zero. */
static bool fxt_trace_copy_options_(struct fxt_trace_options *to,
                                    const struct fxt_trace_options *from)
{
    const unsigned char *bytes = (const unsigned char *)from;

    if (from->size < sizeof(*to))
        return false;
    for (size_t i = sizeof(*to); i < from->size; i++) {
        if (bytes[i] != 0)
            return false;
    }
    *to = *from;
    return true;
}

int fxt_trace_start(const struct fxt_trace_options *options)
{
    struct fxt_trace_options known;
    int result;

    if (options && !fxt_trace_copy_options_(&known, options))
        return fxt_trace_fail_(EINVAL);
    options = options ? &known : NULL;
    if (!fxt_trace_lock_())
        return fxt_trace_fail_(EBUSY);
    result = fxt_trace_start_now_(options);
    fxt_trace_unlock_();
    return result;
}

void fxt_trace_stop(void)
{
    if (!fxt_trace_lock_())
        return;
    if (__atomic_exchange_n(&fxt_trace_session_, 0, __ATOMIC_SEQ_CST) > 1) {
        fxt_trace_measure_rate_(fxt_trace_state_->file);
        fxt_trace_close_file_(fxt_trace_state_->file);
    }
    fxt_trace_unlock_();
}

int fxt_trace_save(const char *path)
{
    int result = -1;

    if (!fxt_trace_lock_())
        return fxt_trace_fail_(EBUSY);
    if (FXT_LOAD_RELAXED(&fxt_trace_session_) > 1)
        result = fxt_trace_save_file_(fxt_trace_state_->file, path);
    else
        errno = ENOENT;
    fxt_trace_unlock_();
    return result;
}

void fxt_trace_set_categories(const char *patterns)
{
    if (fxt_trace_make_state_())
        fxt_trace_change_patterns_(&fxt_trace_state_->names, patterns ? patterns : "");
}

void fxt_trace_name_thread(const char *name)
{
    struct fxt_trace_thread_ *thread = &fxt_trace_thread_;

    snprintf(thread->name, sizeof(thread->name), "%s", name);
    for (uint32_t i = 0; i < FXT_TRACE_LEVELS_; i++) {
        struct fxt_trace_ring_ *ring = thread->rings[i];

        if (!ring)
            continue;
        /* The next event finds its site unknown, and then the thread. */
        ring->thread = 0;
        memset(ring->sites, 0, sizeof(ring->sites));
    }
}

/* ---- Sites ------------------------------------------------------------------------- */

static void fxt_trace_decide_now_(void)
{
    struct fxt_trace_state_ *state = __atomic_load_n(&fxt_trace_state_, __ATOMIC_ACQUIRE);
    bool is_child = state && state->n_sessions > 1;
    struct fxt_trace_options asked;
    const struct fxt_trace_options *options = is_child ? &state->options : &asked;

    if (!is_child && !fxt_trace_read_environment_(&asked)) {
        FXT_STORE_RELAXED(&fxt_trace_session_, (uint32_t)0);
    } else if (fxt_trace_start_now_(options) != 0) {
        fxt_trace_complain_(options->path ? options->path : "memory", strerror(errno));
        FXT_STORE_RELAXED(&fxt_trace_session_, (uint32_t)0);
    }
}

/* The first site that is reached starts what the environment asks for. Other threads wait
 * for that; a signal handler that interrupts it does not trace. */
static void fxt_trace_decide_(void)
{
    while (!fxt_trace_lock_()) {
        if (fxt_trace_thread_.is_busy)
            return;
        sched_yield();
    }
    if (FXT_LOAD_RELAXED(&fxt_trace_session_) == 1)
        fxt_trace_decide_now_();
    fxt_trace_unlock_();
}

bool fxt_trace_reach_(struct fxt_trace_site_ *site)
{
    int error = errno;

    if (FXT_LOAD_ACQUIRE(&fxt_trace_session_) == 1)
        fxt_trace_decide_();
    errno = error;
    if (FXT_LOAD_ACQUIRE(&fxt_trace_session_) <= 1)
        return false;
    return fxt_trace_add_site_(&fxt_trace_state_->names, site);
}

FXT_END_DECLS

#endif
