/* SPDX-License-Identifier: BSD-2-Clause */
/* See sampler.h. The timer is SysTick, which all Cortex-M3 have. */
#include "sampler.h"

#include <fxt/arg.h>
#include <fxt/emit.h>
#include <fxt/emit_records.h>
#include <fxt/unwind.h>

enum { CLOCK_HZ = 12500000, PERIOD = 9000, MAX_PCS = 32, PROCESS = 1, THREAD = 2 };

/* ARMv7-M Architecture Reference Manual, B3.3.2: the system timer's registers. */
struct systick {
    volatile uint32_t control;
    volatile uint32_t reload;
    volatile uint32_t current;
};
#define SYSTICK ((struct systick *)0xe000e010)
enum { SYSTICK_ON = 7 }; /* Counts the processor's clock, and interrupts. */

/* What the processor pushes when it takes an exception (the same, B1.5.6). */
struct exception_frame {
    uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
};

struct sampler_ring sampler_ring __attribute__((aligned(128)));
volatile uint32_t sampler_n_taken;

static struct fxt_emit emit;
static uintptr_t thread_stack_end;
/* The clock when the current period began, and how many cycles that and the next take. */
static uint64_t now;
static uint32_t period;
static uint32_t next_period;

/* Linker symbols: all code. */
extern const char text_start[];
extern const char text_end[];

void systick_handler(void);
void sampler_take(const struct exception_frame *frame, uintptr_t frame_pointer);

static bool is_code(void *context, uintptr_t pc)
{
    (void)context;
    return pc >= (uintptr_t)text_start && pc < (uintptr_t)text_end;
}

__attribute__((noinline)) void sampler_ring_half_full(void)
{
    __asm__ volatile("");
}

static uint32_t used_words(void)
{
    uint32_t tail = FXT_LOAD_RELAXED(&sampler_ring.control.tail);
    uint32_t n_words = sizeof(sampler_ring.words) / FXT_WORD_BYTES;

    return (sampler_ring.control.head + n_words - tail) % n_words;
}

/* A period that varies, so that samples do not fall in step with what they sample. The
 * timer takes a new one when the current one ends. */
static void choose_next_period(void)
{
    static uint32_t random = 1;

    random = random * 1664525 + 1013904223;
    period = next_period;
    next_period = PERIOD + (random >> 16) % (PERIOD / 4);
    SYSTICK->reload = next_period - 1;
}

/* Called from the handler, whose frames are on the same stack below `frame`, and so are
 * never seen. */
__attribute__((used)) void sampler_take(const struct exception_frame *frame,
                                        uintptr_t frame_pointer)
{
    struct fxt_unwind from = {.pc = frame->pc,
                              .frame = frame_pointer,
                              .stack_low = (uintptr_t)frame,
                              .stack_high = thread_stack_end,
                              .is_code = is_code};
    uint64_t pcs[MAX_PCS];
    enum fxt_unwind_stop why;
    uint64_t n_pcs = fxt_unwind_walk_why(&from, pcs, MAX_PCS, &why);
    enum fxt_stack_end end =
        why == FXT_UNWIND_OUTERMOST ? FXT_STACK_END_OUTERMOST : FXT_STACK_END_UNKNOWN;

    now += period;
    choose_next_period();
    sampler_n_taken++;
    fxt_emit_stack(&emit, now, PROCESS, THREAD, pcs, n_pcs, end);
    if (used_words() > sizeof(sampler_ring.words) / FXT_WORD_BYTES / 2)
        sampler_ring_half_full();
}

/* Which stack was in use stands in the link register; the frame pointer is still that of
 * what was interrupted. The call returns from the exception. */
__attribute__((naked)) void systick_handler(void)
{
    __asm__("tst lr, #4\n\t"
            "ite eq\n\t"
            "mrseq r0, msp\n\t"
            "mrsne r0, psp\n\t"
            "mov r1, r7\n\t"
            "b sampler_take");
}

void sampler_start(uintptr_t stack_end)
{
    thread_stack_end = stack_end;
    now = 0;
    period = PERIOD;
    next_period = PERIOD;
    sampler_n_taken = 0;
    fxt_emit_init_ring(&emit, &sampler_ring, sizeof(sampler_ring), 0);
    fxt_emit_initialization(&emit, CLOCK_HZ);
    fxt_emit_kernel_object(&emit, FXT_OBJECT_PROCESS, PROCESS, FXT_TEXT("firmware"), 0,
                           0);
    SYSTICK->reload = PERIOD - 1;
    SYSTICK->current = 0;
    SYSTICK->control = SYSTICK_ON;
}

void sampler_stop(void)
{
    SYSTICK->control = 0;
    if (fxt_emit_drops(&emit))
        return;
    sampler_ring_half_full();
    fxt_emit_drops(&emit);
}
