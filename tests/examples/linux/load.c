/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps all CPUs busy, with one process on each, until it is killed. Of the time in
 * `spin`, two thirds are called by `spin_long` and one by `spin_short`; so is that of the
 * kernel in getrandom, by `draw_long` and `draw_short`. Each has a frame record. All else
 * in the guest goes first.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

/* Short beside the time between samples, so that these are independent of each other. */
enum { SPINS = 4000, DRAWN_BYTES = 1024, GRND_INSECURE_ = 4 };

static char drawn[DRAWN_BYTES];

KEEP static void spin(unsigned n)
{
    /* On the stack, so that there is a frame. */
    for (volatile unsigned i = 0; i < n;)
        i = i + 1;
}

KEEP static void spin_long(void)
{
    spin(2 * SPINS);
    __asm__ volatile("");
}

KEEP static void spin_short(void)
{
    spin(SPINS);
    __asm__ volatile("");
}

/* Not by libc, whose functions have no frame records. The kernel waits for no entropy. */
KEEP static void draw(unsigned n)
{
    volatile unsigned i;

    for (i = 0; i < n; i = i + 1) {
        long result = SYS_getrandom;

        __asm__ volatile("syscall"
                         : "+a"(result)
                         : "D"(drawn), "S"(sizeof(drawn)), "d"(GRND_INSECURE_)
                         : "rcx", "r11", "memory");
        if (result != DRAWN_BYTES)
            abort();
    }
}

KEEP static void draw_long(void)
{
    draw(2);
    __asm__ volatile("");
}

KEEP static void draw_short(void)
{
    draw(1);
    __asm__ volatile("");
}

KEEP static void work(void)
{
    spin_long();
    draw_long();
    spin_short();
    draw_short();
    __asm__ volatile("");
}

static void work_on(int cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0 || nice(10) != 10)
        abort();
    for (;;)
        work();
}

int main(void)
{
    int n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

    for (int cpu = 1; cpu < n_cpus; cpu++)
        if (fork() == 0)
            work_on(cpu);
    work_on(0);
}
