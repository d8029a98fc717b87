/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel, small as it is, has beside the sampler: something that runs. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdint.h>

#include "arch.h"

/* The process and the thread that run on this CPU, by the numbers that samples have. */
static inline uint64_t kernel_process(void)
{
    return 1;
}

static inline uint64_t kernel_thread(void)
{
    return 100 + arch_cpu();
}

/* Those of the program in user mode. */
static inline uint64_t kernel_user_process(void)
{
    return 2;
}

static inline uint64_t kernel_user_thread(void)
{
    return 200 + arch_cpu();
}

#endif
