/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the memory of a machine in which fxtrecord --gdb looks for a Linux kernel:
 * the search ends, what it finds is within its bounds, and so are stacks by it.
 *
 * An input begins with two numbers of 32 bits, where its image begins and how many bytes
 * it has; then come the image and a module. tests/support/linux_memory.py makes such
 * inputs. Stacks of a riscv64 are walked in the same memory.
 */
#include <string.h>

#include "tools/fxtrecord/debugger/guest/guest_kernel.h"
#include "tools/fxtrecord/debugger/guest/orc_walk.h"
#include "tools/fxtrecord/debugger/guest/riscv_walk.h"
#include "pooled.h"

#define BASE UINT64_C(0xffffffff81000000)
#define MODULE UINT64_C(0xffffffffc0200000)

enum { PAGE = 4096, PCS = 32, HEADER = 8, STACKS = 16 };

struct memory {
    uint64_t start;
    const uint8_t *image;
    size_t image_size;
    const uint8_t *module;
    size_t module_size;
    struct guest_kernel kernel;
};

/* Memory has whole pages: what is beyond the bytes is zero. */
static bool copy_part(uint64_t start, const uint8_t *data, size_t n, uint64_t address,
                      void *to, size_t size)
{
    uint64_t low = start - start % PAGE;
    uint64_t high = start + n + (PAGE - 1);
    uint8_t *target = to;

    high -= high % PAGE;
    if (n == 0 || address < low || address >= high || high - address < size)
        return false;
    for (size_t i = 0; i < size; i++) {
        uint64_t at = address + i - start;

        target[i] = at < n ? data[at] : 0;
    }
    return true;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
    const struct memory *m = context;

    return copy_part(m->start, m->image, m->image_size, address, to, size) ||
           copy_part(MODULE, m->module, m->module_size, address, to, size);
}

static bool find_rule(void *context, uint64_t pc, struct orc_rule *rule)
{
    const struct memory *m = context;

    return guest_kernel_rule(&m->kernel, pc, rule);
}

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
    return read_memory(context, address, word, sizeof(*word));
}

static void walk_stacks(struct memory *m)
{
    const struct orc_source source = {find_rule, read_word, m};
    uint64_t pcs[PCS];
    enum guest_end end;

    for (uint64_t i = 0; i < STACKS; i++) {
        size_t number = (size_t)(i * m->kernel.table.n / STACKS);
        const struct orc_registers from = {
            .pc = m->kernel.table.pcs[number] + i % 2,
            .sp = m->start + (i * m->image_size / STACKS & ~(uint64_t)7),
            .bp = m->start + (i * m->image_size / STACKS & ~(uint64_t)15),
            .has_others = i % 4 == 0,
        };
        struct orc_registers last = from;
        uint64_t n = orc_walk(&source, &last, pcs, PCS, &end);

        require(n >= 1 && n <= PCS && pcs[0] == from.pc, "stacks begin with the pc");
        require(end < GUEST_ENDS, "stacks have an end");
    }
}

static bool is_one_function(void *context, uint64_t a, uint64_t b)
{
    const struct memory *m = context;

    return guest_kernel_is_one_function(&m->kernel, a, b);
}

static void walk_riscv(struct memory *m)
{
    const struct riscv_source source = {.code_start = BASE,
                                        .code_end = MODULE,
                                        .text_start = BASE,
                                        .init_start = MODULE - PAGE,
                                        .is_one_function = is_one_function,
                                        .entry_start = BASE + PAGE,
                                        .entry_return = BASE + PAGE + PAGE / 2,
                                        .entry_end = BASE + 2 * PAGE,
                                        .read = read_word,
                                        .context = m};
    uint64_t pcs[PCS];
    enum guest_end end;

    for (uint64_t i = 0; i < STACKS; i++) {
        const uint64_t sp = m->start + (i * m->image_size / STACKS & ~(uint64_t)7);
        struct riscv_registers last = {.pc = BASE + i * PAGE / 4,
                                       .ra = BASE + PAGE,
                                       .sp = sp,
                                       .s0 = sp + i % 3 * 144,
                                       .is_machine = i % 4 == 3};
        uint64_t pc = last.pc;
        uint64_t n = riscv_walk(&source, &last, pcs, PCS, &end);

        require(n >= 1 && n <= PCS && pcs[0] == pc, "stacks begin with the pc");
        require(end < GUEST_ENDS, "stacks have an end");
    }
}

static void check_kernel(struct memory *m, const struct kernel_symbols *symbols)
{
    const struct guest_kernel *k = &m->kernel;

    require(strlen(k->release) < sizeof(k->release), "releases end");
    require(symbols->n <= k->n_symbols + k->modules.n_name_bytes,
            "symbols are not too many");
    if (!k->is_known)
        return;
    require(k->table.n > 0 && k->text_start < k->text_end, "kernels have code");
    require(k->modules.n <= GUEST_MODULES_MAX, "modules are not too many");
    for (size_t i = 1; i < k->table.n; i++)
        require(k->table.pcs[i - 1] <= k->table.pcs[i], "tables are sorted");
    for (size_t i = 0; i < k->modules.n; i++)
        require(strlen(k->modules.all[i].name) < GUEST_MODULE_NAME, "names end");
    walk_stacks(m);
}

static uint32_t read_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void check(void *context)
{
    const struct fuzz_input *input = context;
    const uint8_t *data = input->data;
    size_t size = input->size;
    struct memory m = {.start = 0};
    const struct guest_reader reader = {read_memory, &m};
    struct kernel_symbols symbols = {0};
    const char *why;
    bool found;

    m.start = BASE + read_u32(data) % (1 << 20);
    m.image_size = read_u32(data + 4);
    m.image = data + HEADER;
    if (m.image_size > size - HEADER)
        m.image_size = size - HEADER;
    m.module = m.image + m.image_size;
    m.module_size = size - HEADER - m.image_size;
    found = guest_kernel_read(&m.kernel, &reader, RSP_X86_64, BASE, &symbols, &why);
    require(found == (why == NULL), "there is a reason");
    check_kernel(&m, &symbols);
    walk_riscv(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= HEADER)
        run_pooled(check, data, size);
    return 0;
}
