/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the PCs of a thread of a stopped process, a line each, and how the stack ended:
 * print_stack TID. For test_gdb.py. */
#include <inttypes.h>

#include "target.h"

static void print(void *context)
{
    static uint64_t pcs[1024];
    static uint64_t exact[1024 / 64];
    struct target *t = (struct target *)context;
    struct user_regs_struct regs;
    struct unwind_result result;
    uint32_t n;

    t->exact = exact;
    target_read_maps(t);
    if (ptrace(PTRACE_GETREGS, t->pid, NULL, &regs) < 0)
        return;
    n = target_walk(t, &regs, regs.rsp, pcs, 1024, &result);
    for (uint32_t i = 0; i < n; i++)
        printf("%" PRIx64 "\n", pcs[i]);
    printf("end %d\n", (int)result.end);
}

int main(int argc, char **argv)
{
    static struct target t;
    int status;

    if (argc != 2)
        return 2;
    t.pid = (pid_t)atoi(argv[1]);
    if (ptrace(PTRACE_SEIZE, t.pid, NULL, NULL) < 0 ||
        ptrace(PTRACE_INTERRUPT, t.pid, NULL, NULL) < 0 ||
        waitpid(t.pid, &status, __WALL) < 0) {
        perror("ptrace");
        return 2;
    }
    return memory_run(NULL, print, &t) ? 1 : 0;
}
