/* SPDX-License-Identifier: BSD-2-Clause */
/* See arch.h. */
#include "arch.h"
#include "frame.h"

/* The timer's ticks take 100 ns. */
enum { TICK_NS = 1000000000 / ARCH_TICKS_PER_SECOND, WATCHDOG_COUNT = 229000 / TICK_NS };

#define MSIP 0x2000000     /* a word of 32 bits for each CPU */
#define MTIMECMP 0x2004000 /* one of 64 */
#define TEST_DEVICE 0x100000

#define CAUSE_MACHINE_TIMER ((uint64_t)1 << 63 | 7)

/* When a CPU's interrupts are due. */
struct due {
    uint64_t tick;
    uint64_t watchdog;
};

#define NEVER UINT64_MAX

static volatile struct due dues[N_CPUS] = {{NEVER, NEVER}, {NEVER, NEVER}};

/* ---- Timers ------------------------------------------------------------------------ */

/* In supervisor mode, the machine's interrupt may come in between. It finds the time that
 * was set, and what is set here for a second time is then too early at worst. */
static void set_timer(const volatile struct due *due)
{
    uint64_t tick = due->tick;
    uint64_t watchdog = due->watchdog;

    ((volatile uint64_t *)MTIMECMP)[arch_cpu()] = tick < watchdog ? tick : watchdog;
}

void arch_set_tick(uint32_t ns)
{
    KEEP_FRAME();
    dues[arch_cpu()].tick = arch_ticks() + ns / TICK_NS;
    set_timer(&dues[arch_cpu()]);
}

bool arch_cancel_tick(void)
{
    __asm__ volatile("csrci sstatus, 1 << 1" : : : "memory");
    dues[arch_cpu()].tick = NEVER;
    __asm__ volatile("csrci sip, 1 << 1" : : : "memory");
    __asm__ volatile("csrsi sstatus, 1 << 1" : : : "memory");
    return true;
}

/* ---- Machine mode ------------------------------------------------------------------ */

void riscv64_machine(struct trap_frame *trap);
void riscv64_map_user(unsigned cpu);
_Noreturn void riscv64_exception(uint64_t cause, uintptr_t pc);

static _Noreturn void panic(uint64_t cause, uintptr_t pc)
{
    static char why[] = "exception 00";

    why[sizeof(why) - 3] = (char)('0' + cause % 100 / 10);
    why[sizeof(why) - 2] = (char)('0' + cause % 10);
    kernel_panic(why, pc);
}

void riscv64_exception(uint64_t cause, uintptr_t pc)
{
    panic(cause, pc);
}

void riscv64_machine(struct trap_frame *trap)
{
    volatile struct due *due = &dues[arch_cpu()];
    uint64_t now = arch_ticks();
    uint64_t cause;

    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    if (cause != CAUSE_MACHINE_TIMER)
        panic(cause, trap->x[X_PC]);
    if (now >= due->tick) {
        due->tick = NEVER;
        __asm__ volatile("csrsi mip, 1 << 1" : : : "memory");
    }
    if (now >= due->watchdog) {
        due->watchdog = now + WATCHDOG_COUNT;
        kernel_watchdog(trap);
    }
    set_timer(due);
}

/* ---- CPUs -------------------------------------------------------------------------- */

void arch_init_cpu(void)
{
    volatile struct due *due = &dues[arch_cpu()];

    riscv64_map_user(arch_cpu());
    due->watchdog = arch_ticks() + WATCHDOG_COUNT;
    set_timer(due);
    __asm__ volatile("csrsi sstatus, 1 << 1" : : : "memory");
}

void arch_start_cpu(unsigned cpu)
{
    ((volatile uint32_t *)MSIP)[cpu] = 1;
}

void arch_exit(void)
{
    for (;;)
        *(volatile uint32_t *)TEST_DEVICE = 0x5555;
}
