/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of a line table; see debug_line_table.h. */
#include "debug_line_table.h"

#include <dwarf.h>

#include "common/base/memory.h"

/* A program that is running: its registers, as far as they matter here. */
struct line_program {
    struct debug_line_table *table;
    const struct debug_wanted *wanted;
    struct unwind_cursor in;
    uint64_t address;
    struct debug_line now;
    /* The row before this one, which reaches up to it; none before a sequence's first. */
    bool has_last;
    uint64_t last_address;
    struct debug_line last;
    /* The first wanted address that is not below the last row's; UINT64_MAX if there is
     * none. */
    uint64_t next_wanted;
};

static void start_sequence(struct line_program *p)
{
    p->address = 0;
    p->now = (struct debug_line){.file = 1, .line = 1};
    p->has_last = false;
    p->next_wanted = UINT64_MAX;
}

static void keep_last_row(struct line_program *p)
{
    struct debug_line_table *t = p->table;

    ranges_add(&t->ranges, p->last_address, p->address, (uint32_t)t->n_rows);
    MEMORY_ADD(t->rows, t->n_rows, t->row_capacity, p->last);
}

/* Linkers set the addresses of code that they dropped to 0 or near it. */
static uint64_t find_wanted(const struct line_program *p, uint64_t from)
{
    if (elf_image_find_code(&p->wanted->elf->image, from) == NULL)
        return UINT64_MAX;
    return debug_wanted_from(p->wanted, from);
}

/* Few rows have a wanted address. In a valid sequence no address is below the last. */
static void add_row(struct line_program *p)
{
    bool is_kept = p->next_wanted < p->address;

    if (is_kept)
        keep_last_row(p);
    if (is_kept || !p->has_last || p->address < p->last_address)
        p->next_wanted = find_wanted(p, p->address);
    p->has_last = true;
    p->last_address = p->address;
    p->last = p->now;
}

static void advance(struct line_program *p, uint64_t n_instructions)
{
    p->address += n_instructions * p->table->instruction_size;
}

/* Both the address and the line advance. */
static void run_special(struct line_program *p, uint8_t opcode)
{
    unsigned by = (unsigned)opcode - p->table->opcode_base;

    advance(p, by / p->table->line_range);
    p->now.line += (uint32_t)(p->table->line_base + (int)(by % p->table->line_range));
    add_row(p);
}

/* A size, and then an opcode with operands of that size in all. */
static void run_extended(struct line_program *p)
{
    uint64_t size = cursor_uleb(&p->in);
    uint64_t end = p->in.at + size;
    uint8_t opcode;

    if (size == 0)
        return;
    if (size > p->in.end - p->in.at)
        p->in.failed = true;
    opcode = cursor_byte(&p->in);
    if (opcode == DW_LNE_end_sequence) {
        add_row(p);
        start_sequence(p);
    } else if (opcode == DW_LNE_set_address && size - 1 <= sizeof(p->address)) {
        p->address = debug_number(p->table->sections, &p->in, (unsigned)size - 1);
    }
    if (!p->in.failed)
        p->in.at = end;
}

static void run_standard(struct line_program *p, uint8_t opcode)
{
    switch (opcode) {
    case DW_LNS_copy:
        add_row(p);
        break;
    case DW_LNS_advance_pc:
        advance(p, cursor_uleb(&p->in));
        break;
    case DW_LNS_advance_line:
        p->now.line += (uint32_t)cursor_sleb(&p->in);
        break;
    case DW_LNS_set_file:
        p->now.file = cursor_uleb(&p->in);
        break;
    case DW_LNS_const_add_pc:
        advance(p, (255u - p->table->opcode_base) / p->table->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        p->address += debug_number(p->table->sections, &p->in, 2);
        break;
    default:
        for (unsigned i = 0; i < p->table->n_operands[opcode]; i++)
            cursor_uleb(&p->in);
    }
}

/* What follows damage may have any meaning: rows up to it count. */
void debug_line_program_run(struct debug_line_table *t, const struct debug_wanted *wanted)
{
    struct line_program p = {.table = t, .wanted = wanted, .in = t->program};

    start_sequence(&p);
    while (!p.in.failed && p.in.at < p.in.end) {
        uint8_t opcode = cursor_byte(&p.in);

        if (opcode >= t->opcode_base)
            run_special(&p, opcode);
        else if (opcode == 0)
            run_extended(&p);
        else
            run_standard(&p, opcode);
    }
    ranges_finish(&t->ranges);
}
