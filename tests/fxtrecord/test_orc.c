/* SPDX-License-Identifier: BSD-2-Clause */
/* ORC tables whose entries were worked out by hand, and stacks by them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/support/pooled.h"
#include "tools/fxtrecord/debugger/guest/orc_walk.h"

#define CODE UINT64_C(0xffffffff81000000)
#define STACK UINT64_C(0xffffc90000010000)
#define USER_PC UINT64_C(0x401234)

enum { ENTRIES_MAX = 16, WORDS = 128, PCS = 16, KERNEL_CS = 0x10, USER_CS = 0x33 };

/* An entry's PC is at CODE + 0x100 * its number; the PCs are at CODE - 0x1000. */
struct scene {
    unsigned char pcs[ENTRIES_MAX * ORC_PC_BYTES];
    unsigned char entries[ENTRIES_MAX * ORC_ENTRY_BYTES];
    size_t n;
    struct orc_table table;
    uint64_t words[WORDS];
    uint64_t code;
    struct orc_registers registers;
    struct orc_registers last;
    uint64_t found[PCS];
    enum guest_end end;
};

static void add(struct scene *s, const char *entry)
{
    int32_t pc = (int32_t)(0x1000 + 0x100 * s->n - ORC_PC_BYTES * s->n);

    for (int i = 0; i < ORC_PC_BYTES; i++)
        s->pcs[ORC_PC_BYTES * s->n + (size_t)i] = (unsigned char)(pc >> 8 * i);
    memcpy(s->entries + ORC_ENTRY_BYTES * s->n++, entry, ORC_ENTRY_BYTES);
}

static void make(struct scene *s)
{
    enum orc_format format = orc_format_of(s->entries, s->n);

    cr_assert(orc_table_make(&s->table, format, s->pcs, CODE - 0x1000, s->entries, s->n));
}

static struct orc_rule rule_of(struct scene *s, size_t number)
{
    struct orc_rule rule;

    cr_assert(orc_table_find(&s->table, CODE + 0x100 * number + 0x50, &rule));
    cr_assert(eq(u64, rule.start, CODE + 0x100 * number));
    return rule;
}

/* ---- Entries ----------------------------------------------------------------------- */

/* Frames at SP + 8 and BP not saved: what most functions begin with, three times so that
 * it is most of the table. */
static void add_most(struct scene *s, const char *entry)
{
    for (int i = 0; i < 5; i++)
        add(s, entry);
}

POOLED_TEST(orc, entries_of_4_14_have_the_end_beside_the_type)
{
    struct scene s = {.n = 0};
    struct orc_rule rule;

    add_most(&s, "\x08\x00\x00\x00\x05\x00");
    add(&s, "\x10\x00\xf0\xff\x14\x00"); /* SP, now BP + 16; BP at the caller's SP - 16 */
    add(&s, "\x00\x00\x00\x00\x05\x01"); /* registers */
    add(&s, "\x00\x00\x00\x00\x05\x02"); /* few registers */
    add(&s, "\x00\x00\x00\x00\x00\x04"); /* the end */
    add(&s, "\x00\x00\x00\x00\x00\x00"); /* nothing */
    make(&s);
    cr_assert(eq(int, s.table.format, ORC_4_14));
    rule = rule_of(&s, 0);
    cr_assert(rule.type == ORC_CALL && rule.frame == ORC_BASE_SP &&
              rule.frame_offset == 8 && rule.bp == ORC_BASE_NONE && !rule.is_signal);
    rule = rule_of(&s, 5);
    cr_assert(rule.type == ORC_CALL && rule.frame == ORC_BASE_BP &&
              rule.frame_offset == 16 && rule.bp == ORC_BASE_CALLER_SP &&
              rule.bp_offset == -16);
    rule = rule_of(&s, 6);
    cr_assert(rule.type == ORC_REGISTERS && rule.is_signal);
    rule = rule_of(&s, 7);
    cr_assert(rule.type == ORC_FEW_REGISTERS && rule.is_signal);
    cr_assert(rule_of(&s, 8).type == ORC_END);
    cr_assert(rule_of(&s, 9).type == ORC_NOTHING);
}

POOLED_TEST(orc, entries_of_6_3_have_a_signal_before_the_end)
{
    struct scene s = {.n = 0};
    struct orc_rule rule;

    add_most(&s, "\x08\x00\x00\x00\x05\x00");
    add(&s, "\x00\x00\x00\x00\x05\x05"); /* registers, signal */
    add(&s, "\x00\x00\x00\x00\x00\x08"); /* the end */
    make(&s);
    cr_assert(eq(int, s.table.format, ORC_6_3));
    cr_assert(rule_of(&s, 0).type == ORC_CALL);
    rule = rule_of(&s, 5);
    cr_assert(rule.type == ORC_REGISTERS && rule.is_signal);
    cr_assert(rule_of(&s, 6).type == ORC_END);
}

POOLED_TEST(orc, entries_of_6_4_have_other_types)
{
    struct scene s = {.n = 0};
    struct orc_rule rule;

    add_most(&s, "\x08\x00\x00\x00\x05\x02");
    add(&s, "\x00\x00\x00\x00\x05\x0b"); /* registers, signal */
    add(&s, "\x00\x00\x00\x00\x05\x04"); /* few registers, no signal */
    add(&s, "\x00\x00\x00\x00\x00\x01"); /* the end */
    add(&s, "\x00\x00\x00\x00\x00\x00"); /* nothing */
    add(&s, "\xf8\xff\x00\x00\x19\x02"); /* at SP, less 8; BP at the caller's SP */
    make(&s);
    cr_assert(eq(int, s.table.format, ORC_6_4));
    cr_assert(rule_of(&s, 0).type == ORC_CALL);
    rule = rule_of(&s, 5);
    cr_assert(rule.type == ORC_REGISTERS && rule.is_signal);
    rule = rule_of(&s, 6);
    cr_assert(rule.type == ORC_FEW_REGISTERS && !rule.is_signal);
    cr_assert(rule_of(&s, 7).type == ORC_END);
    cr_assert(rule_of(&s, 8).type == ORC_NOTHING);
    rule = rule_of(&s, 9);
    cr_assert(rule.frame == ORC_BASE_AT_SP && rule.frame_offset == -8 &&
              rule.bp == ORC_BASE_CALLER_SP);
}

POOLED_TEST(orc, registers_of_7_1_have_other_numbers)
{
    struct scene s = {.n = 0};
    struct orc_rule rule;

    add_most(&s, "\x08\x00\x00\x00\x03\x02"); /* SP is 3 */
    add(&s, "\x10\x00\xf0\xff\x84\x02");      /* BP; the caller's SP is 8 */
    add(&s, "\x00\x00\x00\x00\x01\x02");      /* AX */
    add(&s, "\x00\x00\x00\x00\x0a\x02");      /* at BP */
    make(&s);
    cr_assert(eq(int, s.table.format, ORC_7_1));
    cr_assert(rule_of(&s, 0).frame == ORC_BASE_SP);
    rule = rule_of(&s, 5);
    cr_assert(rule.frame == ORC_BASE_BP && rule.bp == ORC_BASE_CALLER_SP);
    cr_assert(rule_of(&s, 6).frame == ORC_BASE_AX);
    cr_assert(rule_of(&s, 7).frame == ORC_BASE_AT_BP);
}

POOLED_TEST(orc, bytes_that_are_no_entries_have_no_format)
{
    unsigned char entries[60];

    memset(entries, 0, sizeof(entries));
    cr_assert(eq(int, orc_format_of(entries, 10), ORC_UNKNOWN));
    memset(entries, 0xff, sizeof(entries));
    cr_assert(eq(int, orc_format_of(entries, 10), ORC_UNKNOWN));
    for (size_t i = 0; i < 10; i++)
        memcpy(entries + 6 * i, "\x08\x00\x00\x00\x05\x03", 6);
    cr_assert(eq(int, orc_format_of(entries, 10), ORC_UNKNOWN));
    cr_assert(eq(int, orc_format_of(NULL, 0), ORC_UNKNOWN));
}

POOLED_TEST(orc, tables_that_are_not_sorted_are_refused)
{
    struct scene s = {.n = 0};
    struct orc_rule rule;

    add_most(&s, "\x08\x00\x00\x00\x05\x02");
    s.pcs[9] = 0;
    cr_assert(not(orc_table_make(&s.table, ORC_6_4, s.pcs, CODE, s.entries, s.n)));
    cr_assert(not(orc_table_find(&s.table, CODE, &rule)));
    cr_assert(orc_table_make(&s.table, ORC_6_4, s.pcs, CODE, s.entries, 1));
    cr_assert(not(orc_table_find(&s.table, CODE, &rule)));
}

/* ---- Stacks ------------------------------------------------------------------------ */

static bool find(void *context, uint64_t pc, struct orc_rule *rule)
{
    struct scene *s = context;

    return orc_table_find(&s->table, pc, rule);
}

static bool read(void *context, uint64_t address, uint64_t *word)
{
    struct scene *s = context;

    if (address - CODE < 0x10000) {
        *word = s->code;
        return true;
    }
    if (address % 8 != 0 || address < STACK || (address - STACK) / 8 >= WORDS)
        return false;
    *word = s->words[(address - STACK) / 8];
    return true;
}

static uint64_t walk(struct scene *s, uint64_t max)
{
    const struct orc_source source = {find, read, s};

    s->last = s->registers;
    return orc_walk(&source, &s->last, s->found, max, &s->end);
}

static void put_registers(struct scene *s, size_t word, uint64_t pc, uint64_t cs,
                          uint64_t sp, uint64_t bp)
{
    s->words[word + 4] = bp;
    s->words[word + 16] = pc;
    s->words[word + 17] = cs;
    s->words[word + 19] = sp;
}

/* Functions: 0 to 4 call with a frame at SP + 8; 5 at BP + 16, where BP is saved; 6 was
 * entered by an interrupt; 7 has few registers; 8 is the first; 9 is nothing; 10 has its
 * frame at *SP, which may be another stack; 11 at R10. */
static void start(struct scene *s)
{
    *s = (struct scene){.n = 0};
    add_most(s, "\x08\x00\x00\x00\x05\x02");
    add(s, "\x10\x00\xf0\xff\x14\x02");
    add(s, "\x00\x00\x00\x00\x05\x0b");
    add(s, "\x00\x00\x00\x00\x05\x0c");
    add(s, "\x00\x00\x00\x00\x00\x01");
    add(s, "\x00\x00\x00\x00\x00\x00");
    add(s, "\x08\x00\x00\x00\x09\x02");
    add(s, "\x40\x00\x00\x00\x06\x02");
    make(s);
    s->registers = (struct orc_registers){
        .pc = CODE + 0x10, .sp = STACK, .bp = STACK + 0x80, .has_others = true};
}

POOLED_TEST(orc, a_system_call_ends_at_the_user)
{
    struct scene s;

    start(&s);
    s.words[0] = CODE + 0x510;
    s.words[16] = STACK + 0x200;
    s.words[17] = CODE + 0x600; /* The function before called it. */
    s.words[18] = 0;
    s.entries[0] = 8;
    put_registers(&s, 18, USER_PC, USER_CS, 0x7ffff000, 1);
    /* What returns to the beginning of 6 is in 5; so let it be in 6. */
    s.words[17] = CODE + 0x610;
    cr_assert(eq(u64, walk(&s, PCS), 4));
    cr_assert(eq(int, s.end, GUEST_AT_USER));
    cr_assert(s.found[0] == CODE + 0x10 && s.found[1] == CODE + 0x510 &&
              s.found[2] == CODE + 0x610 && s.found[3] == USER_PC);
    cr_assert(s.last.pc == USER_PC && s.last.sp == 0x7ffff000 && !s.last.has_others);
}

POOLED_TEST(orc, an_interrupt_in_the_kernel_goes_on_with_the_interrupted_pc)
{
    struct scene s;

    start(&s);
    s.words[0] = CODE + 0x610;
    /* Exactly where function 4 begins, and on another stack. */
    put_registers(&s, 1, CODE + 0x400, KERNEL_CS, STACK + 0x180, STACK + 0x190);
    s.words[0x30] = CODE + 0x510;
    s.words[0x32] = 0;
    s.words[0x33] = CODE + 0x810;
    cr_assert(eq(u64, walk(&s, PCS), 5));
    cr_assert(eq(int, s.end, GUEST_AT_END));
    cr_assert(s.found[2] == CODE + 0x400 && s.found[3] == CODE + 0x510 &&
              s.found[4] == CODE + 0x810);
}

POOLED_TEST(orc, no_function_of_the_kernel_returns_to_the_user)
{
    struct scene s;

    start(&s);
    s.words[0] = CODE + 0x10;
    s.words[1] = USER_PC;
    cr_assert(eq(u64, walk(&s, PCS), 2));
    cr_assert(eq(int, s.end, GUEST_CUT_NO_RULE));
}

POOLED_TEST(orc, few_registers_leave_bp)
{
    struct scene s;

    start(&s);
    s.words[0] = CODE + 0x710;
    s.words[1] = CODE + 0x510;
    s.words[2] = KERNEL_CS;
    s.words[4] = STACK + 0x60;
    s.words[17] = CODE + 0x810;
    cr_assert(eq(u64, walk(&s, PCS), 4));
    cr_assert(eq(int, s.end, GUEST_AT_END));
}

POOLED_TEST(orc, stacks_may_be_switched)
{
    struct scene s;

    start(&s);
    s.registers.sp = STACK + 0x100;
    s.words[0x20] = CODE + 0xa10;
    s.words[0x21] = STACK + 0x10; /* below */
    s.words[2] = CODE + 0x810;
    cr_assert(eq(u64, walk(&s, PCS), 3));
    cr_assert(eq(int, s.end, GUEST_AT_END));
}

POOLED_TEST(orc, other_registers_are_known_in_the_leaf_only)
{
    struct scene s;

    start(&s);
    s.registers.pc = CODE + 0xb10;
    s.registers.r10 = STACK + 0x50; /* to which the offset is not added */
    s.words[9] = CODE + 0xb20;
    cr_assert(eq(u64, walk(&s, PCS), 2));
    cr_assert(eq(int, s.end, GUEST_CUT_REGISTER));
}

POOLED_TEST(orc, a_leaf_without_a_rule_has_its_caller_at_sp)
{
    struct scene s;

    start(&s);
    s.registers.pc = CODE + 0x910;
    s.words[0] = CODE + 0x10;
    s.words[1] = CODE + 0x810;
    cr_assert(eq(u64, walk(&s, PCS), 1));
    cr_assert(eq(int, s.end, GUEST_CUT_NO_RULE));
    memset(&s.code, 0xe8, sizeof(s.code)); /* a call */
    cr_assert(eq(u64, walk(&s, PCS), 3));
    cr_assert(eq(int, s.end, GUEST_AT_END));
    /* But not a caller. */
    s.registers.pc = CODE + 0x20;
    s.words[0] = CODE + 0x910;
    cr_assert(eq(u64, walk(&s, PCS), 2));
    cr_assert(eq(int, s.end, GUEST_CUT_NO_RULE));
}

POOLED_TEST(orc, hostile_stacks_end)
{
    struct scene s;

    /* A user's PC needs no stack. */
    start(&s);
    s.registers.pc = USER_PC;
    cr_assert(eq(u64, walk(&s, PCS), 1));
    cr_assert(eq(int, s.end, GUEST_AT_USER));
    /* A stack that is not mapped, and one that ends. */
    s.registers.pc = CODE;
    s.registers.sp = 0;
    cr_assert(eq(u64, walk(&s, PCS), 1));
    cr_assert(eq(int, s.end, GUEST_CUT_MEMORY));
    s.registers.sp = UINT64_MAX - 7;
    cr_assert(eq(u64, walk(&s, PCS), 1));
    cr_assert(eq(int, s.end, GUEST_CUT_BACKWARDS));
    /* More frames than there is room for. */
    s.registers.sp = STACK;
    for (size_t i = 0; i < WORDS; i++)
        s.words[i] = CODE + 0x10;
    cr_assert(eq(u64, walk(&s, PCS), PCS));
    cr_assert(eq(int, s.end, GUEST_CUT_LONG));
    cr_assert(eq(u64, walk(&s, 1), 1));
    /* A frame that leads to itself. */
    s.registers.pc = CODE + 0x510;
    s.registers.bp = STACK - 16;
    s.words[0] = 0;
    cr_assert(eq(u64, walk(&s, PCS), 1));
    cr_assert(eq(int, s.end, GUEST_CUT_MEMORY));
    s.registers.sp = STACK + 0x40;
    s.registers.bp = STACK;
    cr_assert(eq(u64, walk(&s, PCS), 1));
    cr_assert(eq(int, s.end, GUEST_CUT_BACKWARDS));
}
