/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame-pointer walk over stacks that are made up. It is compiled for other machines'
 * frame records, too; see meson.build. */
#include <sys/mman.h>
#include <unistd.h>

#include "made_up.h"

TEST(unwind, frames_are_followed_to_the_one_without_a_caller)
{
    struct made_up stack;

    make_three(&stack);
    CHECK_EQ(walk(&stack, 10), 4);
    CHECK_EQ(stack.pcs[0], 0x1000);
    CHECK_EQ(stack.pcs[1], pc_of(0x2000));
    CHECK_EQ(stack.pcs[2], pc_of(0x3000));
    CHECK_EQ(stack.pcs[3], pc_of(0x4000));
}

TEST(unwind, without_a_frame_there_is_only_the_pc)
{
    struct made_up stack;
    struct fxt_unwind from;

    make_three(&stack);
    from = start_at(&stack, 0);
    from.frame = 0;
    CHECK_EQ(walk_both_ways(&from, stack.pcs, ROOM), 1);
    CHECK_EQ(stack.pcs[0], 0x1000);
}

TEST(unwind, without_a_stack_there_is_only_the_pc)
{
    struct made_up stack;
    struct fxt_unwind from;

    make_three(&stack);
    from = start_at(&stack, address_of(&stack, 10));
    from.stack_low = from.stack_high = 0;
    CHECK_EQ(walk_both_ways(&from, stack.pcs, ROOM), 1);
    /* Upside down. */
    from.stack_low = address_of(&stack, 48);
    from.stack_high = address_of(&stack, 8);
    CHECK_EQ(walk_both_ways(&from, stack.pcs, ROOM), 1);
    /* Empty. */
    from.stack_low = from.stack_high = address_of(&stack, 10);
    CHECK_EQ(walk_both_ways(&from, stack.pcs, ROOM), 1);
}

TEST(unwind, a_return_address_of_zero_ends_the_walk_and_is_not_stored)
{
    struct made_up stack;

    make_three(&stack);
    stack.words[21] = 0;
    CHECK_EQ(walk(&stack, 10), 2);
    CHECK_EQ(stack.pcs[1], pc_of(0x2000));
    CHECK_EQ(stack.pcs[2], 0);
}

TEST(unwind, no_more_is_stored_than_there_is_room_for)
{
    struct made_up stack;
    struct fxt_unwind from;

    make_three(&stack);
    from = start_at(&stack, address_of(&stack, 10));
    for (uint64_t room = 0; room <= 6; room++) {
        uint64_t expected = room < 4 ? room : 4;

        memset(stack.pcs, 0xff, sizeof(stack.pcs));
        CHECK_EQ(walk_both_ways(&from, stack.pcs, room), expected);
        CHECK_EQ(stack.pcs[expected], UINT64_MAX);
    }
}

TEST(unwind, a_misaligned_frame_is_not_followed)
{
    struct made_up stack;

    make_three(&stack);
    for (uintptr_t off = 1; off < WORD; off++) {
        CHECK_EQ(walk_from(&stack, address_of(&stack, 10) + off), 1);
        stack.words[10] = frame_at(address_of(&stack, 20)) + off;
        CHECK_EQ(walk(&stack, 10), 2);
    }
}

TEST(unwind, a_frame_must_lie_wholly_in_the_stack)
{
    struct made_up stack;

    make_three(&stack);
    for (size_t i = 0; i < 63; i++)
        stack.words[i] = 0x7000;
    for (size_t i = 0; i < 62; i++) {
        bool inside = i >= stack.low && i + 2 <= stack.high;

        CHECK(walk(&stack, i) == (inside ? 2u : 1u), "at word %zu", i);
    }
    /* The same for a caller's frame, seen from word 8. */
    for (size_t i = 10; i < 62; i++) {
        put_record(&stack, 8, i, 0x2000);
        CHECK(walk(&stack, 8) == (i + 2 <= stack.high ? 3u : 2u), "caller at %zu", i);
    }
}

TEST(unwind, a_frame_must_be_above_the_one_before)
{
    struct made_up stack;

    make_three(&stack);
    /* Itself, one below, one that is half itself. */
    put_record(&stack, 20, 20, 0x3000);
    CHECK_EQ(walk(&stack, 10), 3);
    put_record(&stack, 20, 10, 0x3000);
    CHECK_EQ(walk(&stack, 10), 3);
    stack.words[22] = 0x3800;
    put_record(&stack, 20, 21, 0x3000);
    CHECK_EQ(walk(&stack, 10), 3);
    put_record(&stack, 20, 19, 0x3000);
    CHECK_EQ(walk(&stack, 10), 3);
    /* The next that is possible. */
    put_record(&stack, 20, 22, 0x3000);
    put_record(&stack, 22, 40, 0x3800);
    CHECK_EQ(walk(&stack, 10), 5);
}

/* As on riscv; elsewhere the word is taken for a return address like any other. */
TEST(unwind, an_interrupted_leaf_may_keep_only_its_callers_frame)
{
    struct made_up stack;

    make_three(&stack);
    stack.words[10] = 0x7000;
    stack.words[11] = frame_at(address_of(&stack, 20));
    if (FXT_UNWIND_LEAF_KEEPS_FRAME) {
        CHECK_EQ(walk(&stack, 10), 3);
        CHECK_EQ(stack.pcs[1], pc_of(0x3000));
        CHECK_EQ(stack.pcs[2], pc_of(0x4000));
    } else {
        CHECK_EQ(walk(&stack, 10), 2);
    }
}

/* Nothing is mapped there, so reading would not go unnoticed. */
TEST(unwind, addresses_at_the_very_top_do_not_wrap)
{
    uint64_t pcs[ROOM];

    for (uintptr_t i = 0; i < 2 * WORD; i++) {
        struct fxt_unwind from = {
            .pc = 1, .frame = frame_at(UINTPTR_MAX - i), .stack_high = UINTPTR_MAX};

        CHECK_EQ(walk_both_ways(&from, pcs, ROOM), 1);
        from.frame = UINTPTR_MAX - i;
        from.stack_low = UINTPTR_MAX - 2 * WORD;
        CHECK_EQ(walk_both_ways(&from, pcs, ROOM), 1);
    }
}

TEST(unwind, a_callers_frame_at_the_very_top_or_bottom_is_not_followed)
{
    struct made_up stack;

    make_three(&stack);
    for (uintptr_t i = 0; i < 4 * WORD; i++) {
        stack.words[20] = UINTPTR_MAX - i;
        CHECK_EQ(walk(&stack, 10), 3);
        stack.words[20] = i;
        CHECK_EQ(walk(&stack, 10), 3);
    }
}

TEST(unwind, nothing_is_read_outside_of_the_stack)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages =
        mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t low = (uintptr_t)pages + page;
    uint64_t pcs[ROOM];

    CHECK_TRUE((void *)pages != MAP_FAILED);
    CHECK_EQ(mprotect(pages + page, page, PROT_READ | PROT_WRITE), 0);
    memset(pages + page, 0x41, page);
    for (uintptr_t record = low - 64; record < low + page + 64; record++) {
        struct fxt_unwind from = {.pc = 1,
                                  .frame = frame_at(record),
                                  .stack_low = low,
                                  .stack_high = low + page};
        bool inside =
            record % WORD == 0 && record >= low && record <= low + page - 2 * WORD;

        CHECK_EQ(walk_both_ways(&from, pcs, ROOM), inside ? 2 : 1);
    }
    munmap(pages, 3 * page);
}
