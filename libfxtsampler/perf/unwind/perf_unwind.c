/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_unwind.h. */
#include "perf_unwind.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/memory.h"
#include "perf_registers.h"
#include "perf_walk.h"

struct perf_unwinder {
    struct memory_pool *pool;
    bool has_failed;
    struct perf_walker walker;
    /* Up to where walker.spaces.n_read_again was reported. */
    uint64_t n_read_again;
};

uint64_t perf_unwinder_registers(void)
{
    return PERF_REGISTERS_MASK;
}

/* ---- Memory ------------------------------------------------------------------------ */

struct perf_unwinder *perf_unwinder_create(void)
{
    struct perf_unwinder *u = calloc(1, sizeof(*u));

    if (u == NULL)
        return NULL;
    u->pool = memory_pool_create(0);
    if (u->pool != NULL)
        return u;
    free(u);
    return NULL;
}

void perf_unwinder_destroy(struct perf_unwinder *u)
{
    if (u == NULL)
        return;
    memory_pool_destroy(u->pool);
    free(u);
}

/* Whatever was being done when memory ran out is incomplete. */
static bool run(struct perf_unwinder *u, memory_fn *function, void *context)
{
    if (!u->has_failed)
        u->has_failed = memory_run(u->pool, function, context) != NULL;
    return !u->has_failed;
}

/* ---- What processes do ------------------------------------------------------------- */

struct unwinder_call {
    struct perf_unwinder *unwinder;
    const struct fxt_sampler_event *event;
    pid_t process;
};

static void take_event(void *context)
{
    const struct unwinder_call *call = context;

    perf_spaces_take_event(&call->unwinder->walker.spaces, call->event);
}

static void take_exit(void *context)
{
    const struct unwinder_call *call = context;

    perf_spaces_take_exit(&call->unwinder->walker.spaces, call->process);
}

static void take_loss(void *context)
{
    const struct unwinder_call *call = context;

    perf_spaces_take_loss(&call->unwinder->walker.spaces);
}

static void read_process(void *context)
{
    const struct unwinder_call *call = context;

    perf_spaces_read(&call->unwinder->walker.spaces, call->process);
}

static void read_all(void *context)
{
    const struct unwinder_call *call = context;

    perf_spaces_read_all(&call->unwinder->walker.spaces);
}

void perf_unwinder_take_event(struct perf_unwinder *u,
                              const struct fxt_sampler_event *event)
{
    run(u, take_event, &(struct unwinder_call){.unwinder = u, .event = event});
}

void perf_unwinder_take_exit(struct perf_unwinder *u, pid_t process)
{
    run(u, take_exit, &(struct unwinder_call){.unwinder = u, .process = process});
}

void perf_unwinder_take_loss(struct perf_unwinder *u)
{
    run(u, take_loss, &(struct unwinder_call){.unwinder = u});
}

void perf_unwinder_read_process(struct perf_unwinder *u, pid_t process)
{
    run(u, read_process, &(struct unwinder_call){.unwinder = u, .process = process});
}

void perf_unwinder_read_all(struct perf_unwinder *u)
{
    run(u, read_all, &(struct unwinder_call){.unwinder = u});
}

/* ---- Stacks ------------------------------------------------------------------------ */

struct stack_call {
    struct perf_walker *walker;
    const struct perf_sample *sample;
    struct perf_stack *stack;
    bool is_done;
};

static void make_stack(void *context)
{
    struct stack_call *call = context;

    call->is_done = perf_walk(call->walker, call->sample, call->stack);
}

enum perf_unwound perf_unwinder_unwind(struct perf_unwinder *u,
                                       const struct perf_sample *sample,
                                       struct perf_stack *stack)
{
    struct stack_call call = {&u->walker, sample, stack, false};

    if (!run(u, make_stack, &call))
        return PERF_NO_MEMORY;
    return call.is_done ? PERF_UNWOUND : PERF_NEEDS_TABLE;
}

bool perf_unwinder_has_read_again(struct perf_unwinder *u)
{
    bool has = u->n_read_again != u->walker.spaces.n_read_again;

    u->n_read_again = u->walker.spaces.n_read_again;
    return has;
}

/* ---- Large tables ------------------------------------------------------------------ */

struct table_build {
    struct perf_unwinder *unwinder;
    atomic_bool is_done;
};

static void build_table(void *context)
{
    const struct table_build *build = context;

    perf_tables_build(&build->unwinder->walker.spaces.tables,
                      build->unwinder->walker.needed);
}

static void *run_build(void *context)
{
    struct table_build *build = context;

    run(build->unwinder, build_table, build);
    atomic_store(&build->is_done, true);
    return NULL;
}

void perf_unwinder_build(struct perf_unwinder *u, perf_wait_fn *wait, void *context)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    struct table_build build = {.unwinder = u};
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_build, &build) != 0) {
        run_build(&build);
        return;
    }
    while (!atomic_load(&build.is_done)) {
        wait(context);
        nanosleep(&moment, NULL);
    }
    pthread_join(thread, NULL);
}
