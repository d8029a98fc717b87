/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Something to sample: of the time, 60 % is parse's, 30 % fold's, which optimise calls,
 * and 10 % link's. Two sessions of it, each with a function at its end where a debugger
 * can stop.
 */
#include "sampler.h"

enum { N_ROUNDS = 600, SPINS_PER_UNIT = 200, N_TURNS = 12 };

#define OWN_FRAME __attribute__((noinline))

extern uint32_t stack_end[];

_Noreturn void main(void);
void session_done(void);

/* Clang makes no frame record for a function that calls nothing, unless that needs lr. */
#define KEEP_FRAME() __asm__ volatile("" ::: "lr")

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
    __asm__ volatile(""); /* No tail call. */
}

static OWN_FRAME void link(unsigned n_units)
{
    for (unsigned i = 0; i < n_units * SPINS_PER_UNIT; i++)
        spin();
}

static OWN_FRAME void work(void)
{
    for (unsigned i = 0; i < N_ROUNDS; i++) {
        parse(6);
        optimise(3);
        link(1);
    }
}

OWN_FRAME void session_done(void)
{
    __asm__ volatile("");
}

_Noreturn void main(void)
{
    for (;;) {
        sampler_start((uintptr_t)stack_end);
        work();
        sampler_stop();
        session_done();
    }
}
