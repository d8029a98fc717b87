/* SPDX-License-Identifier: BSD-2-Clause */
/* See guest_kernel.h. */
#include "guest_kernel.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/kernel/kallsyms_table.h"
#include "guest_end.h"

/* Below it, symbols are no code's. */
enum { ENTRIES_MAX = 1 << 22, FRAME_BYTES = 16, VECTORS_BYTES = 2048 };

/* What is needed of the kernel's data. */
enum place {
    TEXT_START,
    TEXT_END,
    BANNER,
    MODULES,
    PCS_START,
    PCS_END,
    ENTRIES_START,
    ENTRIES_END,
    ENTRY,
    ENTRY_RETURN,
    VECTORS,
    INIT_END,
    N_PLACES
};

static const char *const place_names[N_PLACES] = {
    [TEXT_START] = "_stext",
    [TEXT_END] = "_etext",
    [BANNER] = "linux_banner",
    [MODULES] = "modules",
    [PCS_START] = "__start_orc_unwind_ip",
    [PCS_END] = "__stop_orc_unwind_ip",
    [ENTRIES_START] = "__start_orc_unwind",
    [ENTRIES_END] = "__stop_orc_unwind",
    [ENTRY] = "handle_exception",
    [ENTRY_RETURN] = "ret_from_exception",
    [VECTORS] = "vectors",
    [INIT_END] = "_einittext",
};

struct finder {
    struct kernel_memory memory;
    struct kallsyms_table symbols;
    struct kernel_symbols *names;
    struct guest_kernel *kernel;
    uint64_t places[N_PLACES];
    /* What follows ENTRY_RETURN. */
    uint64_t entry_end;
};

/* Where x86-64 and riscv64 have their kernels. */
#define WINDOW ((uint64_t)0xffffffff80000000)

/* Whether an address is in the window of x86-64 and riscv64. */
static bool is_in_window(uint64_t address)
{
    return address >= WINDOW && address - WINDOW < KERNEL_WINDOW_BYTES;
}

/* That of aarch64 is around its code, which may be anywhere. */
static uint64_t window_of(enum rsp_machine machine, uint64_t pc)
{
    return machine == RSP_AARCH64 ? pc - pc % KERNEL_BLOCK_BYTES - KERNEL_WINDOW_BYTES / 2
                                  : WINDOW;
}

bool guest_kernel_may_be_at(enum rsp_machine machine, uint64_t pc)
{
    return machine == RSP_AARCH64 ? !guest_is_user(pc) : is_in_window(pc);
}

/* Symbols come sorted, as the kernel has them. */
static void take_function(struct guest_kernel *k, uint64_t address)
{
    if (k->n_functions > 0 && k->functions[k->n_functions - 1] >= address)
        return;
    MEMORY_ADD(k->functions, k->n_functions, k->function_capacity, address);
}

static void take_symbol(void *context, uint64_t address, char type, const char *name,
                        size_t size)
{
    struct finder *f = context;
    const struct kernel_symbol_line line = {
        .address = address, .type = type, .name = {name, size}, .module = {"", 0}};

    kernel_symbols_add(f->names, &line);
    if (strchr("tTwW", type) != NULL)
        take_function(f->kernel, address);
    if (f->entry_end == 0 && f->places[ENTRY_RETURN] != 0 &&
        address > f->places[ENTRY_RETURN])
        f->entry_end = address;
    for (size_t i = 0; i < N_PLACES; i++) {
        if (f->places[i] == 0 && strlen(place_names[i]) == size &&
            memcmp(place_names[i], name, size) == 0)
            f->places[i] = address;
    }
}

/* "Linux version 6.1.0-18-amd64 (...". */
static void read_release(struct finder *f, struct guest_kernel *kernel)
{
    static const char before[] = "Linux version ";
    char banner[sizeof(before) - 1 + sizeof(kernel->release)];
    size_t n = 0;

    if (f->places[BANNER] == 0 ||
        !kernel_memory_copy(&f->memory, f->places[BANNER], banner, sizeof(banner)) ||
        memcmp(banner, before, sizeof(before) - 1) != 0)
        return;
    for (const char *at = banner + sizeof(before) - 1; n + 1 < sizeof(kernel->release);
         at++) {
        if (*at <= ' ' || *at > '~')
            break;
        kernel->release[n++] = *at;
    }
    kernel->release[n] = '\0';
}

static const char *read_table(struct finder *f, struct guest_kernel *kernel)
{
    uint64_t pcs_size = f->places[PCS_END] - f->places[PCS_START];
    uint64_t entries_size = f->places[ENTRIES_END] - f->places[ENTRIES_START];
    size_t n = pcs_size / ORC_PC_BYTES;
    const char *why = NULL;
    unsigned char *pcs;
    unsigned char *entries;
    enum orc_format format;

    if (f->places[PCS_START] == 0 || f->places[PCS_END] == 0 ||
        f->places[ENTRIES_START] == 0 || f->places[ENTRIES_END] == 0)
        return "it has no ORC tables";
    if (n == 0 || n > ENTRIES_MAX || pcs_size % ORC_PC_BYTES != 0 ||
        entries_size != n * ORC_ENTRY_BYTES)
        return "its ORC tables do not have the same length";
    pcs = memory_allocate(pcs_size);
    entries = memory_allocate(entries_size);
    if (!kernel_memory_copy(&f->memory, f->places[PCS_START], pcs, pcs_size) ||
        !kernel_memory_copy(&f->memory, f->places[ENTRIES_START], entries, entries_size))
        why = "its ORC tables cannot be read";
    format = why == NULL ? orc_format_of(entries, n) : ORC_UNKNOWN;
    if (why == NULL && format == ORC_UNKNOWN)
        why = "its ORC tables are of an unknown format";
    if (why == NULL &&
        !orc_table_make(&kernel->table, format, pcs, f->places[PCS_START], entries, n))
        why = "its ORC tables are not sorted";
    memory_release(pcs);
    memory_release(entries);
    return why;
}

static void find_vectors(const struct finder *f, struct guest_kernel *kernel)
{
    kernel->entry_start = f->places[VECTORS];
    kernel->entry_end =
        f->places[VECTORS] + (f->places[VECTORS] != 0 ? VECTORS_BYTES : 0);
}

static const char *find_entry(const struct finder *f, struct guest_kernel *kernel)
{
    kernel->entry_start = f->places[ENTRY];
    kernel->entry_return = f->places[ENTRY_RETURN];
    kernel->entry_end = f->entry_end;
    if (f->places[ENTRY] != 0 && f->places[ENTRY] < f->places[ENTRY_RETURN] &&
        f->entry_end != 0)
        return NULL;
    return "the kernel's symbols do not say where it is entered";
}

/* What stacks need. */
static const char *read_rules(struct finder *f, struct guest_kernel *kernel,
                              enum rsp_machine machine)
{
    switch (machine) {
    case RSP_X86_64:
        return read_table(f, kernel);
    case RSP_RISCV64:
        return find_entry(f, kernel);
    case RSP_AARCH64:
        find_vectors(f, kernel);
        break;
    case RSP_UNKNOWN_MACHINE:
        break;
    }
    return NULL;
}

static const char *read_kernel(struct finder *f, struct guest_kernel *kernel,
                               enum rsp_machine machine, uint64_t pc)
{
    const char *why;

    if (!kallsyms_table_find(&f->memory, pc, &f->symbols))
        return "no Linux kernel with symbols was found in memory";
    if (!kallsyms_table_each(&f->memory, &f->symbols, take_symbol, f))
        return "the kernel's symbols cannot be read";
    kernel->n_symbols = f->symbols.n;
    kernel->text_start = f->places[TEXT_START];
    kernel->text_end = f->places[TEXT_END];
    kernel->init_end = kernel->text_end;
    if (f->places[INIT_END] > kernel->text_end)
        kernel->init_end = f->places[INIT_END];
    kernel->module_list = f->places[MODULES];
    read_release(f, kernel);
    if (kernel->text_end <= kernel->text_start)
        return "the kernel's symbols do not say where its code is";
    why = read_rules(f, kernel, machine);
    kernel->is_known = why == NULL;
    return why;
}

bool guest_kernel_is_for(enum rsp_machine machine)
{
    return machine != RSP_UNKNOWN_MACHINE;
}

bool guest_kernel_read(struct guest_kernel *kernel, const struct guest_reader *reader,
                       enum rsp_machine machine, uint64_t pc,
                       struct kernel_symbols *symbols, const char **why)
{
    struct finder *f = memory_allocate(sizeof(*f));

    f->memory.read = reader->read;
    f->memory.context = reader->context;
    f->memory.start = window_of(machine, pc);
    f->names = symbols;
    f->kernel = kernel;
    /* Of an attempt before. */
    kernel->n_functions = 0;
    *why = read_kernel(f, kernel, machine, pc);
    kernel_memory_free(&f->memory);
    memory_release(f);
    if (kernel->is_known)
        guest_kernel_read_modules(kernel, reader, symbols);
    kernel_symbols_sort(symbols);
    return kernel->is_known;
}

void guest_kernel_read_modules(struct guest_kernel *kernel,
                               const struct guest_reader *reader,
                               struct kernel_symbols *symbols)
{
    guest_modules_free(&kernel->modules);
    if (kernel->module_list != 0)
        guest_modules_read(&kernel->modules, reader, kernel->module_list,
                           kernel->table.format, symbols);
}

bool guest_kernel_rule(const struct guest_kernel *kernel, uint64_t pc,
                       struct orc_rule *rule)
{
    if (is_in_window(pc))
        return orc_table_find(&kernel->table, pc, rule);
    if (guest_modules_rule(&kernel->modules, pc, rule))
        return true;
    if (pc < WINDOW)
        return false;
    *rule = (struct orc_rule){.start = pc,
                              .type = ORC_CALL,
                              .frame = ORC_BASE_BP,
                              .frame_offset = FRAME_BYTES,
                              .bp = ORC_BASE_CALLER_SP,
                              .bp_offset = -FRAME_BYTES};
    return true;
}

/* How many functions begin at or before an address. */
static size_t count_functions(const struct guest_kernel *kernel, uint64_t address)
{
    return search_up_to(kernel->functions, kernel->n_functions,
                        sizeof(*kernel->functions), 0, address);
}

bool guest_kernel_is_one_function(const struct guest_kernel *kernel, uint64_t a,
                                  uint64_t b)
{
    return count_functions(kernel, a) == count_functions(kernel, b);
}
