// SPDX-License-Identifier: BSD-2-Clause
/* See session.h, and fxt/gate.h for why it stops in three phases. */
#include "session.h"

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/topology.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#include "sampler.h"

static struct session_options settings;
static struct source __percpu *sources;

/* Serializes start and stop. */
static DEFINE_MUTEX(changing);
static bool running;
static enum cpuhp_state on_cpus;

struct source *session_source(unsigned int cpu)
{
    return per_cpu_ptr(sources, cpu);
}

bool session_is_running(void)
{
    return READ_ONCE(running);
}

/* ---- Memory ------------------------------------------------------------------------ */

static int create_source(unsigned int cpu)
{
    struct source *source = session_source(cpu);

    fxt_gate_init(&source->gate);
    mutex_init(&source->reading);
    source->stopped = true;
    source->random = cpu;
    source->period_ns = (uint64_t)settings.period_us * NSEC_PER_USEC;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
    hrtimer_setup(&source->timer, sampler_tick, CLOCK_MONOTONIC,
                  HRTIMER_MODE_REL_PINNED_HARD);
#else
    hrtimer_init(&source->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
    source->timer.function = sampler_tick;
#endif
    source->memory = vzalloc_node(settings.buffer_bytes, cpu_to_node(cpu));
    source->drained = vmalloc_node(DRAINED_BYTES, cpu_to_node(cpu));
    return source->memory && source->drained ? 0 : -ENOMEM;
}

int session_create(const struct session_options *options)
{
    unsigned int cpu;
    int error = 0;

    settings = *options;
    sources = alloc_percpu(struct source);
    if (!sources)
        return -ENOMEM;
    for_each_possible_cpu (cpu)
        error = error ? error : create_source(cpu);
    if (error)
        session_destroy();
    return error;
}

void session_destroy(void)
{
    unsigned int cpu;

    for_each_possible_cpu (cpu) {
        vfree(session_source(cpu)->memory);
        vfree(session_source(cpu)->drained);
    }
    free_percpu(sources);
}

/* ---- Timers ------------------------------------------------------------------------ */

/* Both are called on the CPU itself: when a session starts or stops, and when the CPU
 * comes or goes while one runs. */

static int start_timer(unsigned int cpu)
{
    struct source *source = session_source(cpu);

    if (fxt_gate_arm(&source->gate))
        hrtimer_start(&source->timer, sampler_choose_time(source),
                      HRTIMER_MODE_REL_PINNED_HARD);
    return 0;
}

/* The handler cannot be running, as it would on this CPU. */
static int cancel_timer(unsigned int cpu)
{
    struct source *source = session_source(cpu);

    if (hrtimer_cancel(&source->timer))
        fxt_gate_disarm(&source->gate);
    return 0;
}

/* ---- Starting ---------------------------------------------------------------------- */

/* The gate is closed, so that no handler uses the source. */
static int start_source(unsigned int cpu)
{
    struct source *source = session_source(cpu);
    bool fits;

    mutex_lock(&source->reading);
    fits =
        fxt_emit_init_ring(&source->emit, source->memory, settings.buffer_bytes, cpu) &&
        fxt_ring_open(&source->ring, source->memory, settings.buffer_bytes);
    memset(&source->counts, 0, sizeof(source->counts));
    memset(&source->names, 0, sizeof(source->names));
    source->n_drained = 0;
    source->n_read = 0;
    source->stopped = !fits;
    mutex_unlock(&source->reading);
    return fits ? 0 : -EINVAL;
}

static int start_locked(void)
{
    unsigned int cpu;
    int error = 0;
    int state;

    for_each_possible_cpu (cpu)
        error = error ? error : start_source(cpu);
    if (error)
        return error;
    for_each_possible_cpu (cpu)
        fxt_gate_enable(&session_source(cpu)->gate);
    state =
        cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "fxtsampler", start_timer, cancel_timer);
    if (state < 0) {
        for_each_possible_cpu (cpu)
            fxt_gate_disable(&session_source(cpu)->gate);
        return state;
    }
    on_cpus = state;
    WRITE_ONCE(running, true);
    return 0;
}

int session_start(void)
{
    int error = 0;

    mutex_lock(&changing);
    if (!running)
        error = start_locked();
    mutex_unlock(&changing);
    return error;
}

/* ---- Stopping ---------------------------------------------------------------------- */

static void wait_for_handler(struct source *source)
{
    while (!fxt_gate_is_quiet(&source->gate))
        usleep_range(50, 500);
}

/* Hands the emitter to the reader, which reports what was dropped last. */
static void give_to_reader(struct source *source)
{
    mutex_lock(&source->reading);
    source->stopped = true;
    mutex_unlock(&source->reading);
}

static void stop_locked(void)
{
    unsigned int cpu;

    for_each_possible_cpu (cpu)
        fxt_gate_disable(&session_source(cpu)->gate);
    cpuhp_remove_state(on_cpus);
    for_each_possible_cpu (cpu)
        wait_for_handler(session_source(cpu));
    for_each_possible_cpu (cpu)
        give_to_reader(session_source(cpu));
    WRITE_ONCE(running, false);
}

void session_stop(void)
{
    mutex_lock(&changing);
    if (running)
        stop_locked();
    mutex_unlock(&changing);
}
