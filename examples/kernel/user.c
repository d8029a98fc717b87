/* SPDX-License-Identifier: BSD-2-Clause */
/* See user.h. What this file compiles to is linked for the program's addresses, and calls
 * nothing that is not in it. */
#include "user.h"

#include "arch.h"
#include "frame.h"

enum { TURNS = 12, SPINS_A_UNIT = 40 };

/* Where there is no memory, between the program's text and its stack. */
#define NOWHERE (USER_BASE + USER_BYTES / 2)

OWN_FRAME void user_spin(void);
OWN_FRAME void user_parse(unsigned n_units);
OWN_FRAME void user_search(unsigned n_units);
OWN_FRAME void user_plan(unsigned n_units);
OWN_FRAME void user_lost(void);
OWN_FRAME void user_main(void);

OWN_FRAME void user_spin(void)
{
    KEEP_FRAME();
    for (unsigned i = 0; i < TURNS; i++)
        __asm__ volatile("" : "+r"(i)); /* Opaque to the compiler. */
}

OWN_FRAME void user_parse(unsigned n_units)
{
    for (unsigned i = 0; i < n_units * SPINS_A_UNIT; i++)
        user_spin();
}

OWN_FRAME void user_search(unsigned n_units)
{
    for (unsigned i = 0; i < n_units * SPINS_A_UNIT; i++)
        user_spin();
}

OWN_FRAME void user_plan(unsigned n_units)
{
    user_search(n_units);
    __asm__ volatile("");
}

/* As code that uses the register for something else. */
OWN_FRAME void user_lost(void)
{
    KEEP_FRAME();
    ARCH_SPIN_WITHOUT_FRAME(NOWHERE, SPINS_A_UNIT * TURNS);
}

/* Where the program begins: with no frame above. It ends by asking the kernel. */
OWN_FRAME void user_main(void)
{
    user_parse(4);
    user_plan(3);
    user_lost();
    ARCH_LEAVE_USER();
}
