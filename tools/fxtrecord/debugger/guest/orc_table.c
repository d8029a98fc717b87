/* SPDX-License-Identifier: BSD-2-Clause */
/* See orc_table.h. */
#include "orc_table.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"

enum { FLAGS_SHIFT = 8, TYPES = 8, REGISTERS = 16 };

/* Flags of the formats. */
enum {
    TYPE_2_BITS = 3 << FLAGS_SHIFT,
    TYPE_3_BITS = 7 << FLAGS_SHIFT,
    END_4_14 = 1 << 10,
    SIGNAL_6_3 = 1 << 10,
    END_6_3 = 1 << 11,
    SIGNAL_6_4 = 1 << 11,
    UNUSED_4_14 = 0xf800,
    UNUSED_LATER = 0xf000
};

static const enum orc_base registers_4_14[REGISTERS] = {
    [1] = ORC_BASE_CALLER_SP, [2] = ORC_BASE_DX,    [3] = ORC_BASE_DI,
    [4] = ORC_BASE_BP,        [5] = ORC_BASE_SP,    [6] = ORC_BASE_R10,
    [7] = ORC_BASE_R13,       [8] = ORC_BASE_AT_BP, [9] = ORC_BASE_AT_SP,
};

static const enum orc_base registers_7_1[REGISTERS] = {
    [1] = ORC_BASE_AX,     [2] = ORC_BASE_DX,        [3] = ORC_BASE_SP,
    [4] = ORC_BASE_BP,     [5] = ORC_BASE_DI,        [6] = ORC_BASE_R10,
    [7] = ORC_BASE_R13,    [8] = ORC_BASE_CALLER_SP, [9] = ORC_BASE_AT_SP,
    [10] = ORC_BASE_AT_BP,
};

static unsigned read_u16(const unsigned char *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static int32_t read_i32(const unsigned char *at)
{
    return (int32_t)(read_u16(at) | (uint32_t)read_u16(at + 2) << 16);
}

static unsigned entry_flags(const unsigned char *entry)
{
    return read_u16(entry + 4);
}

/* ---- Formats ----------------------------------------------------------------------- */

/* How many entries there are of each type, as 6.4 has them, and with each register. Those
 * of gaps between functions have none. */
struct survey {
    size_t n;
    size_t types[TYPES];
    size_t registers[REGISTERS];
    unsigned all_flags;
};

static void survey_entries(struct survey *s, const unsigned char *entries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned flags = entry_flags(entries + ORC_ENTRY_BYTES * i);

        s->all_flags |= flags;
        if ((flags & (REGISTERS - 1)) == 0)
            continue;
        s->n++;
        s->types[flags >> FLAGS_SHIFT & (TYPES - 1)]++;
        s->registers[flags & (REGISTERS - 1)]++;
    }
}

static bool is_most(const struct survey *s, size_t count)
{
    return count > s->n / 2;
}

enum orc_format orc_format_of(const unsigned char *entries, size_t n)
{
    struct survey s = {.n = 0};

    survey_entries(&s, entries, n);
    if ((s.all_flags & UNUSED_LATER) != 0)
        return ORC_UNKNOWN;
    /* A call's type was 0, and is 2. */
    if (is_most(&s, s.types[0]) && is_most(&s, s.registers[5]))
        return (s.all_flags & UNUSED_4_14) != 0 ? ORC_6_3 : ORC_4_14;
    if (is_most(&s, s.types[2]) && is_most(&s, s.registers[5]))
        return ORC_6_4;
    if (is_most(&s, s.types[2]) && is_most(&s, s.registers[3]))
        return ORC_7_1;
    return ORC_UNKNOWN;
}

const char *orc_format_kernels(enum orc_format format)
{
    switch (format) {
    case ORC_UNKNOWN:
        break;
    case ORC_4_14:
        return "4.14 to 6.2";
    case ORC_6_3:
        return "6.3";
    case ORC_6_4:
        return "6.4 to 7.0";
    case ORC_7_1:
        return "7.1 on";
    }
    return "unknown";
}

/* ---- Entries ----------------------------------------------------------------------- */

/* Types as they were up to 6.3, where the end was no type. */
static enum orc_type old_type(unsigned flags, unsigned end)
{
    static const enum orc_type types[] = {ORC_CALL, ORC_REGISTERS, ORC_FEW_REGISTERS,
                                          ORC_NOTHING};

    if ((flags & (REGISTERS - 1)) == 0)
        return (flags & end) != 0 ? ORC_END : ORC_NOTHING;
    return types[(flags & TYPE_2_BITS) >> FLAGS_SHIFT];
}

static enum orc_type new_type(unsigned flags)
{
    static const enum orc_type types[TYPES] = {ORC_NOTHING, ORC_END, ORC_CALL,
                                               ORC_REGISTERS, ORC_FEW_REGISTERS};

    return types[(flags & TYPE_3_BITS) >> FLAGS_SHIFT];
}

static struct orc_rule decode_entry(enum orc_format format, const unsigned char *entry)
{
    const enum orc_base *registers = format == ORC_7_1 ? registers_7_1 : registers_4_14;
    unsigned flags = entry_flags(entry);
    struct orc_rule rule = {
        .frame = registers[flags & (REGISTERS - 1)],
        .bp = registers[flags >> 4 & (REGISTERS - 1)],
        .frame_offset = (int16_t)read_u16(entry),
        .bp_offset = (int16_t)read_u16(entry + 2),
    };

    switch (format) {
    case ORC_UNKNOWN:
        break;
    case ORC_4_14:
        rule.type = old_type(flags, END_4_14);
        rule.is_signal = rule.type == ORC_REGISTERS || rule.type == ORC_FEW_REGISTERS;
        break;
    case ORC_6_3:
        rule.type = old_type(flags, END_6_3);
        rule.is_signal = (flags & SIGNAL_6_3) != 0;
        break;
    case ORC_6_4:
    case ORC_7_1:
        rule.type = new_type(flags);
        rule.is_signal = (flags & SIGNAL_6_4) != 0;
        break;
    }
    return rule;
}

/* ---- Tables ------------------------------------------------------------------------ */

bool orc_table_make(struct orc_table *t, enum orc_format format, const unsigned char *pcs,
                    uint64_t address, const unsigned char *entries, size_t n)
{
    *t = (struct orc_table){.format = format};
    t->pcs = memory_allocate(n * sizeof(*t->pcs));
    t->entries = memory_allocate(n * ORC_ENTRY_BYTES);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = ORC_PC_BYTES * (uint64_t)i;

        t->pcs[i] = address + at + (uint64_t)(int64_t)read_i32(pcs + at);
        if (i > 0 && t->pcs[i] < t->pcs[i - 1]) {
            orc_table_free(t);
            return false;
        }
    }
    if (n > 0)
        memcpy(t->entries, entries, n * ORC_ENTRY_BYTES);
    t->n = n;
    return true;
}

bool orc_table_find(const struct orc_table *t, uint64_t pc, struct orc_rule *rule)
{
    size_t n = search_up_to(t->pcs, t->n, sizeof(*t->pcs), 0, pc);

    if (n == 0)
        return false;
    *rule = decode_entry(t->format, t->entries + ORC_ENTRY_BYTES * (n - 1));
    rule->start = t->pcs[n - 1];
    return true;
}

void orc_table_free(struct orc_table *t)
{
    memory_release(t->pcs);
    memory_release(t->entries);
    *t = (struct orc_table){.n = 0};
}
