/* SPDX-License-Identifier: BSD-2-Clause */
/* As much of a kernel as a linker needs to put it where kernels are. */

/* A separate function, called or not. */
#define USED __attribute__((noinline, used))

static volatile int ticks;

/* Labels without type or size, as assembly in kernels has them. */
__asm__(".text\n"
        ".globl kernel_entry\n"
        "kernel_entry:\n"
        "    nop\n"
        "    nop\n"
        "interrupt_entry:\n"
        "    nop\n"
        "    nop\n");

USED static void timer_tick(void)
{
    ticks++;
}

USED static void idle_loop(void)
{
    timer_tick();
    ticks += 2;
}

USED static __attribute__((noreturn)) void panic(void)
{
    for (;;)
        ticks++;
}

USED static void check_or_panic(void)
{
    timer_tick();
    panic();
}

USED static void scheduler(void)
{
    idle_loop();
    ticks += 3;
}

USED static void kernel_main(void)
{
    scheduler();
    check_or_panic();
}
