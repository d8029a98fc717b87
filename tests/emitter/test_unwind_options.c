/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk's options besides the stack, and the reasons for its end. */
#include "made_up.h"

static uint64_t pcs[ROOM];
static enum fxt_unwind_stop why;

static uint64_t go(const struct fxt_unwind *from, uint64_t room)
{
    memset(pcs, 0, sizeof(pcs));
    return fxt_unwind_walk_why(from, pcs, room, &why);
}

static struct fxt_unwind start_at_word(const struct made_up *stack, size_t index)
{
    return start_at(stack, address_of(stack, index));
}

static void check_pcs(const uint64_t *expected, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        CHECK(pcs[i] == expected[i], "pc %llu is %#llx", (unsigned long long)i,
              (unsigned long long)pcs[i]);
    CHECK_EQ(pcs[n], 0);
}

/* ---- Why --------------------------------------------------------------------------- */

TEST(unwind_options, the_end_says_why)
{
    struct made_up stack;

    make_three(&stack);
    struct fxt_unwind from = start_at_word(&stack, 10);

    for (int slowly = 0; slowly < 2; slowly++) {
        from.is_code = slowly ? accept : NULL;
        make_three(&stack);
        CHECK_EQ(go(&from, ROOM), 4);
        CHECK_EQ(why, FXT_UNWIND_OUTERMOST);
        CHECK_EQ(go(&from, 3), 3);
        CHECK_EQ(why, FXT_UNWIND_FULL);
        CHECK_EQ(go(&from, 0), 0);
        CHECK_EQ(why, FXT_UNWIND_FULL);
        stack.words[41] = 0;
        CHECK_EQ(go(&from, ROOM), 3);
        CHECK_EQ(why, FXT_UNWIND_OUTERMOST);
        put_record(&stack, 20, 48, 0x3000);
        CHECK_EQ(go(&from, ROOM), 3);
        CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
        put_record(&stack, 20, 47, 0x3000);
        CHECK_EQ(go(&from, ROOM), 3);
        CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
        put_record(&stack, 20, 7, 0x3000);
        CHECK_EQ(go(&from, ROOM), 3);
        CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
        put_record(&stack, 20, 21, 0x3000);
        CHECK_EQ(go(&from, ROOM), 3);
        CHECK_EQ(why, FXT_UNWIND_BACKWARDS);
        stack.words[20] = frame_at(address_of(&stack, 40) + 1);
        CHECK_EQ(go(&from, ROOM), 3);
        CHECK_EQ(why, FXT_UNWIND_MISALIGNED);
    }
}

/* ---- What is stored ---------------------------------------------------------------- */

TEST(unwind_options, a_pc_of_zero_is_not_stored)
{
    struct made_up stack;
    const uint64_t expected[] = {pc_of(0x2000), pc_of(0x3000), pc_of(0x4000)};

    make_three(&stack);
    struct fxt_unwind from = start_at_word(&stack, 10);

    from.pc = 0;
    CHECK_EQ(walk_both_ways(&from, pcs, ROOM), 3);
    CHECK_EQ(go(&from, ROOM), 3);
    check_pcs(expected, 3);
}

TEST(unwind_options, frames_are_skipped_from_the_leaf_on)
{
    struct made_up stack;
    const uint64_t all[] = {0x1000, pc_of(0x2000), pc_of(0x3000), pc_of(0x4000)};

    make_three(&stack);
    struct fxt_unwind from = start_at_word(&stack, 10);

    for (uint32_t skip = 0; skip < 7; skip++) {
        uint32_t n_skipped = skip < 4 ? skip : 4;

        from.skip = skip;
        CHECK_EQ(go(&from, ROOM), 4 - n_skipped);
        CHECK_EQ(why, FXT_UNWIND_OUTERMOST);
        check_pcs(all + n_skipped, 4 - n_skipped);
    }
    /* They take no room. */
    from.skip = 2;
    CHECK_EQ(go(&from, 1), 1);
    CHECK_EQ(why, FXT_UNWIND_FULL);
    CHECK_EQ(pcs[0], pc_of(0x3000));
    from.skip = UINT32_MAX;
    CHECK_EQ(go(&from, 1), 0);
    CHECK_EQ(why, FXT_UNWIND_OUTERMOST);
}

TEST(unwind_options, the_link_register_is_the_first_caller)
{
    struct made_up stack;
    const uint64_t expected[] = {0x1000, 0x1800, pc_of(0x2000), pc_of(0x3000),
                                 pc_of(0x4000)};

    make_three(&stack);
    struct fxt_unwind from = start_at_word(&stack, 10);

    from.link = 0x1800;
    CHECK_EQ(go(&from, ROOM), 5);
    check_pcs(expected, 5);
    CHECK_EQ(go(&from, 1), 1);
    CHECK_EQ(why, FXT_UNWIND_FULL);
    /* Without any frame. */
    from.frame = 0;
    CHECK_EQ(go(&from, ROOM), 2);
    CHECK_EQ(why, FXT_UNWIND_OUTERMOST);
    check_pcs(expected, 2);
}

TEST(unwind_options, a_link_register_that_is_saved_already_is_not_stored_twice)
{
    struct made_up stack;
    const uint64_t expected[] = {0x1000, pc_of(0x2000), pc_of(0x3000), pc_of(0x4000)};

    make_three(&stack);
    struct fxt_unwind from = start_at_word(&stack, 10);

    from.link = (uintptr_t)pc_of(0x2000);
    CHECK_EQ(go(&from, ROOM), 4);
    check_pcs(expected, 4);
    /* Only the first record can be that of the interrupted function. */
    from.link = (uintptr_t)pc_of(0x3000);
    CHECK_EQ(go(&from, ROOM), 5);
}

TEST(unwind_options, a_leaf_that_keeps_a_frame_has_its_caller_in_the_link_register)
{
    struct made_up stack;
    const uint64_t expected[] = {0x1000, 0x1800, pc_of(0x3000), pc_of(0x4000)};

    if (!FXT_UNWIND_LEAF_KEEPS_FRAME)
        return;
    make_three(&stack);
    struct fxt_unwind from = start_at_word(&stack, 10);

    stack.words[10] = 0x7000;
    stack.words[11] = frame_at(address_of(&stack, 20));
    from.link = 0x1800;
    CHECK_EQ(go(&from, ROOM), 4);
    check_pcs(expected, 4);
}

/* ---- Return addresses -------------------------------------------------------------- */

static bool is_below(void *context, uintptr_t pc)
{
    return pc < *(const uintptr_t *)context;
}

TEST(unwind_options, a_return_address_that_is_no_code_ends_the_walk)
{
    struct made_up stack;
    uintptr_t end = 0x2800;

    make_three(&stack);
    struct fxt_unwind from = start_at_word(&stack, 10);

    from.is_code = is_below;
    from.context = &end;
    CHECK_EQ(go(&from, ROOM), 2);
    CHECK_EQ(why, FXT_UNWIND_NOT_CODE);
    CHECK_EQ(pcs[1], pc_of(0x2000));
    /* The pc was interrupted, so it is code. */
    end = 0x800;
    CHECK_EQ(go(&from, ROOM), 1);
    CHECK_EQ(why, FXT_UNWIND_NOT_CODE);
    from.link = 0x900;
    CHECK_EQ(go(&from, ROOM), 1);
    CHECK_EQ(why, FXT_UNWIND_NOT_CODE);
}

TEST(unwind_options, signatures_are_taken_off_return_addresses)
{
    struct made_up stack;
    uint64_t user = 0x00007f1234567890;
    uint64_t kernel = 0xffff801234567890;

    if (sizeof(uintptr_t) < sizeof(uint64_t))
        return;
    make_three(&stack);
    struct fxt_unwind from = start_at_word(&stack, 10);

    stack.words[11] = (uintptr_t)(user | 0x5a2a000000000000);
    stack.words[21] = (uintptr_t)(kernel & 0xa5bfffffffffffff);
    stack.words[41] = (uintptr_t)user;
    from.signature_bits = (uintptr_t)0xff7f000000000000;
    CHECK_EQ(go(&from, ROOM), 4);
    CHECK_EQ(pcs[1], user);
    CHECK_EQ(pcs[2], kernel);
    CHECK_EQ(pcs[3], user);
    /* One in the link register, which the first frame record then has without it. */
    from.link = (uintptr_t)(user | 0x5a2a000000000000);
    CHECK_EQ(go(&from, ROOM), 4);
    CHECK_EQ(pcs[1], user);
    CHECK_EQ(pcs[2], kernel);
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* A stack of an interrupt in words 0 to 8, of an exception in words 50 to 60, and the
 * thread's between them: the walk goes from the first to the last to the second. */
static void make_stacks(struct made_up *stack, struct fxt_unwind_range ranges[2])
{
    make_three(stack);
    put_record(stack, 2, 52, 0x5000);
    put_record(stack, 52, 20, 0x6000);
    stack->low = 0;
    stack->high = 8;
    ranges[0] = (struct fxt_unwind_range){address_of(stack, 8), address_of(stack, 48)};
    ranges[1] = (struct fxt_unwind_range){address_of(stack, 50), address_of(stack, 60)};
}

TEST(unwind_options, a_walk_goes_from_stack_to_stack)
{
    const uint64_t expected[] = {0x1000, pc_of(0x5000), pc_of(0x6000), pc_of(0x3000),
                                 pc_of(0x4000)};
    struct fxt_unwind_range ranges[2];
    struct made_up stack;

    make_stacks(&stack, ranges);
    struct fxt_unwind from = start_at_word(&stack, 2);

    from.stacks = ranges;
    for (uint32_t n = 0; n <= 2; n++) {
        from.n_stacks = n;
        CHECK_EQ(go(&from, ROOM), n < 2 ? 2 : 5);
        CHECK_EQ(why, n < 2 ? FXT_UNWIND_OUTSIDE : FXT_UNWIND_OUTERMOST);
        check_pcs(expected, n < 2 ? 2 : 5);
    }
}

TEST(unwind_options, a_stack_that_was_left_is_not_entered_again)
{
    struct fxt_unwind_range ranges[2];
    struct made_up stack;

    make_stacks(&stack, ranges);
    struct fxt_unwind from = start_at_word(&stack, 2);

    from.stacks = ranges;
    from.n_stacks = 2;
    /* Back to the first stack, above where the walk was, and to the exception's. */
    put_record(&stack, 40, 4, 0x4000);
    CHECK_EQ(go(&from, ROOM), 5);
    CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
    put_record(&stack, 40, 54, 0x4000);
    CHECK_EQ(go(&from, ROOM), 5);
    CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
    /* Within a stack, upwards only; also where stacks lie one in the other. */
    put_record(&stack, 40, 20, 0x4000);
    CHECK_EQ(go(&from, ROOM), 5);
    CHECK_EQ(why, FXT_UNWIND_BACKWARDS);
    ranges[1] = (struct fxt_unwind_range){address_of(&stack, 0), address_of(&stack, 64)};
    CHECK_EQ(go(&from, ROOM), 3);
    CHECK_EQ(why, FXT_UNWIND_BACKWARDS);
}

TEST(unwind_options, the_first_frame_may_be_on_any_stack)
{
    struct fxt_unwind_range ranges[2];
    struct made_up stack;

    make_stacks(&stack, ranges);
    struct fxt_unwind from = start_at_word(&stack, 20);

    from.stacks = ranges;
    from.n_stacks = 2;
    put_record(&stack, 40, 2, 0x4000);
    CHECK_EQ(go(&from, ROOM), 5);
    CHECK_EQ(pcs[3], pc_of(0x5000));
    CHECK_EQ(pcs[4], pc_of(0x6000));
    CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
}

TEST(unwind_options, no_more_stacks_are_entered_than_there_may_be)
{
    enum { N = FXT_UNWIND_STACKS_MAX + 2 };
    static uintptr_t words[2 * (N + 1)];
    struct fxt_unwind_range ranges[N];
    uint64_t many[N + 2];
    struct fxt_unwind from = {.pc = 1, .stacks = ranges, .n_stacks = N};

    /* A stack for each record; the first is the first. */
    for (size_t i = 0; i <= N; i++) {
        struct fxt_unwind_range range = {(uintptr_t)&words[2 * i],
                                         (uintptr_t)&words[2 * i] + 2 * WORD};

        words[2 * i] = i < N ? frame_at(range.high) : 0;
        words[2 * i + 1] = 0x1000;
        if (i == 0) {
            from.frame = frame_at(range.low);
            from.stack_low = range.low;
            from.stack_high = range.high;
        } else {
            ranges[i - 1] = range;
        }
    }
    CHECK_EQ(fxt_unwind_walk_why(&from, many, N + 2, &why), FXT_UNWIND_STACKS_MAX + 2);
    CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
    from.n_stacks = FXT_UNWIND_STACKS_MAX - 1;
    CHECK_EQ(fxt_unwind_walk_why(&from, many, N + 2, &why), FXT_UNWIND_STACKS_MAX + 1);
    CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
}

/* ---- Other memory ------------------------------------------------------------------ */

/* Memory that is somewhere else: `base` is its address there. */
struct elsewhere {
    const uintptr_t *words;
    uintptr_t base;
    size_t n_words;
    uint64_t n_reads;
};

static bool read_elsewhere(void *context, uintptr_t address, uintptr_t words[2])
{
    struct elsewhere *memory = context;
    size_t index = (address - memory->base) / WORD;

    memory->n_reads++;
    CHECK_EQ(address % WORD, 0);
    if (address < memory->base || index + 2 > memory->n_words)
        return false;
    words[0] = memory->words[index];
    words[1] = memory->words[index + 1];
    return true;
}

TEST(unwind_options, a_stack_may_be_read_by_the_caller)
{
    enum { BASE = 0x70000000 };
    uintptr_t words[64] = {0};
    struct elsewhere memory = {words, BASE, 64, 0};
    struct fxt_unwind from = {.pc = 0x1000,
                              .frame = frame_at(BASE + 4 * WORD),
                              .stack_high = UINTPTR_MAX,
                              .read = read_elsewhere,
                              .context = &memory};

    words[4] = frame_at(BASE + 10 * WORD);
    words[5] = 0x2000;
    words[10] = frame_at(BASE + 20 * WORD);
    words[11] = 0x3000;
    words[20] = frame_at(BASE + 62 * WORD);
    words[21] = 0x4000;
    words[62] = frame_at(BASE + 64 * WORD);
    words[63] = 0x5000;
    CHECK_EQ(go(&from, ROOM), 5);
    CHECK_EQ(why, FXT_UNWIND_UNREADABLE);
    CHECK_EQ(memory.n_reads, 5);
    CHECK_EQ(pcs[4], pc_of(0x5000));
    /* The bounds of the stack still apply: nothing else is read. */
    memory.n_reads = 0;
    from.stack_low = BASE;
    from.stack_high = BASE + 21 * WORD;
    CHECK_EQ(go(&from, ROOM), 3);
    CHECK_EQ(why, FXT_UNWIND_OUTSIDE);
    CHECK_EQ(memory.n_reads, 2);
}
