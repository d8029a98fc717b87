/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ORC, the unwind tables of x86-64 Linux kernels: from each of these PCs on, up to the
 * next one, where the caller's frame begins and its BP is. An entry is 6 bytes: two
 * signed offsets of 16 bits, and 16 bits with two registers of 4 bits each, and above
 * them flags, whose meaning no table states:
 *
 *     kernels       flags                                     registers
 *     4.14 to 6.2   type (2 bits), end                        BP is 4, SP is 5
 *     6.3           type (2 bits), signal, end                the same
 *     6.4 to 7.0    type (3 bits, of other numbers), signal   the same
 *     from 7.1 on   the same                                  BP is 4, SP is 3
 *
 * So the format is that in which the table's entries are what compilers make: nearly all
 * are of the type "call", and most frames are relative to SP.
 */
#ifndef FXTRECORD_DEBUGGER_GUEST_ORC_TABLE_H
#define FXTRECORD_DEBUGGER_GUEST_ORC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORC_PC_BYTES = 4, ORC_ENTRY_BYTES = 6 };

enum orc_format { ORC_UNKNOWN, ORC_4_14, ORC_6_3, ORC_6_4, ORC_7_1 };

/* What a frame's address is relative to, or is stored at. */
enum orc_base {
    ORC_BASE_NONE,
    ORC_BASE_CALLER_SP,
    ORC_BASE_AX,
    ORC_BASE_DX,
    ORC_BASE_DI,
    ORC_BASE_BP,
    ORC_BASE_SP,
    ORC_BASE_R10,
    ORC_BASE_R13,
    /* The word at SP, to which the offset is added; that at BP and the offset. */
    ORC_BASE_AT_SP,
    ORC_BASE_AT_BP
};

enum orc_type {
    /* No code, or code that cannot be unwound. */
    ORC_NOTHING,
    /* Nothing called this code: the outermost frame. */
    ORC_END,
    /* A return address is below the caller's frame. */
    ORC_CALL,
    /* There all registers are that an interrupt or a system call has saved, or those only
     * that the processor saves. */
    ORC_REGISTERS,
    ORC_FEW_REGISTERS
};

struct orc_rule {
    /* The first PC that it is for. */
    uint64_t start;
    enum orc_type type;
    enum orc_base frame;
    enum orc_base bp;
    int16_t frame_offset;
    int16_t bp_offset;
    /* The code was interrupted here, and has not called anything. */
    bool is_signal;
};

/* A copy of a table, sorted by PCs. All zero has no entries. */
struct orc_table {
    uint64_t *pcs;
    unsigned char *entries;
    size_t n;
    enum orc_format format;
};

/* The format of these entries; ORC_UNKNOWN if there is none that they are plausible in.
 */
enum orc_format orc_format_of(const unsigned char *entries, size_t n);

/* "4.14 to 6.2" */
const char *orc_format_kernels(enum orc_format format);

/* Makes a table of PCs, which were at an address that they are relative to, each from
 * itself, and of their entries, which are copied. Returns false if they are not sorted.
 */
bool orc_table_make(struct orc_table *table, enum orc_format format,
                    const unsigned char *pcs, uint64_t address,
                    const unsigned char *entries, size_t n);

/* The rule for a PC. Returns false if the table begins after it. */
bool orc_table_find(const struct orc_table *table, uint64_t pc, struct orc_rule *rule);

void orc_table_free(struct orc_table *table);

#endif
