/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module's unwind table: for each address of its code, how to find the caller's
 * registers. It is made once from .eh_frame or .debug_frame, then only read.
 *
 * A table is an array of rows, sorted by address. A row is eight bytes, an address and a
 * rule, and is valid up to the next row. Nearly all rules say that the frame begins (the
 * CFA, DWARF's canonical frame address, which is the caller's stack pointer) so many
 * words above the stack or frame pointer, and that the frame pointer and the return
 * address were stored so many words below. Such a rule is 32 bits; the few others are an
 * index of `odd`, or a mark.
 *
 * Nothing here allocates, except with the functions that are passed in, and nothing calls
 * the C library, so that tables can be made and used inside malloc.
 */
#ifndef FXTUNWIND_UNWIND_TABLE_H
#define FXTUNWIND_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The machine whose code it is, by the number that ELF has for it. It need not be the one
 * that unwinds. */
enum unwind_machine { UNWIND_X86_64 = 62, UNWIND_AARCH64 = 183, UNWIND_RISCV64 = 243 };

/* The machine that this is compiled for; 0 if it is none of these. */
#if defined(__x86_64__) && defined(__LP64__)
#define UNWIND_THIS_MACHINE UNWIND_X86_64
#elif defined(__aarch64__) && defined(__LP64__)
#define UNWIND_THIS_MACHINE UNWIND_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define UNWIND_THIS_MACHINE UNWIND_RISCV64
#else
#define UNWIND_THIS_MACHINE 0
#endif

bool unwind_machine_is_known(uint32_t machine);

/* Where memory for a table comes from. */
struct unwind_allocator {
    /* Returns memory of any content, aligned to 8 bytes; NULL if there is none. */
    void *(*allocate)(void *context, size_t size);
    /* `size` is what was passed to `allocate`. */
    void (*release)(void *context, void *memory, size_t size);
    void *context;
};

/* The rule that holds from an address on, which is table->base + offset. */
struct unwind_row {
    uint32_t offset;
    uint32_t rule;
};

/* A rule that does not fit into 32 bits; unwind_rule.h has its content. */
struct unwind_odd;

/* Addresses from `start` up to, but not including, `limit`. */
struct unwind_range {
    uint64_t start;
    uint64_t limit;
};

/*
 * All zero is a table without rows, to be given to unwind_table_free or built.
 *
 * Addresses are those of the file (link-time addresses): run-time addresses minus the
 * module's bias.
 */
struct unwind_table {
    enum unwind_machine machine;
    /* No address below has a row. */
    uint64_t base;
    const struct unwind_row *rows;
    const struct unwind_odd *odd;
    /* The DWARF expressions of `odd`, one after the other. */
    const unsigned char *expressions;
    /* Where a callee-saved register other than the frame pointer is stored, which the
     * rules of this module need (x86-64: rbx, for the dynamic linker's trampolines);
     * empty in nearly all modules. */
    const struct unwind_row *saved;
    uint32_t n_rows;
    uint32_t n_odd;
    uint32_t n_expression_bytes;
    uint32_t n_saved;

    /* Where the program starts, if the module is one, or the dynamic linker, and there is
     * no row for it; else 0. */
    uint64_t entry;
    /* .init and .fini, which have code without rows. */
    struct unwind_range init[2];

    /* How many FDEs (functions, nearly) it was made from, and how many were left out
     * because they are damaged, or use what is not supported. */
    uint32_t n_functions;
    uint32_t n_refused;

    /* What is to be released; rows and all other arrays are in it. */
    struct unwind_allocator allocator;
    void *memory;
    size_t memory_size;
};

enum unwind_code {
    UNWIND_OK = 0,
    /* The allocator returned NULL. */
    UNWIND_E_MEMORY = 1,
    /* Code for a machine that is not in enum unwind_machine. */
    UNWIND_E_MACHINE = 2,
    /* Not an ELF file, or one that is damaged. */
    UNWIND_E_FILE = 3,
    /* A section is compressed in a way that is not known, or is damaged. */
    UNWIND_E_COMPRESSION = 4,
    /* More than the table's format can hold. */
    UNWIND_E_TOO_LARGE = 5,
    /* .eh_frame_hdr is damaged, or of a form that is not known. */
    UNWIND_E_HEADER = 6
};

/* A constant message, such as "out of memory". */
const char *unwind_code_message(enum unwind_code code);

/* Bytes of a file or of memory, and the address of the first one. */
struct unwind_bytes {
    const unsigned char *bytes;
    uint64_t size;
    uint64_t address;
};

/* What a table is made from. All zero, but for the machine, gives a table without rows.
 */
struct unwind_source {
    uint32_t machine;
    /* .eh_frame; if its end is not known, as much as follows in memory: see `header`. */
    struct unwind_bytes eh_frame;
    /* .debug_frame, for the addresses that .eh_frame does not have. Its addresses are
     * absolute; `address` is not used. */
    struct unwind_bytes debug_frame;
    /* .gopclntab of a program in Go, which counts more than .debug_frame. The address is
     * that of Go's code, used if the section does not say it; 0 if it is unknown. */
    struct unwind_bytes go;
    /* .eh_frame_hdr. Where it is given, the functions of .eh_frame are those in its
     * index, or, if it has none, those before the first terminator; and else all that are
     * in the bytes. */
    struct unwind_bytes header;
    /* Where there is code: FDEs for other addresses are of functions that were not
     * linked. All zero for anywhere. */
    struct unwind_range code;
    uint64_t entry;
    struct unwind_range init[2];
};

/* Sets `header` and `eh_frame` from .eh_frame_hdr, which is at an address in `all`, and
 * from .eh_frame, to which it leads. Returns false if that is not in `all`. */
bool unwind_source_by_header(struct unwind_source *source, const struct unwind_bytes *all,
                             uint64_t header);

/*
 * Makes a table. On failure the table is as if all zero, and nothing stays allocated. A
 * damaged FDE is no failure: it is counted.
 *
 * The bytes may be anything, but must not change while this runs.
 */
enum unwind_code unwind_table_build(struct unwind_table *table,
                                    const struct unwind_source *source,
                                    const struct unwind_allocator *allocator);

/*
 * The same for a module that is loaded into this process, or for the vdso: from its
 * .eh_frame_hdr, which is at `header` in memory (program header PT_GNU_EH_FRAME, or
 * _dl_find_object's dlfo_eh_frame), and from .eh_frame, to which it leads. All of it must
 * be inside [start, limit), which must be readable and stay mapped until this returns.
 * `bias` is subtracted from all addresses, so that the table is that of the file.
 */
enum unwind_code unwind_table_build_loaded(struct unwind_table *table, const void *header,
                                           const void *start, const void *limit,
                                           uint64_t bias,
                                           const struct unwind_allocator *allocator);

/* Releases what the table holds, and makes it all zero. */
void unwind_table_free(struct unwind_table *table);

/* The rule at a link-time address; UNWIND_RULE_NONE (unwind_rule.h) if there is none. */
uint32_t unwind_table_find(const struct unwind_table *table, uint64_t address);

/* The rule of the last row that is not above an offset; `otherwise` if there is none. */
uint32_t unwind_rows_find(const struct unwind_row *rows, uint32_t n, uint64_t offset,
                          uint32_t otherwise);

#endif
