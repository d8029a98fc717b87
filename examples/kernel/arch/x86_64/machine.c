/* SPDX-License-Identifier: BSD-2-Clause */
/* See arch.h. Descriptors, the APICs, and the second CPU. */
#include <stddef.h>

#include "arch.h"
#include "frame.h"

void x86_map_user(unsigned cpu);

/* The watchdog's time, in periods of the PIT's 1193182 Hz: 229 us. */
enum { WATCHDOG_COUNT = 273 };

extern const char trampoline[], trampoline_end[];
extern const char tick_entry[], nmi_entry[], spurious_entry[], exception_entries[];
extern const char page_fault_entry[], leave_user_entry[];

/* ---- Devices ----------------------------------------------------------------------- */

enum {
    APIC_SPURIOUS = 0xf0,
    APIC_REQUESTS = 0x200, /* eight registers of 32 bits, 16 bytes apart */
    APIC_COMMAND = 0x300,
    APIC_TARGET = 0x310,
    APIC_TIMER = 0x320,
    APIC_LINT0 = 0x350,
    APIC_COUNT = 0x380,
    APIC_DIVIDER = 0x3e0,
    APIC_MASKED = 1 << 16,
    APIC_DIVIDE_BY_1 = 0xb,
    APIC_SEND_INIT = 0x4500,
    APIC_SEND_START = 0x4600,
};

#define IO_APIC 0xfec00000

static volatile uint32_t *apic(unsigned reg)
{
    return (volatile uint32_t *)(uintptr_t)(LOCAL_APIC + reg);
}

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void write_io_apic(uint32_t reg, uint32_t value)
{
    *(volatile uint32_t *)IO_APIC = reg;
    *(volatile uint32_t *)(IO_APIC + 0x10) = value;
}

/* The PIT's interrupt, which is pin 2, as an NMI to all CPUs: what old kernels have had
 * as their watchdog. */
static void start_watchdogs(void)
{
    out8(0x21, 0xff); /* The PICs are not used. */
    out8(0xa1, 0xff);
    write_io_apic(0x10 + 2 * 2 + 1, 0xff000000);
    write_io_apic(0x10 + 2 * 2, 4 << 8);
    out8(0x43, 0x34); /* Again and again. */
    out8(0x40, WATCHDOG_COUNT & 0xff);
    out8(0x40, WATCHDOG_COUNT >> 8);
}

static void start_apic(void)
{
    *apic(APIC_LINT0) = APIC_MASKED;
    *apic(APIC_SPURIOUS) = 0x100 | VECTOR_SPURIOUS;
    *apic(APIC_DIVIDER) = APIC_DIVIDE_BY_1;
    *apic(APIC_TIMER) = VECTOR_TICK;
}

/* qemu's local APICs count nanoseconds. Real ones have a rate to be measured. */
void arch_set_tick(uint32_t ns)
{
    KEEP_FRAME();
    *apic(APIC_COUNT) = ns;
}

bool arch_cancel_tick(void)
{
    uint32_t requests;

    __asm__ volatile("cli");
    *apic(APIC_COUNT) = 0;
    requests = *apic(APIC_REQUESTS + VECTOR_TICK / 32 * 16);
    __asm__ volatile("sti");
    return (requests >> VECTOR_TICK % 32 & 1) == 0;
}

/* ---- Descriptors ------------------------------------------------------------------- */

struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint8_t stack;
    uint8_t type;
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t unused;
};

/* The part of a task state segment that is used: the stacks for interrupts. Its 64-bit
 * fields stand at odd multiples of 4 bytes. */
struct task_state {
    uint32_t unused;
    /* For what comes from user mode and has no other. */
    uint32_t stack[2];
    uint32_t unused_1[6];
    uint32_t stacks[7][2];
    uint32_t unused_2[3];
};

struct pointer {
    uint16_t unused[3];
    uint16_t limit;
    uint64_t base;
};

static struct gate gates[256] __attribute__((aligned(16)));
static struct task_state tasks[N_CPUS] __attribute__((aligned(16)));
static uint64_t descriptors[5 + 2 * N_CPUS] = {
    [SELECTOR_CODE / 8] = 0x00209b0000000000,
    [SELECTOR_DATA / 8] = 0x00cf93000000ffff,
    [SELECTOR_USER_CODE / 8] = 0x0020fb0000000000,
    [SELECTOR_USER_DATA / 8] = 0x00cff3000000ffff,
};
static uint32_t cpu_numbers[N_CPUS];

/* `stack` is one of the task's, from 1, or 0 for the one that is in use. */
static void set_gate(unsigned vector, const char *entry, uint8_t stack)
{
    uintptr_t address = (uintptr_t)entry;

    gates[vector] = (struct gate){
        .offset_low = (uint16_t)address,
        .selector = SELECTOR_CODE,
        .stack = stack,
        .type = 0x8e,
        .offset_middle = (uint16_t)(address >> 16),
        .offset_high = (uint32_t)(address >> 32),
    };
}

static void set_gates(void)
{
    for (unsigned vector = 0; vector < 32; vector++)
        set_gate(vector, exception_entries + vector * (size_t)16, STACK_WATCHDOG);
    set_gate(VECTOR_NMI, nmi_entry, STACK_WATCHDOG);
    set_gate(VECTOR_TICK, tick_entry, STACK_TICK);
    set_gate(VECTOR_SPURIOUS, spurious_entry, STACK_TICK);
    /* On the stack that is in use, which may be that of an NMI. */
    set_gate(VECTOR_PAGE_FAULT, page_fault_entry, 0);
    set_gate(VECTOR_LEAVE_USER, leave_user_entry, 0);
    gates[VECTOR_LEAVE_USER].type |= 3 << 5; /* for user mode */
}

static void set_task(unsigned cpu)
{
    struct task_state *task = &tasks[cpu];
    uint64_t address = (uintptr_t)task;
    uint64_t *descriptor = &descriptors[3 + 2 * cpu];

    for (unsigned i = STACK_TICK; i < N_STACKS; i++) {
        uintptr_t top = (uintptr_t)stacks[cpu][i] + STACK_BYTES;

        task->stacks[i - 1][0] = (uint32_t)top;
        task->stacks[i - 1][1] = (uint32_t)(top >> 32);
    }
    task->stack[0] = task->stacks[STACK_TICK - 1][0];
    task->stack[1] = task->stacks[STACK_TICK - 1][1];
    descriptor[0] = (sizeof(*task) - 1) | (address & 0xffffff) << 16 |
                    (uint64_t)0x89 << 40 | (address >> 24 & 0xff) << 56;
    descriptor[1] = address >> 32;
}

static void load_descriptors(unsigned cpu)
{
    struct pointer all = {.limit = sizeof(descriptors) - 1,
                          .base = (uintptr_t)descriptors};
    struct pointer interrupts = {.limit = sizeof(gates) - 1, .base = (uintptr_t)gates};
    uint16_t task = (uint16_t)(SELECTOR_TASK + 16 * cpu);

    __asm__ volatile("lgdt %0" : : "m"(all.limit), "m"(all.base));
    __asm__ volatile("lidt %0" : : "m"(interrupts.limit), "m"(interrupts.base));
    __asm__ volatile("ltr %0" : : "r"(task));
}

/* What arch_cpu looks at. */
static void set_cpu_number(unsigned cpu)
{
    uint64_t address = (uintptr_t)&cpu_numbers[cpu];

    cpu_numbers[cpu] = cpu;
    __asm__ volatile("wrmsr"
                     :
                     : "c"(0xc0000101), "a"((uint32_t)address), "d"(address >> 32)
                     : "memory");
}

/* ---- CPUs -------------------------------------------------------------------------- */

/* qemu numbers local APICs as CPUs. */
static unsigned find_cpu_number(void)
{
    return *apic(0x20) >> 24;
}

void arch_init_cpu(void)
{
    unsigned cpu = find_cpu_number();

    set_cpu_number(cpu);
    set_task(cpu);
    if (cpu == 0)
        set_gates();
    load_descriptors(cpu);
    x86_map_user(cpu);
    start_apic();
    /* A CPU that is not ready for NMIs must not get any. */
    if (cpu == N_CPUS - 1)
        start_watchdogs();
    __asm__ volatile("sti");
}

static void wait_us(unsigned us)
{
    uint64_t begin = arch_ticks();

    while (arch_ticks() - begin < us * (uint64_t)1000)
        arch_relax();
}

void arch_start_cpu(unsigned cpu)
{
    volatile char *to = (char *)TRAMPOLINE;

    for (size_t i = 0; i < (size_t)(trampoline_end - trampoline); i++)
        to[i] = trampoline[i];
    *apic(APIC_TARGET) = cpu << 24;
    *apic(APIC_COMMAND) = APIC_SEND_INIT;
    wait_us(10000);
    for (unsigned turn = 0; turn < 2; turn++) {
        *apic(APIC_TARGET) = cpu << 24;
        *apic(APIC_COMMAND) = APIC_SEND_START | TRAMPOLINE >> 12;
        wait_us(200);
    }
}

/* qemu's isa-debug-exit: it exits with 2 * 0 + 1. */
void arch_exit(void)
{
    for (;;)
        out8(0x501, 0);
}

_Noreturn void x86_exception(uint64_t vector, const uint64_t first,
                             const uint64_t second);

_Noreturn void x86_exception(uint64_t vector, const uint64_t first, const uint64_t second)
{
    static char why[] = "exception 00";

    why[sizeof(why) - 3] = (char)('0' + vector / 10);
    why[sizeof(why) - 2] = (char)('0' + vector % 10);
    kernel_panic(why, vector == 8 || (vector >= 10 && vector <= 14) ? second : first);
}
