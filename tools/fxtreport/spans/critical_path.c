/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See critical_path.h. The time only goes back, so that what a thread did after it is
 * passed once; each wakeup, flow and operation is followed at most once, so that a way
 * that goes round in circles at one time comes to an end.
 */
#include "critical_path.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "tools/fxtreport/order.h"
#include "path_index.h"

/* Where the path goes back to when it gets to the begin of an operation. */
struct path_return {
    uint64_t at_ns;
    uint32_t thread;
};

struct path_walk {
    struct path_index index;
    struct critical_path *path;
    size_t capacity;
    uint64_t now_ns;
    uint32_t thread;
    /* How what was added last depends on what comes next. */
    enum path_edge edge;
    struct path_return *returns;
    size_t n_returns;
    size_t return_capacity;
};

/* ---- Steps ------------------------------------------------------------------------- */

static bool has_same_name(const struct fxt_profile *profile, uint32_t a, uint32_t b)
{
    struct fxt_profile_event x;
    struct fxt_profile_event y;

    if (a == b || a == FXT_PROFILE_NONE || b == FXT_PROFILE_NONE)
        return a == b;
    fxt_profile_get_event(profile, a, &x);
    fxt_profile_get_event(profile, b, &y);
    return x.name.data == y.name.data && x.name.size == y.name.size &&
           x.category.data == y.category.data && x.category.size == y.category.size;
}

/* Adds the time from `from_ns` until now, as a part of the step after it if that is the
 * same. */
static void add_step(struct path_walk *w, enum path_state state, uint32_t event,
                     uint64_t from_ns)
{
    struct critical_path *path = w->path;
    struct path_step *last = path->n > 0 ? &path->steps[path->n - 1] : NULL;

    if (from_ns >= w->now_ns)
        return;
    if (last != NULL && w->edge == PATH_SAME_THREAD && last->thread == w->thread &&
        last->state == state &&
        has_same_name(w->index.threads->profile, last->event, event)) {
        last->from_ns = from_ns;
    } else {
        MEMORY_ADD(
            path->steps, path->n, w->capacity,
            (struct path_step){from_ns, w->now_ns, w->thread, state, event, w->edge});
    }
    w->edge = PATH_SAME_THREAD;
    w->now_ns = from_ns;
}

/* The same by the innermost spans of the thread. */
static void add_steps(struct path_walk *w, enum path_state state, uint64_t from_ns)
{
    struct path_thread *thread = &w->index.all[w->thread];

    while (w->now_ns > from_ns) {
        const struct path_part *parts = w->index.parts + thread->first_part;
        const struct path_part *part;
        uint64_t limit_ns = from_ns;

        while (thread->n_parts > 0 && parts[thread->n_parts - 1].from_ns >= w->now_ns)
            thread->n_parts--;
        part = thread->n_parts > 0 ? &parts[thread->n_parts - 1] : NULL;
        if (part != NULL && part->to_ns < w->now_ns) {
            limit_ns = part->to_ns > from_ns ? part->to_ns : from_ns;
            part = NULL;
        } else if (part != NULL) {
            limit_ns = part->from_ns > from_ns ? part->from_ns : from_ns;
        }
        add_step(w, state, part != NULL ? part->event : FXT_PROFILE_NONE, limit_ns);
    }
}

static void go_to(struct path_walk *w, uint32_t thread, enum path_edge edge)
{
    w->thread = thread;
    w->edge = edge;
}

/* ---- Flows and operations ---------------------------------------------------------- */

/* The path does not go further back on the way that it is on. */
static uint64_t find_floor(const struct path_walk *w)
{
    return w->n_returns > 0 ? w->returns[w->n_returns - 1].at_ns : w->index.from_ns;
}

/* Whether a thread may have waited for it: one that ran, by scheduling records, did not
 * wait for an operation, and for a flow only if it was blocked since that was sent. */
static bool is_awaited(const struct path_arrival *arrival, enum path_state state,
                       const struct path_wait *wait)
{
    if (state != PATH_RUNS)
        return true;
    return !arrival->is_async && wait != NULL && wait->blocked_to_ns > arrival->from_ns;
}

/* The last arrival from a time until now that is to be followed, or NULL. */
static const struct path_arrival *find_arrival(struct path_walk *w, enum path_state state,
                                               const struct path_wait *wait,
                                               uint64_t from_ns)
{
    struct path_thread *thread = &w->index.all[w->thread];

    while (thread->n_arrivals > 0) {
        const struct path_arrival *arrival =
            &w->index.arrivals[thread->first_arrival + thread->n_arrivals - 1];

        if (arrival->to_ns < from_ns)
            return NULL;
        thread->n_arrivals--;
        if (arrival->to_ns <= w->now_ns && is_awaited(arrival, state, wait))
            return arrival;
    }
    return NULL;
}

static void follow(struct path_walk *w, const struct path_arrival *arrival)
{
    uint64_t floor_ns = find_floor(w);

    if (arrival->is_async) {
        MEMORY_ADD(w->returns, w->n_returns, w->return_capacity,
                   (struct path_return){arrival->from_ns > floor_ns ? arrival->from_ns
                                                                    : floor_ns,
                                        arrival->thread});
        go_to(w, arrival->source, PATH_ASYNC);
        return;
    }
    if (arrival->from_ns < floor_ns) {
        add_step(w, PATH_FLOW, arrival->event, floor_ns);
        return;
    }
    add_step(w, PATH_FLOW, arrival->event, arrival->from_ns);
    go_to(w, arrival->source, PATH_FLOWS);
}

/* ---- The way ----------------------------------------------------------------------- */

/* Goes back for as long as the thread was in a state, or to what it waited for then. */
static void go_back(struct path_walk *w, enum path_state state,
                    const struct path_wait *wait, uint64_t from_ns)
{
    const struct path_arrival *arrival = find_arrival(w, state, wait, from_ns);

    add_steps(w, state, arrival != NULL ? arrival->to_ns : from_ns);
    if (arrival != NULL)
        follow(w, arrival);
}

/* A wakeup is followed at its time, and once. */
static bool follow_wakeup(struct path_walk *w, struct path_wait *wait, uint64_t at_ns)
{
    if (wait->waker == FXT_PROFILE_NONE || wait->is_used || w->now_ns != at_ns)
        return false;
    wait->is_used = true;
    go_to(w, wait->waker, PATH_WAKEUP);
    return true;
}

static void pass_wait(struct path_walk *w, struct path_wait *wait, uint64_t floor_ns)
{
    uint64_t from_ns = wait->from_ns > floor_ns ? wait->from_ns : floor_ns;

    if (!wait->is_blocked) {
        add_steps(w, PATH_WAITS, from_ns);
        follow_wakeup(w, wait, wait->from_ns);
    } else if (!follow_wakeup(w, wait, wait->to_ns)) {
        go_back(w, PATH_BLOCKED, wait, from_ns);
    }
}

/* The thread was not off CPU. */
static void pass_run(struct path_walk *w, const struct path_wait *wait, uint64_t floor_ns)
{
    const struct path_thread *thread = &w->index.all[w->thread];
    bool is_known = thread->known_from_ns < w->now_ns && w->now_ns <= thread->known_to_ns;
    uint64_t from_ns = floor_ns;

    if (wait != NULL && wait->to_ns > from_ns)
        from_ns = wait->to_ns;
    if (is_known && thread->known_from_ns > from_ns)
        from_ns = thread->known_from_ns;
    if (thread->known_to_ns < w->now_ns && thread->known_to_ns > from_ns)
        from_ns = thread->known_to_ns;
    go_back(w, is_known ? PATH_RUNS : PATH_UNKNOWN, wait, from_ns);
}

/* The last wait that began before now. */
static struct path_wait *find_wait(struct path_walk *w)
{
    struct path_thread *thread = &w->index.all[w->thread];
    struct path_wait *waits;

    if (thread->n_waits == 0)
        return NULL;
    waits = w->index.waits + thread->first_wait;
    while (thread->n_waits > 0 && waits[thread->n_waits - 1].from_ns >= w->now_ns)
        thread->n_waits--;
    return thread->n_waits > 0 ? &waits[thread->n_waits - 1] : NULL;
}

static void walk(struct path_walk *w)
{
    while (w->now_ns > w->index.from_ns) {
        uint64_t floor_ns = find_floor(w);
        struct path_wait *wait;

        if (floor_ns >= w->now_ns) {
            go_to(w, w->returns[--w->n_returns].thread, PATH_ASYNC);
            continue;
        }
        wait = find_wait(w);
        if (wait != NULL && wait->to_ns >= w->now_ns)
            pass_wait(w, wait, floor_ns);
        else
            pass_run(w, wait, floor_ns);
    }
}

/* ---- All --------------------------------------------------------------------------- */

/* What makes a step the same as others when they are added up. */
struct sum_key {
    struct path_step step;
    struct fxt_string name;
    struct fxt_string category;
};

static int order_keys(const void *left, const void *right)
{
    const struct sum_key *a = (const struct sum_key *)left;
    const struct sum_key *b = (const struct sum_key *)right;
    int order = order_numbers(a->step.thread, b->step.thread);

    if (order == 0)
        order = order_numbers(a->step.state, b->step.state);
    if (order == 0)
        order = order_numbers(a->step.event == FXT_PROFILE_NONE,
                              b->step.event == FXT_PROFILE_NONE);
    if (order == 0)
        order = order_strings(a->name, b->name);
    return order != 0 ? order : order_strings(a->category, b->category);
}

SORT_ORDER(order_sums, struct path_step,
           BY_DESCENDING(to_ns) || BY(thread) || BY(state) || BY(event));

static void add_up(struct critical_path *path, const struct fxt_profile *profile)
{
    struct sum_key *keys = memory_allocate(path->n * sizeof(*keys));

    path->sums = memory_allocate(path->n * sizeof(*path->sums));
    for (size_t i = 0; i < path->n; i++) {
        struct fxt_profile_event event;

        fxt_profile_get_event(profile, path->steps[i].event, &event);
        keys[i] = (struct sum_key){path->steps[i], event.name, event.category};
    }
    SORT(keys, path->n, order_keys);
    for (size_t i = 0; i < path->n; i++) {
        struct path_step step = keys[i].step;
        uint64_t ns = step.to_ns - step.from_ns;

        if (i > 0 && order_keys(&keys[i - 1], &keys[i]) == 0) {
            path->sums[path->n_sums - 1].to_ns += ns;
            continue;
        }
        step.from_ns = 0;
        step.to_ns = ns;
        path->sums[path->n_sums++] = step;
    }
    SORT(path->sums, path->n_sums, order_sums);
}

static void reverse(struct critical_path *path)
{
    for (size_t i = 0; i < path->n / 2; i++) {
        struct path_step step = path->steps[i];

        path->steps[i] = path->steps[path->n - 1 - i];
        path->steps[path->n - 1 - i] = step;
    }
}

void critical_path_make(struct critical_path *path, const struct span_threads *threads,
                        uint32_t event)
{
    struct path_walk w = {.path = path};
    struct fxt_profile_event span;

    *path = (struct critical_path){.event = event};
    fxt_profile_get_event(threads->profile, event, &span);
    path_index_make(&w.index, threads, span.time_ns, span.end_ns);
    w.now_ns = span.end_ns;
    w.thread = threads->first[span.thread];
    walk(&w);
    reverse(path);
    add_up(path, threads->profile);
}
