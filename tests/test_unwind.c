/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame-pointer walk, over stacks that are made up and over a real one. */
#include <fxt/unwind.h>

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "context.h"

enum { WORD = sizeof(uintptr_t), ROOM = 32 };

/* What the frame pointer register holds for a frame record at an address. */
static uintptr_t frame_at(uintptr_t record)
{
    return record + (0 - FXT_UNWIND_RECORD_((uintptr_t)0));
}

/* ---- Made-up stacks ---------------------------------------------------------------- */

struct made_up {
    uintptr_t words[64];
    /* The part of it that is the stack, in words. */
    size_t low;
    size_t high;
    uint64_t pcs[ROOM];
};

static uintptr_t address_of(const struct made_up *stack, size_t index)
{
    return (uintptr_t)&stack->words[index];
}

/* Puts a frame record at a word; `caller` is the word of the next one. */
static void put_record(struct made_up *stack, size_t index, size_t caller, uintptr_t pc)
{
    stack->words[index] = frame_at(address_of(stack, caller));
    stack->words[index + 1] = pc;
}

static struct fxt_unwind start_at(const struct made_up *stack, uintptr_t record)
{
    return (struct fxt_unwind){
        .pc = 0x1000,
        .frame = frame_at(record),
        .stack_low = address_of(stack, stack->low),
        .stack_high = address_of(stack, stack->high),
    };
}

/* Walks from the record at an address and returns how many PCs it found. */
static uint64_t walk_from(struct made_up *stack, uintptr_t record)
{
    struct fxt_unwind from = start_at(stack, record);

    memset(stack->pcs, 0, sizeof(stack->pcs));
    return fxt_unwind_walk(&from, stack->pcs, ROOM);
}

static uint64_t walk(struct made_up *stack, size_t index)
{
    return walk_from(stack, address_of(stack, index));
}

/* Three records in words 10, 20 and 40 of a stack of words 8 to 48; no caller beyond. */
static void make_three(struct made_up *stack)
{
    memset(stack, 0, sizeof(*stack));
    stack->low = 8;
    stack->high = 48;
    put_record(stack, 10, 20, 0x2000);
    put_record(stack, 20, 40, 0x3000);
    stack->words[40] = 0;
    stack->words[41] = 0x4000;
}

Test(unwind, frames_are_followed_to_the_one_without_a_caller)
{
    struct made_up stack;

    make_three(&stack);
    cr_assert_eq(walk(&stack, 10), 4);
    cr_assert_eq(stack.pcs[0], 0x1000);
    cr_assert_eq(stack.pcs[1], 0x2000);
    cr_assert_eq(stack.pcs[2], 0x3000);
    cr_assert_eq(stack.pcs[3], 0x4000);
}

Test(unwind, without_a_frame_there_is_only_the_pc)
{
    struct made_up stack;
    struct fxt_unwind from;

    make_three(&stack);
    from = start_at(&stack, 0);
    from.frame = 0;
    cr_assert_eq(fxt_unwind_walk(&from, stack.pcs, ROOM), 1);
    cr_assert_eq(stack.pcs[0], 0x1000);
}

Test(unwind, without_a_stack_there_is_only_the_pc)
{
    struct made_up stack;
    struct fxt_unwind from;

    make_three(&stack);
    from = start_at(&stack, address_of(&stack, 10));
    from.stack_low = from.stack_high = 0;
    cr_assert_eq(fxt_unwind_walk(&from, stack.pcs, ROOM), 1);
    /* Upside down. */
    from.stack_low = address_of(&stack, 48);
    from.stack_high = address_of(&stack, 8);
    cr_assert_eq(fxt_unwind_walk(&from, stack.pcs, ROOM), 1);
    /* Empty. */
    from.stack_low = from.stack_high = address_of(&stack, 10);
    cr_assert_eq(fxt_unwind_walk(&from, stack.pcs, ROOM), 1);
}

Test(unwind, a_return_address_of_zero_ends_the_walk_and_is_not_stored)
{
    struct made_up stack;

    make_three(&stack);
    stack.words[21] = 0;
    cr_assert_eq(walk(&stack, 10), 2);
    cr_assert_eq(stack.pcs[1], 0x2000);
    cr_assert_eq(stack.pcs[2], 0);
}

Test(unwind, no_more_is_stored_than_there_is_room_for)
{
    struct made_up stack;
    struct fxt_unwind from;

    make_three(&stack);
    from = start_at(&stack, address_of(&stack, 10));
    for (uint64_t room = 0; room <= 6; room++) {
        uint64_t expected = room < 4 ? room : 4;

        memset(stack.pcs, 0xff, sizeof(stack.pcs));
        cr_assert_eq(fxt_unwind_walk(&from, stack.pcs, room), expected);
        cr_assert_eq(stack.pcs[expected], UINT64_MAX);
    }
}

Test(unwind, a_misaligned_frame_is_not_followed)
{
    struct made_up stack;

    make_three(&stack);
    for (uintptr_t off = 1; off < WORD; off++) {
        cr_assert_eq(walk_from(&stack, address_of(&stack, 10) + off), 1);
        stack.words[10] = frame_at(address_of(&stack, 20)) + off;
        cr_assert_eq(walk(&stack, 10), 2);
    }
}

Test(unwind, a_frame_must_lie_wholly_in_the_stack)
{
    struct made_up stack;

    make_three(&stack);
    for (size_t i = 0; i < 63; i++)
        stack.words[i] = 0x7000;
    for (size_t i = 0; i < 62; i++) {
        bool inside = i >= stack.low && i + 2 <= stack.high;

        cr_assert_eq(walk(&stack, i), inside ? 2 : 1, "at word %zu", i);
    }
    /* The same for a caller's frame, seen from word 8. */
    for (size_t i = 10; i < 62; i++) {
        put_record(&stack, 8, i, 0x2000);
        cr_assert_eq(walk(&stack, 8), i + 2 <= stack.high ? 3 : 2, "caller at %zu", i);
    }
}

Test(unwind, a_frame_must_be_above_the_one_before)
{
    struct made_up stack;

    make_three(&stack);
    /* Itself, one below, one that is half itself. */
    put_record(&stack, 20, 20, 0x3000);
    cr_assert_eq(walk(&stack, 10), 3);
    put_record(&stack, 20, 10, 0x3000);
    cr_assert_eq(walk(&stack, 10), 3);
    stack.words[22] = 0x3800;
    put_record(&stack, 20, 21, 0x3000);
    cr_assert_eq(walk(&stack, 10), 3);
    put_record(&stack, 20, 19, 0x3000);
    cr_assert_eq(walk(&stack, 10), 3);
    /* The next that is possible. */
    put_record(&stack, 20, 22, 0x3000);
    put_record(&stack, 22, 40, 0x3800);
    cr_assert_eq(walk(&stack, 10), 5);
}

/* As on riscv; elsewhere the word is taken for a return address like any other. */
Test(unwind, an_interrupted_leaf_may_keep_only_its_callers_frame)
{
    struct made_up stack;

    make_three(&stack);
    stack.words[10] = 0x7000;
    stack.words[11] = frame_at(address_of(&stack, 20));
    if (FXT_UNWIND_LEAF_KEEPS_FRAME_) {
        cr_assert_eq(walk(&stack, 10), 3);
        cr_assert_eq(stack.pcs[1], 0x3000);
        cr_assert_eq(stack.pcs[2], 0x4000);
    } else {
        cr_assert_eq(walk(&stack, 10), 2);
    }
}

/* Nothing is mapped there, so reading would not go unnoticed. */
Test(unwind, addresses_at_the_very_top_do_not_wrap)
{
    uint64_t pcs[ROOM];

    for (uintptr_t i = 0; i < 2 * WORD; i++) {
        struct fxt_unwind from = {
            .pc = 1, .frame = frame_at(UINTPTR_MAX - i), .stack_high = UINTPTR_MAX};

        cr_assert_eq(fxt_unwind_walk(&from, pcs, ROOM), 1);
        from.frame = UINTPTR_MAX - i;
        from.stack_low = UINTPTR_MAX - 2 * WORD;
        cr_assert_eq(fxt_unwind_walk(&from, pcs, ROOM), 1);
    }
}

Test(unwind, a_callers_frame_at_the_very_top_or_bottom_is_not_followed)
{
    struct made_up stack;

    make_three(&stack);
    for (uintptr_t i = 0; i < 4 * WORD; i++) {
        stack.words[20] = UINTPTR_MAX - i;
        cr_assert_eq(walk(&stack, 10), 3);
        stack.words[20] = i;
        cr_assert_eq(walk(&stack, 10), 3);
    }
}

Test(unwind, nothing_is_read_outside_of_the_stack)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages =
        mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t low = (uintptr_t)pages + page;
    uint64_t pcs[ROOM];

    cr_assert_neq((void *)pages, MAP_FAILED);
    cr_assert_eq(mprotect(pages + page, page, PROT_READ | PROT_WRITE), 0);
    memset(pages + page, 0x41, page);
    for (uintptr_t record = low - 64; record < low + page + 64; record++) {
        struct fxt_unwind from = {.pc = 1,
                                  .frame = frame_at(record),
                                  .stack_low = low,
                                  .stack_high = low + page};
        bool inside =
            record % WORD == 0 && record >= low && record <= low + page - 2 * WORD;

        cr_assert_eq(fxt_unwind_walk(&from, pcs, ROOM), inside ? 2 : 1);
    }
    munmap(pages, 3 * page);
}

/* ---- A real stack ------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;
static uintptr_t stack_high;
static uint64_t real_pcs[ROOM];
static uint64_t n_real_pcs;

/* Where each function returns to. */
static uintptr_t returns[3];

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
    returns[0] = (uintptr_t)__builtin_return_address(0);
    while (!interrupted)
        continue;
}

static FXT_NOINLINE int middle(void)
{
    returns[1] = (uintptr_t)__builtin_return_address(0);
    inner();
    return 1;
}

static FXT_NOINLINE int outer(void)
{
    returns[2] = (uintptr_t)__builtin_return_address(0);
    return 1 + middle();
}

Test(unwind, a_signal_handler_finds_the_interrupted_callers)
{
    struct sigaction action = {.sa_sigaction = take_stack, .sa_flags = SA_SIGINFO};
    struct itimerval once = {.it_value = {.tv_usec = 20000}};

    /* Enough for the frames that are looked for, and certainly on the stack. */
    stack_high = (uintptr_t)__builtin_frame_address(0) + 2 * WORD;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &once, NULL);
    cr_assert_eq(outer(), 2);
    cr_assert_geq(n_real_pcs, 4);
    cr_assert_leq(real_pcs[0] - (uintptr_t)inner, 256);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(real_pcs[1 + i], returns[i], "frame %zu", i);
}
