/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See arch.h. The tick is the virtual timer, and the watchdog the physical one, whose
 * interrupt has a higher priority.
 */
#include "arch.h"
#include "frame.h"

/* The timers' ticks take 16 ns. */
enum { TICK_NS = 1000000000 / ARCH_TICKS_PER_SECOND, WATCHDOG_COUNT = 229000 / TICK_NS };

enum { INTERRUPT_TICK = 27, INTERRUPT_WATCHDOG = 30, INTERRUPT_NONE = 1023 };

extern const char secondary_start[];

/* ---- The GIC ----------------------------------------------------------------------- */

#define DISTRIBUTOR 0x08000000
#define CPU_INTERFACE 0x08010000

enum {
    DISTRIBUTOR_CONTROL = 0x000,
    DISTRIBUTOR_ENABLE = 0x100,
    DISTRIBUTOR_PRIORITY = 0x400, /* a byte for each interrupt; low ones go first */
    CPU_CONTROL = 0x00,
    CPU_PRIORITY_MASK = 0x04,
    CPU_ACKNOWLEDGE = 0x0c,
    CPU_END = 0x10,
};

static volatile uint32_t *gic(uintptr_t part, unsigned reg)
{
    return (volatile uint32_t *)(part + reg);
}

static void enable_interrupt(unsigned number, uint8_t priority)
{
    *(volatile uint8_t *)gic(DISTRIBUTOR, DISTRIBUTOR_PRIORITY + number) = priority;
    *gic(DISTRIBUTOR, DISTRIBUTOR_ENABLE) = 1u << number;
}

static void start_gic(void)
{
    *gic(DISTRIBUTOR, DISTRIBUTOR_CONTROL) = 1;
    enable_interrupt(INTERRUPT_TICK, 0xa0);
    enable_interrupt(INTERRUPT_WATCHDOG, 0x40);
    *gic(CPU_INTERFACE, CPU_PRIORITY_MASK) = 0xff;
    *gic(CPU_INTERFACE, CPU_CONTROL) = 1;
}

/* ---- Timers ------------------------------------------------------------------------ */

void arch_set_tick(uint32_t ns)
{
    KEEP_FRAME();
    __asm__ volatile("msr cntv_tval_el0, %0" : : "r"((uint64_t)ns / TICK_NS));
    __asm__ volatile("msr cntv_ctl_el0, %0\n\tisb" : : "r"((uint64_t)1));
}

static void stop_tick(void)
{
    __asm__ volatile("msr cntv_ctl_el0, %0\n\tisb" : : "r"((uint64_t)0));
}

/* The interrupt goes when its timer is off, even if it was due. */
bool arch_cancel_tick(void)
{
    uint64_t control;

    __asm__ volatile("msr daifset, #2" : : : "memory");
    __asm__ volatile("mrs %0, cntv_ctl_el0" : "=r"(control));
    stop_tick();
    __asm__ volatile("msr daifclr, #2" : : : "memory");
    return (control & 1) != 0;
}

static void set_watchdog(void)
{
    __asm__ volatile("msr cntp_tval_el0, %0" : : "r"((uint64_t)WATCHDOG_COUNT));
    __asm__ volatile("msr cntp_ctl_el0, %0\n\tisb" : : "r"((uint64_t)1));
}

/* ---- Interrupts -------------------------------------------------------------------- */

void aarch64_interrupt(struct trap_frame *trap);
_Noreturn void aarch64_exception(uint64_t why, uint64_t pc);
void aarch64_map_user(unsigned cpu);

/* Until the end of the interrupt is signalled to the GIC, it delivers only interrupts of
 * higher priority. The trap frame has the registers that a nested interrupt overwrites.
 */
static OWN_FRAME void handle_tick(struct trap_frame *trap)
{
    stop_tick();
    arch_link_frames(trap);
    __asm__ volatile("msr daifclr, #2" : : : "memory");
    kernel_tick(trap);
    __asm__ volatile("msr daifset, #2" : : : "memory");
}

void aarch64_interrupt(struct trap_frame *trap)
{
    uint32_t number = *gic(CPU_INTERFACE, CPU_ACKNOWLEDGE);

    if (number == INTERRUPT_NONE)
        return;
    if (number == INTERRUPT_TICK) {
        handle_tick(trap);
    } else {
        set_watchdog();
        kernel_watchdog(trap);
    }
    *gic(CPU_INTERFACE, CPU_END) = number;
}

void aarch64_exception(uint64_t why, uint64_t pc)
{
    static char text[] = "exception class 00";
    uint64_t class = why >> 26;

    text[sizeof(text) - 3] = "0123456789abcdef"[class >> 4 & 0xf];
    text[sizeof(text) - 2] = "0123456789abcdef"[class & 0xf];
    kernel_panic(text, pc);
}

/* ---- CPUs -------------------------------------------------------------------------- */

#define PSCI_CPU_ON 0xc4000003
#define PSCI_SYSTEM_OFF 0x84000008

static uint64_t call_psci(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
    register uint64_t x0 __asm__("x0") = function;
    register uint64_t x1 __asm__("x1") = a;
    register uint64_t x2 __asm__("x2") = b;
    register uint64_t x3 __asm__("x3") = c;

    __asm__ volatile("hvc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

void arch_init_cpu(void)
{
    aarch64_map_user(arch_cpu());
    start_gic();
    set_watchdog();
    __asm__ volatile("msr daifclr, #2" : : : "memory");
}

void arch_start_cpu(unsigned cpu)
{
    if (call_psci(PSCI_CPU_ON, cpu, (uintptr_t)secondary_start, cpu) != 0)
        kernel_panic("a CPU does not start", cpu);
}

void arch_exit(void)
{
    for (;;)
        call_psci(PSCI_SYSTEM_OFF, 0, 0, 0);
}
