/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk on a machine whose frame records are not known, over a stack that has records as
 * on x86: it must not take them for its own. headers.sh compiles this for such machines,
 * and runs it on this one as if it were none that is known. */
#include <fxt/unwind.h>

#if FXT_UNWIND_HAS_RECORDS
#error "this machine is taken for another"
#endif

int main(void)
{
    uintptr_t stack[8] = {0};
    struct fxt_unwind from = {0};
    enum fxt_unwind_stop why;
    uint64_t pcs[4];

    stack[2] = (uintptr_t)&stack[4];
    stack[3] = 0x2000;
    stack[5] = 0x3000;
    from.pc = 0x1000;
    from.frame = (uintptr_t)&stack[2];
    from.stack_low = (uintptr_t)&stack[0];
    from.stack_high = (uintptr_t)&stack[8];
    if (fxt_unwind_walk_why(&from, pcs, 4, &why) != 1 || pcs[0] != 0x1000 ||
        why != FXT_UNWIND_UNKNOWN_MACHINE)
        return 1;
    /* The link register is no frame record. */
    from.link = 0x4000;
    if (fxt_unwind_walk_why(&from, pcs, 4, &why) != 2 || pcs[1] != 0x4000 ||
        why != FXT_UNWIND_UNKNOWN_MACHINE)
        return 2;
    return fxt_unwind_walk_here(&from, pcs, 4) == 1 ? 0 : 3;
}
