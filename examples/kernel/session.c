/* SPDX-License-Identifier: BSD-2-Clause */
/* See session.h, and fxt/gate.h for why it stops in three phases. */
#include "session.h"

#include <fxt/emit_records.h>

#include "arch.h"
#include "frame.h"
#include "kernel.h"

struct source session_sources[N_CPUS][N_SOURCES];

/* Between ticks, on average. */
enum { TICK_NS = 300000 };

/* How many sessions there were, and how many each CPU has seen begin. */
static uint32_t n_sessions;
static uint32_t n_seen[N_CPUS];

/* ---- Starting ---------------------------------------------------------------------- */

/* The source's gate is closed, so that no writer uses it. */
static void start_source(const struct session *session, unsigned cpu, enum source_id id)
{
    struct source *source = session_source(cpu, id);
    unsigned char *memory = session_memory(session, cpu, id);

    if (session->is_ring)
        fxt_emit_init_ring(&source->emit, memory, session->size, cpu);
    else
        fxt_emit_init(&source->emit, memory, session->size);
    source->n_taken = 0;
    if (id == SOURCE_USER)
        fxt_emit_kernel_object(&source->emit, FXT_OBJECT_PROCESS, kernel_user_process(),
                               FXT_TEXT("program"), NULL, 0);
    else
        fxt_emit_kernel_object(&source->emit, FXT_OBJECT_PROCESS, kernel_process(),
                               FXT_TEXT("kernel"), NULL, 0);
}

void session_start(const struct session *session)
{
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++)
            start_source(session, cpu, id);
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++)
            /* The tick's gate guards the timer, too. */
            if (session_has(session, id) || id == SOURCE_TICK)
                fxt_gate_enable(&session_source(cpu, id)->gate);
    FXT_STORE_RELEASE(&n_sessions, n_sessions + 1);
    session_look();
}

/* A time that is not always the same, from 1/2 to 3/2 of the period, so that ticks do not
 * fall in step with what they interrupt. */
static uint32_t choose_time(void)
{
    static uint32_t random[N_CPUS];
    uint32_t *mine = &random[arch_cpu()];

    *mine = *mine * 1664525 + 1013904223;
    return TICK_NS / 2 + (uint32_t)((uint64_t)*mine * TICK_NS >> 32);
}

OWN_FRAME void session_set_tick(void)
{
    if (fxt_gate_arm(&session_source(arch_cpu(), SOURCE_TICK)->gate))
        arch_set_tick(choose_time());
}

OWN_FRAME void session_look(void)
{
    uint32_t *seen = &n_seen[arch_cpu()];
    uint32_t now = FXT_LOAD_ACQUIRE(&n_sessions);

    if (*seen == now)
        return;
    *seen = now;
    session_set_tick();
}

/* ---- Stopping ---------------------------------------------------------------------- */

/* No write and no tick starts from here on. */
static void close_gates(void)
{
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++)
            fxt_gate_disable(&session_source(cpu, id)->gate);
}

/* A CPU can only cancel its own tick. Those of others come one more time, and their
 * handlers find the gate closed. */
static void cancel_tick(void)
{
    if (arch_cancel_tick())
        fxt_gate_disarm(&session_source(arch_cpu(), SOURCE_TICK)->gate);
}

static void wait_for_writers(void)
{
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++)
            while (!fxt_gate_is_quiet(&session_source(cpu, id)->gate))
                arch_relax();
}

void session_stop(void)
{
    close_gates();
    cancel_tick();
    wait_for_writers();
}
