/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks over stacks and tables made by hand: how they end, and what repairs them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "common/unwind/unwind_rule.h"
#include "common/unwind/unwind_walk.h"

#define CODE UINT64_C(0x10000)
#define STACK UINT64_C(0x700000)

enum { WORDS = 512, PCS = 16 };

/* CFA = SP + n words, return address on top, frame pointer n words below or unchanged. */
static uint32_t simple(bool from_frame, uint32_t cfa, enum unwind_return_place place,
                       uint32_t slot)
{
    return UNWIND_RULE_SIMPLE | (from_frame ? UNWIND_RULE_FROM_FRAME : 0) |
           (uint32_t)place << UNWIND_RETURN_SHIFT | slot << UNWIND_SLOT_SHIFT | cfa;
}

/* Functions of 256 bytes each, one rule for each, and a stack. */
struct scene {
    struct unwind_row rows[16];
    struct unwind_odd odd[4];
    struct unwind_table table;
    struct unwind_module module[2];
    struct unwind_space space;
    struct unwind_registers registers;
    uint64_t words[WORDS];
    struct unwind_chunk chunk;
    struct unwind_start start;
    struct unwind_result result;
    uint64_t pcs[PCS];
    unsigned char code[8192 + 256];
};

static bool read_code(void *context, const struct unwind_module *module, uint64_t address,
                      unsigned char *bytes, size_t n)
{
    struct scene *s = (struct scene *)context;

    (void)module;
    if (address - CODE > sizeof(s->code) - n)
        return false;
    memcpy(bytes, s->code + (address - CODE), n);
    return true;
}

static uint64_t function(unsigned i)
{
    return CODE + 256 * (uint64_t)i;
}

static void set_rule(struct scene *s, unsigned i, uint32_t rule)
{
    s->rows[i] = (struct unwind_row){256 * i, rule};
}

static void set_scene(struct scene *s, enum unwind_machine machine)
{
    memset(s, 0, sizeof(*s));
    for (unsigned i = 0; i < 16; i++)
        set_rule(s, i, UNWIND_RULE_NONE);
    set_rule(s, 15, UNWIND_RULE_END);
    s->table = (struct unwind_table){
        .machine = machine, .base = 0, .rows = s->rows, .n_rows = 16, .odd = s->odd};
    s->module[0] = (struct unwind_module){
        .start = CODE, .limit = CODE + 0x2000, .bias = CODE, .table = &s->table};
    s->space = (struct unwind_space){
        .machine = machine, .generation = 1, .modules = s->module, .n_modules = 1};
    s->chunk = (struct unwind_chunk){STACK, sizeof(s->words), s->words, false};
    s->start = (struct unwind_start){.space = &s->space,
                                     .registers = &s->registers,
                                     .chunks = &s->chunk,
                                     .n_chunks = 1};
    s->registers.pc = function(0);
    s->registers.r[unwind_numbers_of(machine).sp] = STACK;
    s->registers.known = UINT32_MAX;
}

static uint32_t walk(struct scene *s)
{
    return unwind_walk(&s->start, s->pcs, PCS, &s->result);
}

static void expect(struct scene *s, uint32_t n, enum unwind_end end)
{
    cr_assert(eq(u32, walk(s), n));
    cr_assert(eq(int, (int)s->result.end, (int)end));
}

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

/* ---- What a walk has read ---------------------------------------------------------- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t draw_word(uint64_t *state)
{
    uint64_t number = draw(state);

    return number % 2 == 0 ? STACK + number / 2 % WORDS * 8
                           : CODE + 1 + number / 2 % (16 * 256 - 1);
}

static bool is_named(const struct unwind_words *words, unsigned word)
{
    for (uint32_t i = 0; i < words->n; i++) {
        if (words->addresses[i] == STACK + 8 * (uint64_t)word)
            return true;
    }
    return false;
}

/* The frame pointer is the last word. */
static void draw_words(struct scene *s, const struct unwind_words *kept, uint64_t *state)
{
    for (unsigned i = 0; i < WORDS; i++) {
        if (!is_named(kept, i))
            s->words[i] = draw_word(state);
    }
    s->registers.r[unwind_numbers_of(UNWIND_X86_64).fp] = s->words[WORDS - 1];
}

static void set_random_scene(struct scene *s, uint64_t *state)
{
    set_scene(s, UNWIND_X86_64);
    s->start.is_return = true;
    s->registers.pc = function(0) + 5;
    for (unsigned i = 0; i < 15; i++) {
        uint32_t cfa = 2 + (uint32_t)(draw(state) % 12);
        uint32_t slot =
            draw(state) % 2 == 0 ? 0 : 2 + (uint32_t)(draw(state) % (cfa - 1));

        set_rule(s, i,
                 i > 0 && draw(state) % 3 == 0
                     ? UNWIND_RULE_END
                     : simple(draw(state) % 4 == 0, cfa, UNWIND_RETURN_TOP, slot));
    }
}

/* Whatever the others are. */
Test(unwind, a_walk_depends_only_on_the_words_that_it_names)
{
    static struct unwind_cache_entry entries[1024];
    struct unwind_cache cache = {entries, 1023};
    uint64_t addresses[PCS * 2];
    uint64_t pcs[PCS];
    uint64_t state = 88172645463325252;
    unsigned n_named = 0;
    struct scene s;

    for (unsigned i = 0; i < 20000; i++) {
        struct unwind_words words = {addresses, PCS * 2, 0, STACK + 8 * (WORDS - 1)};
        uint32_t n;

        set_random_scene(&s, &state);
        s.space.generation = i + 1;
        draw_words(&s, &words, &state);
        s.start.cache = &cache;
        s.start.words = &words;
        n = walk(&s);
        cr_assert(n == 1 || words.n == 0, "rules that are not cached may be any");
        memcpy(pcs, s.pcs, sizeof(pcs));
        cr_assert(eq(u32, walk(&s), n));
        cr_assert(words.n == 0 ||
                  (s.result.end == UNWIND_END_OUTERMOST && words.n >= n - 1));
        n_named += words.n > 0;
        if (words.n == 0)
            continue;
        draw_words(&s, &words, &state);
        s.start.words = NULL;
        expect(&s, n, UNWIND_END_OUTERMOST);
        cr_assert(memcmp(pcs, s.pcs, n * sizeof(*pcs)) == 0, "%u", i);
    }
    cr_assert(n_named > 1000, "%u", n_named);
}

/* ---- Modules ----------------------------------------------------------------------- */

Test(unwind, modules_are_put_in_order_and_later_ones_win)
{
    struct unwind_module modules[8] = {
        {.start = 0x5000, .limit = 0x9000, .id = 1},
        {.start = 0x1000, .limit = 0x2000, .id = 2},
        {.start = 0x6000, .limit = 0x7000, .id = 3},
        {.start = 0x8000, .limit = 0xa000, .id = 4},
    };
    static const uint64_t starts[] = {0x1000, 0x5000, 0x6000, 0x7000, 0x8000};
    static const uint64_t limits[] = {0x2000, 0x6000, 0x7000, 0x8000, 0xa000};
    static const uint32_t ids[] = {2, 1, 3, 1, 4};

    cr_assert(eq(u32, unwind_space_arrange(modules, 4, 8), 5));
    for (unsigned i = 0; i < 5; i++) {
        cr_assert(eq(u64, modules[i].start, starts[i]));
        cr_assert(eq(u64, modules[i].limit, limits[i]));
        cr_assert(eq(u32, modules[i].id, ids[i]));
    }
}
