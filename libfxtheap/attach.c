/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that fxtheap calls in a process into which it has loaded this library. A
 * thread that was interrupted calls them, with all signals blocked: it holds no lock of
 * the allocator or of the dynamic loader, and threads that hold one are not stopped.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include <fxt/compiler.h>
#include <fxt/heap.h>

#include "bind.h"
#include "in_use.h"
#include "libfxtheap/shared/attach_request.h"
#include "libfxtheap/intercept/next_allocator.h"
#include "redirect.h"

FXT_API void fxt_heap_attach(struct heap_attach_request *request);
FXT_API void fxt_heap_detach(struct heap_attach_request *request);

/* ---- What was allocated before ----------------------------------------------------- */

/* As of glibc from 2.33 on, whose headers this may be compiled without. */
struct malloc_numbers {
    size_t arena;
    size_t ordblks;
    size_t smblks;
    size_t hblks;
    size_t hblkhd;
    size_t usmblks;
    size_t fsmblks;
    size_t uordblks;
    size_t fordblks;
    size_t keepcost;
};

static bool is_of_same_module(const void *a, const void *b)
{
    Dl_info of_a;
    Dl_info of_b;

    return dladdr(a, &of_a) != 0 && dladdr(b, &of_b) != 0 &&
           of_a.dli_fbase == of_b.dli_fbase;
}

/* UINT64_MAX if the program's allocator does not say. */
static uint64_t count_allocated(void)
{
    void *found = redirect_find("mallinfo2");
    struct malloc_numbers (*ask)(void);
    struct malloc_numbers numbers;
    void *allocator;

    memcpy(&allocator, &next_allocator.malloc, sizeof(allocator));
    if (found == NULL || !is_of_same_module(found, allocator))
        return UINT64_MAX;
    memcpy(&ask, &found, sizeof(ask));
    numbers = ask();
    return numbers.uordblks + numbers.hblkhd;
}

/* ---- Attach and detach ------------------------------------------------------------- */

static enum heap_attach_result result_of(enum fxt_heap_code code)
{
    switch (code) {
    case FXT_HEAP_OK:
        return HEAP_ATTACH_DONE;
    case FXT_HEAP_E_BOUND:
        return HEAP_ATTACH_BOUND;
    case FXT_HEAP_E_TABLE:
        return HEAP_ATTACH_TABLE;
    case FXT_HEAP_E_OPTIONS:
    case FXT_HEAP_E_BYPASSED:
        break;
    }
    return HEAP_ATTACH_OPTIONS;
}

static enum heap_attach_result attach(struct heap_attach_request *r)
{
    const struct fxt_heap_options options = {.size = sizeof(options),
                                             .directory = r->directory,
                                             .depth = r->depth,
                                             .no_children = r->no_children != 0,
                                             .keeps_peak = r->keeps_peak != 0,
                                             .sample_bytes = r->sample_bytes,
                                             .n_blocks = r->n_blocks};
    enum fxt_heap_code code;

    if (__atomic_load_n(&bind_heap, __ATOMIC_ACQUIRE) != NULL)
        return HEAP_ATTACH_BOUND;
    in_use_is_counted = true;
    bind_release();
    next_allocator_find_by(redirect_find);
    if (!next_allocator_find())
        return HEAP_ATTACH_OPTIONS;
    r->n_redirected = redirect_start();
    if (r->n_redirected == 0)
        return HEAP_ATTACH_NO_CALLS;
    /* Only now do functions of this library record: all blocks in the table will be freed
     * by them. */
    code = bind_late(&options, count_allocated());
    r->error = (uint32_t)errno;
    if (code != FXT_HEAP_OK)
        redirect_stop();
    return result_of(code);
}

/* For how long to wait for other threads. */
enum { WAITS_FOR_OTHERS = 50 };

static void wait_briefly(void)
{
    struct timespec time = {0, 1000000};

    pselect(0, NULL, NULL, NULL, &time, NULL);
}

/* The thread may have been interrupted in a call that uses the table itself. */
static enum heap_attach_result detach(struct heap_attach_request *r)
{
    enum bind_release release;

    if (bind_end())
        r->n_kept = redirect_stop();
    release = bind_release();
    for (int i = 0; i < WAITS_FOR_OTHERS && release == BIND_IN_USE; i++) {
        wait_briefly();
        release = bind_release();
    }
    switch (release) {
    case BIND_RELEASED:
        return HEAP_ATTACH_DONE;
    case BIND_IN_USE:
        return HEAP_ATTACH_IN_USE;
    case BIND_NOTHING:
        break;
    }
    return HEAP_ATTACH_BOUND;
}

/* ---- Answers ----------------------------------------------------------------------- */

/* Whether this thread still has a tracer. */
static bool is_traced(void)
{
    static const char field[] = "\nTracerPid:\t";
    char status[2048];
    int file = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, status, sizeof(status) - 1) : 0;
    const char *found;

    if (file >= 0)
        close(file);
    status[n > 0 ? n : 0] = '\0';
    found = strstr(status, field);
    return found != NULL && found[sizeof(field) - 1] != '0';
}

/* Only calls that leave it to the kernel how the interrupted one is restarted: nanosleep
 * is not one of them. */
static void wait_until_seen(uint64_t *state)
{
    __atomic_store_n(state, HEAP_ATTACH_WAITS, __ATOMIC_RELEASE);
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) == HEAP_ATTACH_WAITS && is_traced())
        wait_briefly();
    __atomic_store_n(state, 0, __ATOMIC_RELEASE);
}

/* The process in which a call is under way; in a child of fork, perhaps, its parent. */
static uint32_t busy;

static bool take_turn(void)
{
    uint32_t self = (uint32_t)getpid();
    uint32_t other = __atomic_load_n(&busy, __ATOMIC_RELAXED);

    return other != self &&
           __atomic_compare_exchange_n(&busy, &other, self, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static void fill_answer(struct heap_attach_request *request,
                        enum heap_attach_result (*fn)(struct heap_attach_request *))
{
    struct heap_attach_request copy;

    if (request->size != sizeof(copy))
        return;
    copy = *request;
    copy.directory[sizeof(copy.directory) - 1] = '\0';
    copy.result = HEAP_ATTACH_IN_USE;
    if (take_turn()) {
        copy.result = (uint32_t)fn(&copy);
        __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    }
    *request = copy;
}

/* The thread was interrupted anywhere. Some of what is called would let it be cancelled.
 */
static void answer(struct heap_attach_request *request,
                   enum heap_attach_result (*fn)(struct heap_attach_request *))
{
    int saved_errno = errno;
    int state;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    fill_answer(request, fn);
    wait_until_seen(&request->state);
    errno = saved_errno;
    pthread_setcancelstate(state, &state);
}

void fxt_heap_attach(struct heap_attach_request *request)
{
    answer(request, attach);
}

void fxt_heap_detach(struct heap_attach_request *request)
{
    answer(request, detach);
}
