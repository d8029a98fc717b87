/* SPDX-License-Identifier: BSD-2-Clause */
/* A session, and what a method of sampling is to it. */
#ifndef LIBFXTSAMPLER_SESSION_H
#define LIBFXTSAMPLER_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>

#include <fxt/sampler.h>

#include "regions.h"
#include "tracker.h"

struct method;

enum { SESSION_REASON_SIZE = 160 };

/* There is one in a process; its lock is held in all functions of a method. */
struct fxt_sampler {
    struct fxt_sampler_config config;
    const struct method *method;
    /* The method's own. */
    void *state;
    bool is_running;
    char reason[SESSION_REASON_SIZE];
    /* How many cycles a sample stands for, if it is cycles. */
    uint64_t period_cycles;
    /* Which CPUs are online, as far as is known: regions.n of them. */
    bool *is_online;
    atomic_uint_fast64_t cpus_came;
    atomic_uint_fast64_t cpus_went;
    /* When it was started first, by two clocks. */
    uint64_t start_monotonic_ns;
    uint64_t start_wall_ns;
    /* With FXT_SAMPLER_ARCHIVE; else NULL. The configuration's function is then the
     * session's, which calls the user's. */
    struct tracker *tracker;
    fxt_sampler_event_fn *on_event;
    void *event_context;
};

struct method {
    enum fxt_sampler_method number;
    /* Checks whether this system supports the method, and creates its state. On failure
     * there is nothing to close, and `reason` has the cause. */
    enum fxt_sampler_code (*open)(struct fxt_sampler *sampler);
    enum fxt_sampler_code (*attach)(struct fxt_sampler *sampler,
                                    enum fxt_sampler_target target, pid_t id);
    enum fxt_sampler_code (*detach)(struct fxt_sampler *sampler, pid_t thread);
    /* The gates are open. */
    enum fxt_sampler_code (*start)(struct fxt_sampler *sampler);
    /* When it returns, no sample is being written any more. It closes the gates at the
     * right time. */
    void (*stop)(struct fxt_sampler *sampler);
    /* Fills in the CPU time that the samples so far are of, if that is known, and how
     * much of it was not counted. */
    void (*take_times)(const struct fxt_sampler *sampler,
                       struct fxt_sampler_counts *counts);
    void (*close)(struct fxt_sampler *sampler);
    /* In a child of fork: frees what is the child's, and leaves the parent's alone. */
    void (*forget)(struct fxt_sampler *sampler);
};

/* Takes the lock of all sessions, if there is such a session. session_leave releases it,
 * and returns the code. */
bool session_enter(const struct fxt_sampler *sampler);
enum fxt_sampler_code session_leave(enum fxt_sampler_code code);

/* Between the two: fxt_sampler_count and fxt_sampler_read. */
void session_count(const struct fxt_sampler *sampler, struct fxt_sampler_counts *counts);
bool session_read_region(uint32_t index, struct fxt_sampler_region *region);

extern const struct method method_perf;
extern const struct method method_signal;

/* Looks for CPUs that were hot-added or removed, counts them, and makes the regions of
 * the added ones visible. Returns whether any was added; these are then true in `came`,
 * which has room for regions.n. */
bool session_look_for_cpus(struct fxt_sampler *sampler, bool *came);

#endif
