/* SPDX-License-Identifier: BSD-2-Clause */
/* The vector table, and what runs between reset and main. */
#include <stddef.h>
#include <stdint.h>

/* Linker symbols. */
extern const uint32_t data_load[];
extern uint32_t data_start[];
extern uint32_t data_end[];
extern uint32_t bss_start[];
extern uint32_t bss_end[];
extern uint32_t stack_end[];

void reset_handler(void);
void reset_memory(void);
void systick_handler(void);
_Noreturn void main(void);
_Noreturn void fault_handler(void);

/* Where a debugger finds the processor after a fault. */
_Noreturn void fault_handler(void)
{
    for (;;)
        __asm__ volatile("wfi");
}

__attribute__((used)) void reset_memory(void)
{
    const uint32_t *from = data_load;

    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
}

/* The frame pointer and the link register are 0 in main's frame record: the walk ends
 * there. */
__attribute__((naked)) void reset_handler(void)
{
    __asm__("bl reset_memory\n\t"
            "movs r7, #0\n\t"
            "mov lr, r7\n\t"
            "b main");
}

typedef void handler(void);

/* ARMv7-M Architecture Reference Manual, B1.5.3: the exceptions by their numbers. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    handler *handlers[15];
} vectors = {
    stack_end,
    {[0] = reset_handler,
     [1] = fault_handler,
     [2] = fault_handler,
     [3] = fault_handler,
     [4] = fault_handler,
     [5] = fault_handler,
     [10] = fault_handler,
     [11] = fault_handler,
     [13] = fault_handler,
     [14] = systick_handler},
};
