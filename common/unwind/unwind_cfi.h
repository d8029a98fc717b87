/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call frame information (DWARF 5, section 6.4): what .eh_frame and .debug_frame are made
 * of. A CIE has what many functions share, an FDE is a function, and both have programs
 * that say how the caller's registers are found, from one address on after the other.
 */
#ifndef FXTUNWIND_UNWIND_CFI_H
#define FXTUNWIND_UNWIND_CFI_H

#include "unwind_cursor.h"
#include "unwind_rule.h"

/* Reads bytes of a section that are going to be looked at. */
struct unwind_loader {
    void (*load)(struct unwind_loader *loader, uint64_t at, uint64_t limit);
};

static inline void unwind_load(struct unwind_loader *loader, uint64_t at, uint64_t limit)
{
    if (loader != NULL)
        loader->load(loader, at, limit);
}

struct cfi_section {
    struct unwind_bytes bytes;
    /* NULL if all bytes are there. */
    struct unwind_loader *loader;
    bool is_debug_frame;
    uint32_t machine;
    /* How many bytes may still be read: of real sections each is read a few times, but
     * what is hostile may lead into the same bytes again and again. */
    uint64_t budget;
};

/* A register's rule; `value` is an offset, a register, or where in the section an
 * expression begins, with its size. */
struct cfi_value {
    enum unwind_value_kind kind;
    int64_t value;
};

enum { CFI_FP, CFI_SP, CFI_RA, CFI_SAVED, CFI_COLUMNS };

/* The rules that hold at an address. */
struct cfi_state {
    /* REGISTER or IS_EXPRESSION. */
    enum unwind_value_kind cfa_kind;
    uint32_t cfa_register;
    int64_t cfa_offset;
    int64_t cfa_expression;
    struct cfi_value columns[CFI_COLUMNS];
};

struct cfi_cie {
    /* UINT64_MAX for none. */
    uint64_t position;
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra_column;
    uint8_t encoding;
    bool is_signal;
    bool has_augmentation_size;
    struct cfi_state initial;
};

enum { CFI_CIES = 8 };

/* CIEs that were read before. */
struct cfi_cies {
    struct cfi_cie cies[CFI_CIES];
};

struct cfi_fde {
    const struct cfi_cie *cie;
    uint64_t start;
    uint64_t limit;
    struct unwind_cursor program;
};

/* An entry of a section: a CIE, an FDE, or a terminator. */
struct cfi_entry {
    enum cfi_entry_kind { CFI_CIE, CFI_FDE, CFI_TERMINATOR } kind;
    /* After the CIE's id or the pointer to the CIE. */
    uint64_t at;
    uint64_t end;
    /* Where the CIE of an FDE begins. */
    uint64_t cie;
};

void cfi_cies_init(struct cfi_cies *cies);

/* Reads the entry at a position. Returns false if it is damaged; `entry->end` is then
 * after it, or 0 if it has no end in the section. */
bool cfi_entry_read(const struct cfi_section *section, uint64_t position,
                    struct cfi_entry *entry);

/* Reads an FDE, whose CIE is read or was. Returns false if either is damaged or not
 * supported. */
bool cfi_fde_read(struct cfi_section *section, struct cfi_cies *cies,
                  const struct cfi_entry *entry, struct cfi_fde *fde);

/* Takes the rules that hold from `address` on; NULL if they are not known, because the
 * rest is damaged. Returns false to stop. */
typedef bool cfi_row_fn(void *context, uint64_t address, const struct cfi_state *state);

/* Runs an FDE's program. Returns false if it is damaged. */
bool cfi_fde_run(struct cfi_section *section, const struct cfi_fde *fde, cfi_row_fn *row,
                 void *context);

/* Runs a CIE's program, which makes the state that each FDE's begins with. */
bool cfi_initial_run(const struct cfi_section *section, struct cfi_cie *cie,
                     struct unwind_cursor program);

#endif
