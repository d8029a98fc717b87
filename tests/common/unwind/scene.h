/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks and tables made by hand, and walks over them. */
#ifndef TESTS_COMMON_UNWIND_SCENE_H
#define TESTS_COMMON_UNWIND_SCENE_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "common/unwind/unwind_rule.h"
#include "common/unwind/unwind_walk.h"

#define CODE UINT64_C(0x10000)
#define STACK UINT64_C(0x700000)

enum { WORDS = 512, PCS = 16 };

/* CFA = SP + n words, return address on top, frame pointer n words below or unchanged. */
static inline uint32_t simple(bool from_frame, uint32_t cfa,
                              enum unwind_return_place place, uint32_t slot)
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

static inline bool read_code(void *context, const struct unwind_module *module,
                             uint64_t address, unsigned char *bytes, size_t n)
{
    struct scene *s = (struct scene *)context;

    (void)module;
    if (address - CODE > sizeof(s->code) - n)
        return false;
    memcpy(bytes, s->code + (address - CODE), n);
    return true;
}

static inline uint64_t function(unsigned i)
{
    return CODE + 256 * (uint64_t)i;
}

static inline void set_rule(struct scene *s, unsigned i, uint32_t rule)
{
    s->rows[i] = (struct unwind_row){256 * i, rule};
}

static inline void set_scene(struct scene *s, enum unwind_machine machine)
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

static inline uint32_t walk(struct scene *s)
{
    return unwind_walk(&s->start, s->pcs, PCS, &s->result);
}

static inline void expect(struct scene *s, uint32_t n, enum unwind_end end)
{
    cr_assert(eq(u32, walk(s), n));
    cr_assert(eq(int, (int)s->result.end, (int)end));
}

#endif
