/* SPDX-License-Identifier: BSD-2-Clause */
/* A session, and what a method of sampling is to it. */
#ifndef LIBFXTSAMPLER_SESSION_H
#define LIBFXTSAMPLER_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>

#include <fxt/sampler.h>

#include "events/sources.h"
#include "kept.h"
#include "regions.h"
#include "tracker.h"

struct method;
struct session_archive;

enum {
    SESSION_REASON_SIZE = 256,
    /* The flags that signals cannot do. */
    SESSION_FLAGS_OF_PERF = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_CYCLES |
                            FXT_SAMPLER_SCHEDULING | FXT_SAMPLER_OFF_CPU
};

/* There is one in a process; its lock is held in all functions of a method. */
struct fxt_sampler {
    struct fxt_sampler_config config;
    struct sources sources;
    const struct method *method;
    /* The method's own. */
    void *state;
    bool is_running;
    char reason[SESSION_REASON_SIZE];
    /* How many cycles a sample stands for, if it is cycles. */
    uint64_t period_cycles;
    /* How many thousandths of a thread's time samples are expected to take. */
    uint32_t cost;
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
    /* The archive that is open, or NULL; and the samples that were kept for one. */
    struct session_archive *archive;
    struct kept kept;
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
    /* Fills in what is known of each source. */
    void (*take_sources)(const struct fxt_sampler *sampler, struct source_count *counts);
    /* An archive ends while the session runs: writes what the scheduler does at this
     * time, and nothing more until the next archive begins, with the same. Returns false
     * if there is no need, and then `begin_archive` is not called; NULL if there never
     * is. */
    bool (*end_archive)(struct fxt_sampler *sampler);
    void (*begin_archive)(struct fxt_sampler *sampler);
    void (*close)(struct fxt_sampler *sampler);
    /* In a child of fork: frees what is the child's, and leaves the parent's alone. */
    void (*forget)(struct fxt_sampler *sampler);
};

/* Takes the lock of all sessions, if there is such a session. session_leave releases it,
 * and returns the code. */
bool session_enter(const struct fxt_sampler *sampler);
enum fxt_sampler_code session_leave(enum fxt_sampler_code code);

/* Between the two: fxt_sampler_count. */
void session_count(const struct fxt_sampler *sampler, struct fxt_sampler_counts *counts);

/* The same: moves what is in the regions to what is kept. */
enum fxt_sampler_code session_keep(struct fxt_sampler *sampler);

/* The same, with FXT_SAMPLER_ARCHIVE; else these do nothing. Make the tracker, which
 * takes the session's events; read what takes time; read what a target has, and what this
 * process has by now, where the method reports no events. */
enum fxt_sampler_code session_make_tracker(struct fxt_sampler *sampler);
void session_prepare_tracker(const struct fxt_sampler *sampler);
void session_track_target(const struct fxt_sampler *sampler,
                          enum fxt_sampler_target target, pid_t id);
void session_track_self(const struct fxt_sampler *sampler);

/* Notes when the session began, unless that is known. */
void session_note_start(struct fxt_sampler *sampler);

/* Frees an archive that is open, and does not end it. */
void session_drop_archive(struct fxt_sampler *sampler);

extern const struct method method_perf;
extern const struct method method_signal;

/* Looks for CPUs that were hot-added or removed, counts them, and makes the regions of
 * the added ones visible. Returns whether any was added; these are then true in `came`,
 * which has room for regions.n. */
bool session_look_for_cpus(struct fxt_sampler *sampler, bool *came);

#endif
