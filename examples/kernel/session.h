/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions: times in which samples are taken. One CPU starts and stops them, while all
 * others work and are interrupted.
 *
 * Samples of different CPUs, and of contexts that interrupt each other on one CPU, are
 * written by different emitters, each into separate memory. Such an emitter, with the
 * gate that guards it, is called a *source* here.
 */
#ifndef KERNEL_SESSION_H
#define KERNEL_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/emit.h>
#include <fxt/gate.h>

#include "layout.h"

enum source_id { SOURCE_TICK, SOURCE_WATCHDOG, SOURCE_PROBE, SOURCE_USER, N_SOURCES };

struct source {
    struct fxt_gate gate;
    struct fxt_emit emit;
    /* How many samples were taken, whether there was room for them or not. */
    uint64_t n_taken;
} __attribute__((aligned(128)));

struct session {
    /* What each source writes to, `size` bytes for each: a region, or a ring. */
    unsigned char *memory;
    uint64_t size;
    bool is_ring;
    /* The program in user mode is sampled, and not the kernel. */
    bool is_of_user;
};

/* Whether a source takes samples in a session. */
static inline bool session_has(const struct session *session, enum source_id id)
{
    return session->is_of_user == (id == SOURCE_USER);
}

/* Source `id` of a CPU; it is the same in all sessions. Inline, since the sampler must
 * only call functions in its own section. */
static inline struct source *session_source(unsigned cpu, enum source_id id)
{
    extern struct source session_sources[N_CPUS][N_SOURCES];

    return &session_sources[cpu][id];
}

/* The memory of a source in a session. */
static inline unsigned char *session_memory(const struct session *session, unsigned cpu,
                                            enum source_id id)
{
    return session->memory + (cpu * N_SOURCES + id) * session->size;
}

/* Starts a session; none may be running. Each CPU then sets its own tick, as soon as it
 * calls session_look. */
void session_start(const struct session *session);

/* To be called on each CPU now and then: starts its tick if a session has begun. */
void session_look(void);

/* What the tick's handler ends with: sets the next one, while the session runs. */
void session_set_tick(void);

/* Stops the session. When this returns no writer is active, and everything that was
 * written is visible to the caller. */
void session_stop(void);

#endif
