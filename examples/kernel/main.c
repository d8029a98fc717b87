/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel: two CPUs that work, and are sampled in sessions, one after the
 * other:
 *
 *     0   regions, large enough
 *     1   regions that get full; the tick's hook is not given the registers
 *     2   rings, which CPU 0 drains, but not all the time
 *     3   regions; a program in user mode is sampled, and not the kernel
 *
 * Then it says where the samples are (report.h) and turns the machine off.
 */
#include "drain.h"
#include "frame.h"
#include "kernel.h"
#include "report.h"
#include "sampler.h"
#include "session.h"
#include "user.h"
#include "work.h"

unsigned char stacks[N_CPUS][N_STACKS][STACK_BYTES] __attribute__((aligned(STACK_BYTES)));

/* Whether the tick's samples are taken by a hook that is not given the registers, and
 * whether they are of user mode. */
static bool is_hook;
static bool is_of_user;

/* ---- Interrupts -------------------------------------------------------------------- */

void kernel_tick(struct trap_frame *trap)
{
    if (is_of_user)
        sampler_mark_user();
    else if (is_hook)
        sampler_take_hook();
    else
        sampler_take_tick(trap);
    run_timers();
    session_set_tick();
    /* An emulator may run one CPU until that lets others run. Here, unlike in
     * the work, it is at a place that chance has chosen. */
    arch_relax();
    sampler_take_user(trap);
}

void kernel_watchdog(struct trap_frame *trap)
{
    sampler_take_watchdog(trap);
}

void kernel_panic(const char *why, uintptr_t pc)
{
    report_failure(why, pc);
    arch_exit();
}

/* ---- Sessions ---------------------------------------------------------------------- */

enum { REGION_BYTES = 1 << 18, SMALL_REGION_BYTES = 1 << 13, RING_BYTES = 1 << 12 };

static unsigned char regions[N_CPUS * N_SOURCES * REGION_BYTES]
    __attribute__((aligned(4096)));
static unsigned char user_regions[N_CPUS * N_SOURCES * REGION_BYTES]
    __attribute__((aligned(4096)));
static unsigned char small_regions[N_CPUS * N_SOURCES * SMALL_REGION_BYTES]
    __attribute__((aligned(4096)));
static unsigned char rings[N_CPUS * N_SOURCES * RING_BYTES]
    __attribute__((aligned(4096)));

enum { REGIONS, FULL_REGIONS, RINGS, USER_REGIONS, N_SESSIONS };

static const struct session sessions[N_SESSIONS] = {
    [REGIONS] = {.memory = regions, .size = REGION_BYTES},
    [FULL_REGIONS] = {.memory = small_regions, .size = SMALL_REGION_BYTES},
    [RINGS] = {.memory = rings, .size = RING_BYTES, .is_ring = true},
    [USER_REGIONS] = {.memory = user_regions, .size = REGION_BYTES, .is_of_user = true},
};

/* Whether the interrupts of all CPUs have come so often in this session. */
static OWN_FRAME bool have_taken(uint64_t n_samples)
{
    KEEP_FRAME();
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = SOURCE_TICK; id <= SOURCE_WATCHDOG; id++)
            if (FXT_LOAD_RELAXED(&session_source(cpu, id)->n_taken) < n_samples)
                return false;
    return true;
}

static void run_user_until_taken(uint64_t n_samples)
{
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        while (FXT_LOAD_RELAXED(&session_source(cpu, SOURCE_USER)->n_taken) < n_samples)
            user_run();
}

static OWN_FRAME void work_until_taken(uint64_t n_samples)
{
    while (!have_taken(n_samples))
        work_round();
}

static OWN_FRAME void drain_until_taken(uint64_t n_samples)
{
    while (!have_taken(n_samples) && drain_has_room()) {
        work_round();
        drain_all();
    }
}

static void report_session(unsigned index)
{
    const struct session *session = &sessions[index];

    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++) {
            const void *data = session_memory(session, cpu, id);
            uint64_t size = session->size;

            if (!session_has(session, id))
                continue;
            if (!fxt_gate_is_quiet(&session_source(cpu, id)->gate))
                report_failure("a session continues after it was stopped", index);
            if (session->is_ring)
                data = drain_data(cpu, id, &size);
            report_add(index, cpu, id, data, size);
        }
}

/* What a ring had no room for is reported before the next record, or here. */
static void finish_rings(void)
{
    drain_all();
    drain_all(); /* The data at the beginning of rings that have wrapped around. */
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++)
            if (!fxt_emit_drops(&session_source(cpu, id)->emit))
                report_failure("a ring that is empty is full", cpu);
    drain_all();
    drain_all();
}

static OWN_FRAME void run_session(unsigned index)
{
    const struct session *session = &sessions[index];

    is_hook = index == FULL_REGIONS;
    is_of_user = session->is_of_user;
    session_start(session);
    if (session->is_ring) {
        drain_open(session);
        drain_until_taken(100);
        work_until_taken(250);
        drain_until_taken(350);
        work_until_taken(450);
    } else if (session->is_of_user) {
        run_user_until_taken(400);
    } else {
        work_until_taken(400);
    }
    session_stop();
    if (session->is_ring)
        finish_rings();
    report_session(index);
}

/* ---- CPUs -------------------------------------------------------------------------- */

/* A bit for each CPU that works. */
static uint32_t ready;

void kernel_secondary(void)
{
    arch_init_cpu();
    FXT_FETCH_OR_RELEASE(&ready, 1u << arch_cpu());
    for (;;) {
        session_look();
        if (FXT_LOAD_RELAXED(&is_of_user))
            user_run();
        else
            work_round();
    }
}

void kernel_main(void)
{
    arch_init_cpu();
    for (unsigned cpu = 1; cpu < N_CPUS; cpu++) {
        arch_start_cpu(cpu);
        while ((FXT_LOAD_ACQUIRE(&ready) >> cpu & 1) == 0)
            arch_relax();
    }
    for (unsigned i = 0; i < N_SESSIONS; i++)
        run_session(i);
    report.done = 1;
    arch_exit();
}
