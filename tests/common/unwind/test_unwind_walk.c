/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks over stacks and tables made by hand: how they end, and what repairs them. */
#include "scene.h"

Test(unwind, stack_pointer_rules_lead_to_the_outermost_frame)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, simple(false, 1, UNWIND_RETURN_TOP, 0));
    set_rule(&s, 1, simple(false, 4, UNWIND_RETURN_TOP, 2));
    set_rule(&s, 2, simple(true, 2, UNWIND_RETURN_TOP, 2));
    s.words[0] = function(1) + 5;
    s.words[3] = STACK + 8 * 10;
    s.words[4] = function(2) + 5;
    s.words[11] = function(15) + 5;
    expect(&s, 4, UNWIND_END_OUTERMOST);
    cr_assert(eq(u64, s.pcs[0], function(0)));
    cr_assert(eq(u64, s.pcs[3], function(15) + 5));
    cr_assert(eq(u32, s.result.first_guess, UINT32_MAX));
}

Test(unwind, a_call_that_ends_a_function_belongs_to_it)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, simple(false, 1, UNWIND_RETURN_TOP, 0));
    s.words[0] = CODE + 0x1000;
    set_rule(&s, 15, UNWIND_RULE_END);
    expect(&s, 2, UNWIND_END_OUTERMOST);
}

Test(unwind, a_stack_ends_where_there_is_no_more_room)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, simple(false, 1, UNWIND_RETURN_TOP, 0));
    for (unsigned i = 0; i < WORDS; i++)
        s.words[i] = function(0) + 9;
    expect(&s, PCS, UNWIND_END_DEPTH);
}

Test(unwind, a_stack_whose_last_frame_fits_just_so_is_whole)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, simple(false, 1, UNWIND_RETURN_TOP, 0));
    for (unsigned i = 0; i < PCS - 2; i++)
        s.words[i] = function(0) + 9;
    s.words[PCS - 2] = function(15) + 1;
    expect(&s, PCS, UNWIND_END_OUTERMOST);
}

Test(unwind, a_copy_that_is_too_short_is_distinguished_from_memory_that_is_not_there)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, simple(false, 1000, UNWIND_RETURN_TOP, 0));
    expect(&s, 1, UNWIND_END_UNREADABLE);
    cr_assert(eq(u64, s.result.address, STACK + 999 * 8));
    s.chunk.is_cut = true;
    expect(&s, 1, UNWIND_END_COPY_TOO_SHORT);
    cr_assert(eq(u64, s.result.address, STACK + 999 * 8));
}

Test(unwind, no_pc_outside_executable_mappings_is_kept)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, simple(false, 1, UNWIND_RETURN_TOP, 0));
    s.words[0] = 0x12345678;
    expect(&s, 1, UNWIND_END_NOT_CODE);
    cr_assert(eq(u64, s.result.address, 0x12345678));
    cr_assert(eq(u32, s.result.module, 0));
}

Test(unwind, a_stack_pointer_that_does_not_move_up_ends_the_stack)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, simple(true, 2, UNWIND_RETURN_TOP, 2));
    s.registers.r[6] = STACK + 8 * 20;
    s.words[21] = function(0) + 1;
    s.words[20] = STACK;
    s.words[1] = function(0) + 2;
    expect(&s, 2, UNWIND_END_NO_PROGRESS);
}

Test(unwind, code_without_rules_names_its_module)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    expect(&s, 1, UNWIND_END_NO_RULE);
    cr_assert(eq(u32, s.result.module, 0));
}

Test(unwind, a_rule_that_is_refused_says_so)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, UNWIND_RULE_REFUSED);
    expect(&s, 1, UNWIND_END_SPECIAL_RULE);
}

Test(unwind, a_frame_pointer_that_was_popped_is_in_its_register)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    /* After pop %rbp, before ret: the row still says CFA - 16. */
    set_rule(&s, 0, simple(false, 1, UNWIND_RETURN_TOP, 2));
    set_rule(&s, 1, simple(true, 2, UNWIND_RETURN_TOP, 2));
    s.registers.r[6] = STACK + 8 * 6;
    s.words[0] = function(1) + 5;
    s.words[7] = function(15) + 5;
    expect(&s, 3, UNWIND_END_OUTERMOST);
}

Test(unwind, frame_records_are_used_where_there_is_no_rule_and_checked)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    s.registers.r[6] = STACK + 8 * 6;
    s.words[7] = function(15) + 5;
    expect(&s, 2, UNWIND_END_OUTERMOST);
    cr_assert(eq(u32, s.result.first_guess, 1));
    s.words[7] = 0x999;
    expect(&s, 1, UNWIND_END_NO_RULE);
    s.registers.r[6] = STACK - 64;
    expect(&s, 1, UNWIND_END_NO_RULE);
}

Test(unwind, frame_records_are_not_followed_where_no_code_before_makes_any)
{
    static const unsigned char setup[] = {0x55, 0x31, 0xc0, 0x48, 0x89, 0xe5};
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    s.start.read_code = read_code;
    s.start.context = &s;
    s.registers.pc = function(14);
    s.registers.r[6] = STACK + 8 * 6;
    s.words[7] = function(15) + 5;
    expect(&s, 1, UNWIND_END_NO_RULE);
    for (unsigned at = 0; at + sizeof(setup) <= 14 * 256; at += 251) {
        memcpy(s.code + at, setup, sizeof(setup));
        expect(&s, 2, UNWIND_END_OUTERMOST);
        memset(s.code + at, 0, sizeof(setup));
    }
    s.module[0].flags = UNWIND_KEEPS_FRAMES;
    expect(&s, 2, UNWIND_END_OUTERMOST);
}

Test(unwind, a_frame_pointer_of_zero_ends_only_code_that_keeps_it)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    expect(&s, 1, UNWIND_END_NO_RULE);
    s.module[0].flags = UNWIND_KEEPS_FRAMES;
    expect(&s, 1, UNWIND_END_OUTERMOST);
}

Test(unwind, without_a_table_zero_ends_only_where_a_frame_record_led_to)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    s.module[0].flags = UNWIND_KEEPS_FRAMES;
    s.module[0].table = NULL;
    expect(&s, 1, UNWIND_END_NO_RULE);
    s.registers.r[6] = STACK + 8 * 6;
    s.words[7] = function(3) + 5;
    expect(&s, 2, UNWIND_END_OUTERMOST);
}

Test(unwind, a_leaf_without_rules_returns_to_the_word_after_a_call)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    s.start.read_code = read_code;
    s.start.context = &s;
    s.words[0] = function(15) + 5;
    expect(&s, 1, UNWIND_END_NO_RULE);
    s.code[15 * 256] = 0xe8;
    expect(&s, 2, UNWIND_END_OUTERMOST);
    s.words[1] = s.words[0];
    s.words[0] = 77;
    expect(&s, 2, UNWIND_END_OUTERMOST);
}

Test(unwind, all_forms_of_x86_64_calls_are_known)
{
    static const unsigned char calls[][7] = {
        {0xff, 0xd0},
        {0x41, 0xff, 0xd3},
        {0xff, 0x50, 0x10},
        {0xff, 0x15, 1, 2, 3, 4},
        {0xff, 0x14, 0xc5, 1, 2, 3, 4},
        {0xff, 0x54, 0x24, 0x10},
        {0xff, 0x94, 0x24, 1, 2, 3, 4},
        {0xff, 0x13},
    };
    static const unsigned char sizes[] = {2, 3, 3, 6, 7, 4, 7, 2};
    struct scene s;

    for (unsigned i = 0; i < 8; i++) {
        set_scene(&s, UNWIND_X86_64);
        s.start.read_code = read_code;
        s.start.context = &s;
        s.words[0] = function(15) + sizes[i];
        memcpy(s.code + 15 * 256, calls[i], sizes[i]);
        expect(&s, 2, UNWIND_END_OUTERMOST);
        s.code[15 * 256 + (calls[i][0] == 0x41)] = 0x90;
        expect(&s, 1, UNWIND_END_NO_RULE);
    }
}

Test(unwind, a_leaf_without_rules_returns_to_code_with_rules_by_the_link_register)
{
    static const struct {
        enum unwind_machine machine;
        unsigned link;
        unsigned char call[4];
    } calls[] = {
        {UNWIND_AARCH64, 30, {0x11, 0x22, 0x33, 0x96}},
        {UNWIND_AARCH64, 30, {0x20, 0x00, 0x3f, 0xd6}},
        {UNWIND_AARCH64, 30, {0x21, 0x08, 0x3f, 0xd7}},
        {UNWIND_RISCV64, 1, {0xef, 0x20, 0x30, 0x40}},
        {UNWIND_RISCV64, 1, {0xe7, 0x80, 0x07, 0x00}},
        {UNWIND_RISCV64, 1, {0x00, 0x00, 0x82, 0x97}},
    };
    struct scene s;

    for (unsigned i = 0; i < 6; i++) {
        set_scene(&s, calls[i].machine);
        s.start.read_code = read_code;
        s.start.context = &s;
        s.registers.r[calls[i].link] = function(1) + 8;
        set_rule(&s, 1, simple(false, 2, UNWIND_RETURN_SLOT, 1));
        s.words[1] = function(15) + 8;
        expect(&s, 1, UNWIND_END_NO_RULE);
        memcpy(s.code + 256 + 4, calls[i].call, 4);
        expect(&s, 3, UNWIND_END_OUTERMOST);
        cr_assert(eq(u32, s.result.first_guess, 1));
        /* After its own call. */
        s.registers.r[calls[i].link] = function(0) + 8;
        memcpy(s.code + 4, calls[i].call, 4);
        expect(&s, 1, UNWIND_END_NO_RULE);
    }
}

/* As the trampolines of Python do, in memory that a compiler would keep frame records in,
 * called by code that uses the frame pointer for something else. */
Test(unwind, a_return_that_follows_a_call_says_where_the_caller_is)
{
    static const struct {
        unsigned char code[9];
        unsigned words;
        unsigned fp_word;
    } returns[] = {
        {{0xc3}, 0, 0},
        {{0x48, 0x83, 0xc4, 8, 0xc3}, 1, 0},
        {{0x48, 0x81, 0xc4, 16, 0, 0, 0, 0xc3}, 2, 0},
        {{0x48, 0x83, 0xc4, 8, 0x5b, 0x41, 0x5f, 0x5d, 0xc3}, 4, 3},
    };
    struct scene s;

    for (unsigned i = 0; i < 4; i++) {
        unsigned ra = returns[i].words + 1;

        set_scene(&s, UNWIND_X86_64);
        s.start.read_code = read_code;
        s.start.context = &s;
        s.module[1] = (struct unwind_module){CODE + 0x2000, CODE + 0x2100,       0,
                                             NULL,          UNWIND_KEEPS_FRAMES, 0};
        s.space.n_modules = 2;
        set_rule(&s, 0, simple(false, 1, UNWIND_RETURN_TOP, 0));
        set_rule(&s, 1, simple(true, 2, UNWIND_RETURN_TOP, 0));
        s.words[0] = CODE + 0x2000 + 6;
        memcpy(s.code + 0x2000 + 6, returns[i].code, sizeof(returns[i].code));
        s.registers.r[6] = 1234;
        s.words[ra] = function(15) + 5;
        expect(&s, 3, UNWIND_END_OUTERMOST);
        cr_assert(eq(u32, s.result.first_guess, 2));
        if (returns[i].fp_word > 0) {
            s.words[returns[i].fp_word + 1] = STACK + 8 * 20;
            s.words[ra] = function(1) + 5;
            s.words[21] = function(15) + 5;
            expect(&s, 4, UNWIND_END_OUTERMOST);
        }
        s.code[0x2000 + 6] ^= 0x10;
        expect(&s, 2, UNWIND_END_NO_RULE);
    }
}

Test(unwind, the_entry_of_a_program_is_the_end)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    s.table.entry = 0;
    expect(&s, 1, UNWIND_END_NO_RULE);
    s.table.entry = 256;
    s.registers.pc = function(1) + 10;
    expect(&s, 1, UNWIND_END_OUTERMOST);
    s.registers.pc = function(1) + 64;
    expect(&s, 1, UNWIND_END_NO_RULE);
}

Test(unwind, signatures_are_removed_from_return_addresses)
{
    struct scene s;

    set_scene(&s, UNWIND_AARCH64);
    set_rule(&s, 0, simple(false, 2, UNWIND_RETURN_ABOVE_FRAME, 2));
    s.words[1] = (function(15) + 4) | UINT64_C(0x2b) << 48;
    expect(&s, 2, UNWIND_END_OUTERMOST);
    cr_assert(eq(u64, s.pcs[1], function(15) + 4));
}

Test(unwind, the_link_register_is_used_once)
{
    struct scene s;

    set_scene(&s, UNWIND_AARCH64);
    set_rule(&s, 0, simple(false, 0, UNWIND_RETURN_LINK, 0));
    s.registers.r[30] = function(15) + 4;
    expect(&s, 2, UNWIND_END_OUTERMOST);
    s.registers.r[30] = function(0) + 4;
    expect(&s, 2, UNWIND_END_SPECIAL_RULE);
}

Test(unwind, a_signal_frame_leads_to_what_was_interrupted_on_another_stack)
{
    struct scene s;
    uint64_t other[64] = {0};
    struct unwind_chunk chunks[2];

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, UNWIND_RULE_SIGNAL);
    set_rule(&s, 1, simple(false, 1, UNWIND_RETURN_TOP, 0));
    s.words[5 + 15] = STACK - 0x10000;
    s.words[5 + 16] = function(1);
    other[0] = function(15) + 1;
    chunks[0] = s.chunk;
    chunks[1] = (struct unwind_chunk){STACK - 0x10000, sizeof(other), other, false};
    s.start.chunks = chunks;
    s.start.n_chunks = 2;
    expect(&s, 3, UNWIND_END_OUTERMOST);
    cr_assert(eq(u64, s.pcs[1], function(1) + 1));
}

Test(unwind, exact_pcs_are_marked_where_there_are_marks)
{
    struct scene s;
    uint64_t exact[1] = {~UINT64_C(0)};

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, UNWIND_RULE_SIGNAL);
    set_rule(&s, 1, simple(false, 1, UNWIND_RETURN_TOP, 0));
    s.words[5 + 15] = STACK + 8 * 40;
    s.words[5 + 16] = function(1);
    s.words[40] = function(15) + 1;
    s.start.exact = exact;
    expect(&s, 3, UNWIND_END_OUTERMOST);
    cr_assert(eq(u64, exact[0], 3));
    cr_assert(eq(u64, s.pcs[1], function(1)));
}

Test(unwind, odd_rules_use_registers_where_they_are_known)
{
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    set_rule(&s, 0, UNWIND_RULE_ODD);
    s.odd[0] =
        (struct unwind_odd){.cfa = {.kind = UNWIND_REGISTER, .number = 9, .offset = 8},
                            .ra = {.kind = UNWIND_AT_CFA, .offset = -8}};
    s.registers.r[9] = STACK + 16;
    s.words[2] = function(15) + 1;
    expect(&s, 2, UNWIND_END_OUTERMOST);
    s.registers.known &= ~UNWIND_KNOWS(9);
    expect(&s, 1, UNWIND_END_SPECIAL_RULE);
}

Test(unwind, the_expression_of_plt_entries_depends_on_the_pc)
{
    static const unsigned char plt[] = {0x77, 8,    0x80, 0,    0x3f, 0x1a,
                                        0x3b, 0x2a, 0x33, 0x24, 0x22};
    struct scene s;

    for (unsigned offset = 0; offset < 16; offset += 5) {
        set_scene(&s, UNWIND_X86_64);
        set_rule(&s, 0, UNWIND_RULE_ODD);
        s.table.expressions = plt;
        s.table.n_expression_bytes = sizeof(plt);
        s.odd[0] = (struct unwind_odd){
            .cfa = {.kind = UNWIND_IS_EXPRESSION, .size = sizeof(plt)},
            .ra = {.kind = UNWIND_AT_CFA, .offset = -8}};
        s.registers.pc = function(0) + offset;
        s.words[offset >= 11 ? 1 : 0] = function(15) + 1;
        expect(&s, 2, UNWIND_END_OUTERMOST);
    }
}

Test(unwind, a_cache_is_not_used_for_another_generation)
{
    struct unwind_cache_entry entries[16] = {{0, 0}};
    struct unwind_cache cache = {entries, 15};
    struct scene s;

    set_scene(&s, UNWIND_X86_64);
    s.start.cache = &cache;
    s.start.is_return = true;
    s.registers.pc = function(0) + 5;
    set_rule(&s, 0, simple(false, 1, UNWIND_RETURN_TOP, 0));
    /* Each has an entry of the cache to itself. */
    s.words[0] = function(0) + 0x27;
    s.words[1] = function(15) + 0x41;
    expect(&s, 3, UNWIND_END_OUTERMOST);
    /* As it stands in the cache. */
    set_rule(&s, 0, UNWIND_RULE_REFUSED);
    expect(&s, 3, UNWIND_END_OUTERMOST);
    s.space.generation = 2;
    expect(&s, 1, UNWIND_END_SPECIAL_RULE);
}
