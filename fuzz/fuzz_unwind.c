/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind tables from any bytes, and walks by them over any registers and memory. A
 * table's rows must be in order, and a walk's PCs inside executable mappings, with a
 * cache as without one.
 *
 * An input: a byte for the machine and for what the table is made from; two bytes that
 * say how many of the last bytes are a stack, whose first words are also the registers;
 * then the bytes of the table.
 */
#include <string.h>

#include "common/base/memory.h"
#include "common/unwind/unwind_file.h"
#include "common/unwind/unwind_rule.h"
#include "common/unwind/unwind_walk.h"
#include "target.h"

enum { HEAD = 3, REGISTERS = 33, PCS = 40, CODE_MAX = 4096 };

/* Where the sections are, and the stack. */
#define SECTION UINT64_C(0x2000)
#define STACK UINT64_C(0x7ff000)

struct input {
    unsigned how;
    const uint8_t *table;
    size_t table_size;
    const uint8_t *stack;
    size_t stack_size;
};

static enum unwind_machine machine_of(const struct input *in)
{
    static const enum unwind_machine machines[] = {UNWIND_X86_64, UNWIND_AARCH64,
                                                   UNWIND_RISCV64, UNWIND_X86_64};

    return machines[in->how & 3];
}

/* ---- Tables ------------------------------------------------------------------------ */

static bool build(const struct input *in, struct unwind_table *table)
{
    struct unwind_source source = {.machine = machine_of(in),
                                   .code = {0, (in->how & 64) != 0 ? 0x100000 : 0},
                                   .entry = 0x1000,
                                   .init = {{0x1010, 0x1020}, {0x1030, 0x1040}}};
    struct unwind_bytes bytes = {in->table, in->table_size, SECTION};
    struct text why = {NULL, 0, 0};
    enum unwind_code code = UNWIND_E_HEADER;
    struct file *file;

    switch (in->how >> 2 & 3) {
    case 0:
        file = file_from_memory(in->table, in->table_size);
        code = unwind_file_read(table, file, &unwind_base_allocator, &why);
        require((code == UNWIND_OK) == (why.size == 0), "a failure has a reason");
        text_free(&why);
        file_close(file);
        return code == UNWIND_OK;
    case 1:
        source.eh_frame = bytes;
        break;
    case 2:
        source.debug_frame = bytes;
        if ((in->how & 16) != 0)
            source.go = bytes;
        break;
    default:
        if (!unwind_source_by_header(&source, &bytes, SECTION + (in->how >> 4 & 3)))
            return false;
    }
    code = unwind_table_build(table, &source, &unwind_base_allocator);
    return code == UNWIND_OK;
}

static void check_table(const struct unwind_table *table)
{
    require(unwind_code_message(UNWIND_E_HEADER)[0] != '\0', "codes have messages");
    for (uint32_t i = 0; i < table->n_rows; i++) {
        const struct unwind_row *row = &table->rows[i];

        require(i == 0 || row->offset > row[-1].offset, "rows are in order");
        require(i == 0 || row->rule != row[-1].rule, "rows differ");
        require((row->rule & UNWIND_RULE_SIMPLE) != 0 ||
                    (row->rule & UNWIND_RULE_ODD) == 0 ||
                    (row->rule & ~UNWIND_RULE_ODD) < table->n_odd,
                "odd rules are there");
        require(unwind_table_find(table, table->base + row->offset) == row->rule,
                "rows are found");
    }
    require(table->n_rows == 0 ||
                table->rows[table->n_rows - 1].rule == UNWIND_RULE_NONE ||
                table->rows[table->n_rows - 1].offset < UINT32_MAX,
            "the last row is a gap");
    for (uint32_t i = 1; i < table->n_saved; i++)
        require(table->saved[i].offset > table->saved[i - 1].offset, "saved in order");
}

/* ---- Walks ------------------------------------------------------------------------- */

static bool read_code(void *context, const struct unwind_module *module, uint64_t address,
                      unsigned char *bytes, size_t n)
{
    const struct input *in = (const struct input *)context;
    uint64_t at = (address - module->start) % CODE_MAX;

    if (at > in->table_size || in->table_size - at < n)
        return false;
    memcpy(bytes, in->table + at, n);
    return true;
}

static uint64_t word_at(const struct input *in, size_t i)
{
    uint64_t word = 0;

    if (in->stack_size / 8 > i)
        memcpy(&word, in->stack + 8 * i, sizeof(word));
    return word;
}

static bool is_code(const struct unwind_space *space, uint64_t pc)
{
    return unwind_space_find(space, pc) || unwind_space_find(space, pc - 1) ||
           unwind_space_find(space, pc - 2);
}

static void check_walk(const struct unwind_start *start, const uint64_t *pcs, uint32_t n,
                       const struct unwind_result *result)
{
    require(n == result->n_pcs && n <= PCS && n > 0, "there are PCs");
    for (uint32_t i = 1; i < n; i++)
        require(is_code(start->space, pcs[i]), "PCs are code");
    require(result->end != UNWIND_END_DEPTH || n == PCS,
            "no more than there is room for");
    require(result->module == UINT32_MAX || result->module < start->space->n_modules,
            "the module is one");
}

static void walk(const struct input *in, const struct unwind_table *table)
{
    struct unwind_module modules[8] = {
        {0x1000, 0x9000, 0, table, 0, 0},
        {0x20000, 0x30000, 0x20000, table, UNWIND_KEEPS_FRAMES, 1},
        {word_at(in, 1), word_at(in, 2), word_at(in, 3), table, 0, 2},
        {0x8000, 0x9800, 0, NULL, 0, 3},
    };
    struct unwind_space space = {machine_of(in), 1, modules, 0, 0};
    struct unwind_cache_entry entries[16] = {{0, 0}};
    struct unwind_cache cache = {entries, 15};
    struct unwind_registers registers = {.pc = word_at(in, 0),
                                         .known = (uint32_t)word_at(in, 4) | 0x80000142};
    struct unwind_chunk chunks[] = {
        {STACK, in->stack_size, in->stack, (in->how & 16) != 0},
        {word_at(in, 5), in->stack_size / 2, in->stack, false},
    };
    struct unwind_start start = {.space = &space,
                                 .registers = &registers,
                                 .chunks = chunks,
                                 .n_chunks = 2,
                                 .is_return = (in->how & 32) != 0,
                                 .read_code = (in->how & 128) != 0 ? read_code : NULL,
                                 .context = (void *)(uintptr_t)in};
    struct unwind_result first;
    struct unwind_result again;
    uint64_t pcs[PCS];
    uint64_t cached[PCS];
    uint64_t exact[1];
    uint32_t n;

    for (size_t i = 0; i < 32; i++)
        registers.r[i] = word_at(in, i);
    space.n_modules = unwind_space_arrange(modules, 4, 8);
    for (uint32_t i = 1; i < space.n_modules; i++)
        require(modules[i].start >= modules[i - 1].limit, "modules are in order");
    n = unwind_walk(&start, pcs, PCS, &first);
    check_walk(&start, pcs, n, &first);
    start.cache = &cache;
    for (int i = 0; i < 2; i++) {
        require(unwind_walk(&start, cached, PCS, &again) == n, "a cache changes nothing");
        require(memcmp(pcs, cached, n * sizeof(*pcs)) == 0, "nor in the PCs");
        require(first.end == again.end && first.address == again.address, "nor the end");
    }
    start.exact = exact;
    require(unwind_walk(&start, cached, PCS, &again) == n, "nor do bits");
    for (uint32_t i = 0; i < n; i++)
        require(cached[i] == pcs[i] ||
                    (i > 0 && cached[i] + 1 == pcs[i] && (exact[0] >> i & 1) != 0),
                "exact PCs are marked");
}

static void run(void *context)
{
    const struct input *in = (const struct input *)context;
    struct unwind_table table;

    if (build(in, &table)) {
        check_table(&table);
        walk(in, &table);
        unwind_table_free(&table);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_pool pool;
    struct input in;

    if (size < HEAD)
        return 0;
    in.how = data[0];
    in.stack_size = data[1] | (size_t)data[2] << 8;
    if (in.stack_size > size - HEAD)
        in.stack_size = size - HEAD;
    in.table = data + HEAD;
    in.table_size = size - HEAD - in.stack_size;
    in.stack = in.table + in.table_size;
    memory_pool_start(&pool, (size_t)1 << 30);
    memory_run(&pool, run, &in);
    memory_pool_end(&pool);
    return 0;
}
