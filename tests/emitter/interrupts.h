/* SPDX-License-Identifier: BSD-2-Clause */
/* Turning interrupts off, as a program for a machine without atomic instructions defines
 * it: see fxt/compiler_no_atomics.h. */
#if defined(__riscv)
#define FXT_INTERRUPTS_OFF() own_interrupts_off()
#define FXT_INTERRUPTS_RESTORE(state) own_interrupts_restore(state)
static inline unsigned long own_interrupts_off(void)
{
    unsigned long state;

    __asm__ __volatile__(/* csrrci %0, mstatus, 8, which not each assembler takes */
                         ".insn i 0x73, 7, %0, x8, 0x300"
                         : "=r"(state)
                         :
                         : "memory");
    return state & 8;
}
static inline void own_interrupts_restore(unsigned long state)
{
    __asm__ __volatile__(/* csrs mstatus, %0 */
                         ".insn i 0x73, 2, x0, %0, 0x300"
                         :
                         : "r"(state)
                         : "memory");
}
#elif defined(__arm__) && __ARM_ARCH < 6
#define FXT_INTERRUPTS_OFF() own_interrupts_off()
#define FXT_INTERRUPTS_RESTORE(state) own_interrupts_restore(state)
static inline unsigned own_interrupts_off(void)
{
    unsigned state;
    unsigned off;

    __asm__ __volatile__("mrs %0, cpsr\n\torr %1, %0, #128\n\tmsr cpsr_c, %1"
                         : "=r"(state), "=r"(off)
                         :
                         : "memory");
    return state;
}
static inline void own_interrupts_restore(unsigned state)
{
    __asm__ __volatile__("msr cpsr_c, %0" : : "r"(state) : "memory");
}
#elif defined(__arm__)
#define FXT_INTERRUPTS_OFF() own_interrupts_off()
#define FXT_INTERRUPTS_RESTORE(state) own_interrupts_restore(state)
static inline unsigned own_interrupts_off(void)
{
    unsigned state;

    __asm__ __volatile__("mrs %0, primask\n\tcpsid i" : "=r"(state) : : "memory");
    return state;
}
static inline void own_interrupts_restore(unsigned state)
{
    __asm__ __volatile__("msr primask, %0" : : "r"(state) : "memory");
}
#elif !defined(__KERNEL__)
/* A program that has threads in place of interrupts. */
#include <pthread.h>
#include <stdint.h>
#define FXT_INTERRUPTS_OFF() own_interrupts_off()
#define FXT_INTERRUPTS_RESTORE(state) own_interrupts_restore(state)
static pthread_mutex_t own_interrupts = PTHREAD_MUTEX_INITIALIZER;
static inline int own_interrupts_off(void)
{
    return pthread_mutex_lock(&own_interrupts);
}
static inline void own_interrupts_restore(uintptr_t state)
{
    (void)state;
    pthread_mutex_unlock(&own_interrupts);
}
#endif
