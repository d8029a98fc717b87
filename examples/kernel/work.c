/* SPDX-License-Identifier: BSD-2-Clause */
/* See work.h. */
#include "work.h"

#include "arch.h"
#include "frame.h"
#include "sampler.h"

struct mix {
    unsigned n_parse;
    unsigned n_fold;
    unsigned n_link;
};

static const struct mix mixes[N_CPUS] = {{6, 3, 1}, {2, 1, 7}};

/* Short, so that interrupts often find it in its first and last instructions. */
enum { N_TURNS = 12, N_TIMERS = 3, SPINS_PER_UNIT = 40 };

static OWN_FRAME void spin(void)
{
    KEEP_FRAME();
    for (unsigned i = 0; i < N_TURNS; i++)
        __asm__ volatile("" : "+r"(i)); /* Opaque to the compiler. */
}

static OWN_FRAME void parse(unsigned n_units)
{
    for (unsigned i = 0; i < n_units * SPINS_PER_UNIT; i++)
        spin();
}

static OWN_FRAME void fold(unsigned n_units)
{
    for (unsigned i = 0; i < n_units * SPINS_PER_UNIT; i++)
        spin();
}

static OWN_FRAME void optimise(unsigned n_units)
{
    fold(n_units);
    sampler_take_probe();
}

static OWN_FRAME void compile(const struct mix *mix)
{
    parse(mix->n_parse);
    optimise(mix->n_fold);
}

static OWN_FRAME void link(unsigned n_units)
{
    for (unsigned i = 0; i < n_units * SPINS_PER_UNIT; i++)
        spin();
}

OWN_FRAME void work_round(void)
{
    const struct mix *mix = &mixes[arch_cpu()];

    compile(mix);
    link(mix->n_link);
}

OWN_FRAME void run_timers(void)
{
    for (unsigned i = 0; i < N_TIMERS * SPINS_PER_UNIT; i++)
        spin();
}
