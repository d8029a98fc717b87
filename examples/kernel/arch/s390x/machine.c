/* SPDX-License-Identifier: BSD-2-Clause */
/* See arch.h. */
#include "arch.h"
#include "frame.h"

/* The clock's ticks are 4096 in a microsecond. */
enum { TICKS_PER_US = 4096, WATCHDOG_COUNT = 229 * TICKS_PER_US };

#define NEVER UINT64_MAX

enum { CODE_TICK = 0x1004, CODE_WATCHDOG = 0x1005 };

struct psw {
    uint64_t mask;
    uint64_t address;
};

/* 64-bit addresses, no translation, and no interrupts. */
#define PSW_MASK 0x0000000180000000
/* The same, and it waits. */
#define PSW_WAIT 0x0002000180000000

struct lowcore {
    unsigned char unused_1[LOWCORE_RESTART_PSW];
    struct psw restart;
    struct psw interrupt;
    struct psw supervisor_call;
    struct psw program;
    struct psw machine_check;
    struct psw io;
    unsigned char unused_2[LOWCORE_TICK_STACK - 0x200];
    uint64_t tick_stack;
    uint64_t watchdog_stack;
    unsigned char unused_3[8192 - 0x260];
};

/* At address 0, where each CPU finds its own. */
extern volatile struct lowcore lowcore;

/* The other CPUs'. The first has what is at address 0. */
static struct lowcore lowcores[N_CPUS - 1] __attribute__((aligned(8192)));

extern const char secondary_start[], interrupt_entry[], exception_entry[];
extern const char leave_user_entry[];

void s390x_map_user(unsigned cpu);

/* ---- Timers ------------------------------------------------------------------------ */

static void set_comparator(uint64_t ticks)
{
    __asm__ volatile("sckc %0" : : "Q"(ticks));
}

void arch_set_tick(uint32_t ns)
{
    KEEP_FRAME();
    set_comparator(arch_ticks() + (uint64_t)ns * TICKS_PER_US / 1000);
}

/* An interrupt that is due goes with its reason. */
bool arch_cancel_tick(void)
{
    set_comparator(NEVER);
    return true;
}

static void set_watchdog(void)
{
    uint64_t count = WATCHDOG_COUNT;

    __asm__ volatile("spt %0" : : "Q"(count));
}

/* Which timers' interrupts are let in, if any is. */
static void choose_interrupts(bool has_tick)
{
    uint64_t control = has_tick ? 0xc00 : 0x400;

    __asm__ volatile("lctlg 0, 0, %0" : : "Q"(control));
}

static void let_interrupts_in(void)
{
    uint8_t before;

    __asm__ volatile("stosm %0, 1" : "=Q"(before) : : "memory");
}

static void keep_interrupts_out(void)
{
    uint8_t before;

    __asm__ volatile("stnsm %0, 0xfe" : "=Q"(before) : : "memory");
}

/* ---- Interrupts -------------------------------------------------------------------- */

void s390x_interrupt(struct trap_frame *trap, uint64_t code);
_Noreturn void s390x_exception(uint64_t pc);

static OWN_FRAME void handle_tick(struct trap_frame *trap)
{
    set_comparator(NEVER);
    arch_link_frames(trap);
    choose_interrupts(false);
    let_interrupts_in();
    kernel_tick(trap);
    keep_interrupts_out();
    choose_interrupts(true);
}

void s390x_interrupt(struct trap_frame *trap, uint64_t code)
{
    if (code == CODE_TICK) {
        handle_tick(trap);
    } else if (code == CODE_WATCHDOG) {
        set_watchdog();
        kernel_watchdog(trap);
    }
}

void s390x_exception(uint64_t pc)
{
    kernel_panic("a program exception", pc);
}

/* ---- CPUs -------------------------------------------------------------------------- */

enum { SIGP_STOP = 5, SIGP_RESTART = 6, SIGP_SET_PREFIX = 13 };

static void signal_cpu(unsigned cpu, unsigned order, uint64_t parameter)
{
    register uint64_t r1 __asm__("r1") = parameter;

    __asm__ volatile("sigp %0, %1, 0(%2)"
                     : "+d"(r1)
                     : "d"((uint64_t)cpu), "a"((uint64_t)order)
                     : "cc", "memory");
}

static uint64_t top_of(unsigned stack)
{
    return (uintptr_t)stacks[arch_cpu()][stack] + STACK_BYTES;
}

void arch_init_cpu(void)
{
    lowcore.interrupt = (struct psw){PSW_MASK, (uintptr_t)interrupt_entry};
    lowcore.supervisor_call = (struct psw){PSW_MASK, (uintptr_t)leave_user_entry};
    lowcore.program = (struct psw){PSW_MASK, (uintptr_t)exception_entry};
    lowcore.tick_stack = top_of(STACK_TICK);
    lowcore.watchdog_stack = top_of(STACK_WATCHDOG);
    s390x_map_user(arch_cpu());
    set_comparator(NEVER);
    set_watchdog();
    choose_interrupts(true);
    let_interrupts_in();
}

void arch_start_cpu(unsigned cpu)
{
    struct lowcore *its = &lowcores[cpu - 1];

    its->restart = (struct psw){PSW_MASK, (uintptr_t)secondary_start};
    signal_cpu(cpu, SIGP_SET_PREFIX, (uintptr_t)its);
    signal_cpu(cpu, SIGP_RESTART, 0);
}

/* Waiting for nothing, with all other CPUs stopped, is the end, and at this address a
 * good one. */
void arch_exit(void)
{
    static const struct psw end = {PSW_WAIT, 0xfff};

    keep_interrupts_out();
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        if (cpu != arch_cpu())
            signal_cpu(cpu, SIGP_STOP, 0);
    for (;;)
        __asm__ volatile("lpswe %0" : : "Q"(end));
}
