/* SPDX-License-Identifier: BSD-2-Clause */
/* See user.h: the kernel's side. */
#include "user.h"

#include "arch.h"

void user_main(void);

/* In data, since code can refer to near addresses only. */
static void (*const volatile program)(void) = user_main;

void user_run(void)
{
    arch_run_user((uintptr_t)program, USER_BASE + USER_BYTES);
}

bool user_is_text(void *context, uintptr_t pc)
{
    (void)context;
    return pc >= USER_BASE && pc - USER_BASE < (uintptr_t)(user_load_end - user_load);
}
