/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame-pointer walk over stacks that compilers made. */
#include <fxt/unwind.h>

#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "common/base/context.h"
#include "tests/support/equal.h"

/* Sanitizers make functions long. */
enum { WORD = sizeof(uintptr_t), ROOM = 32, LONGEST_FUNCTION = 4096 };

/* ---- Interrupted ------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;
static uintptr_t stack_high;
static uint64_t real_pcs[ROOM];
static uint64_t n_real_pcs;

/* Where each function returns to. */
static uintptr_t returns[3];

static uintptr_t find_return(void *address)
{
    uintptr_t pc = (uintptr_t)__builtin_extract_return_addr(address);

#ifdef __thumb__
    pc &= ~(uintptr_t)1;
#endif
    return pc;
}

/* That the PCs from one on are where the functions return to, also from one on. */
static void check_callers(size_t pc, size_t first)
{
    /* Where none are known, a walk must do no harm, and finds what it can without. */
    if (!FXT_UNWIND_HAS_RECORDS)
        return;
    CHECK_TRUE(n_real_pcs > pc + 2 - first);
    for (size_t i = first; i < 3; i++)
        CHECK(real_pcs[pc + i - first] == returns[i], "frame %zu", i);
}

static void take_stack(int signal, siginfo_t *info, void *context)
{
    struct fxt_unwind from = {.stack_high = stack_high};

    (void)signal;
    (void)info;
    context_start(context, &from);
    n_real_pcs = fxt_unwind_walk(&from, real_pcs, ROOM);
    interrupted = 1;
}

static FXT_NOINLINE void inner(void)
{
    returns[0] = find_return(__builtin_return_address(0));
#if defined(__arm__)
    /* Clang gives leaf functions no frame record, unless they store the register. */
    __asm__ __volatile__("" : : : "lr");
#endif
    while (!interrupted)
        continue;
}

static FXT_NOINLINE int middle(void)
{
    returns[1] = find_return(__builtin_return_address(0));
    inner();
    return 1;
}

static FXT_NOINLINE int outer(void)
{
    returns[2] = find_return(__builtin_return_address(0));
    return 1 + middle();
}

TEST(unwind_real, a_signal_handler_finds_the_interrupted_callers)
{
    struct sigaction action = {.sa_sigaction = take_stack, .sa_flags = SA_SIGINFO};
    struct itimerval once = {.it_value = {.tv_usec = 20000}};

    /* Enough for the frames that are looked for, and certainly on the stack. */
    stack_high = (uintptr_t)__builtin_frame_address(0) + 4 * WORD;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &once, NULL);
    CHECK_EQ(outer(), 2);
    CHECK_TRUE(real_pcs[0] - (uintptr_t)inner <= LONGEST_FUNCTION);
    check_callers(1, 0);
}

/* ---- From here --------------------------------------------------------------------- */

static FXT_NOINLINE uint64_t walk_from_inner(uint32_t skip)
{
    struct fxt_unwind how = {.stack_high = stack_high, .skip = skip};

    returns[0] = find_return(__builtin_return_address(0));
    n_real_pcs = fxt_unwind_walk_here(&how, real_pcs, ROOM);
    return n_real_pcs;
}

static FXT_NOINLINE uint64_t walk_from_middle(uint32_t skip)
{
    returns[1] = find_return(__builtin_return_address(0));
    return walk_from_inner(skip) + 1;
}

static FXT_NOINLINE uint64_t walk_from_outer(uint32_t skip)
{
    returns[2] = find_return(__builtin_return_address(0));
    return walk_from_middle(skip) + 1;
}

TEST(unwind_real, a_function_finds_itself_and_its_callers)
{
    stack_high = (uintptr_t)__builtin_frame_address(0) + 4 * WORD;
    CHECK_EQ(walk_from_outer(0), n_real_pcs + 2);
    CHECK_TRUE(real_pcs[0] - (uintptr_t)walk_from_inner <= LONGEST_FUNCTION);
    check_callers(1, 0);
}

TEST(unwind_real, a_function_may_leave_itself_out)
{
    stack_high = (uintptr_t)__builtin_frame_address(0) + 4 * WORD;
    CHECK_EQ(walk_from_outer(1), n_real_pcs + 2);
    check_callers(0, 0);
    CHECK_EQ(walk_from_outer(3), n_real_pcs + 2);
    check_callers(0, 2);
}

/* One PC is known without any frame. */
TEST(unwind_real, without_a_stack_a_function_finds_only_itself)
{
    stack_high = 0;
    CHECK_EQ(walk_from_outer(0), 3);
    CHECK_TRUE(real_pcs[0] - (uintptr_t)walk_from_inner <= LONGEST_FUNCTION);
}
