/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of a riscv64 Linux kernel and of firmware whose words were placed by hand. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tools/fxtrecord/debugger/guest/riscv_pages.h"
#include "tools/fxtrecord/debugger/guest/riscv_walk.h"

#define CODE UINT64_C(0xffffffff80001000)
#define ENTRY UINT64_C(0xffffffff80a76600)
#define STACK UINT64_C(0xff20000000010000)
#define USER_PC UINT64_C(0x2aaaaab234)
#define USER_SP UINT64_C(0x3ffffff000)
#define FIRMWARE UINT64_C(0x80000400)
#define FIRMWARE_STACK UINT64_C(0x80030000)

enum { WORDS = 256, PCS = 16, KERNEL_STATUS = 1 << 8, FIRMWARE_STATUS = 3 << 11 };

struct scene {
    uint64_t words[WORDS];
    uint64_t firmware_words[WORDS];
    struct riscv_registers registers;
    struct riscv_registers last;
    uint64_t found[PCS];
    enum guest_end end;
};

static uint64_t *word_at(struct scene *s, uint64_t address)
{
    uint64_t at = (address - STACK) / 8;

    if (address >= STACK && at < WORDS)
        return &s->words[at];
    at = (address - FIRMWARE_STACK) / 8;
    return address >= FIRMWARE_STACK && at < WORDS ? &s->firmware_words[at] : NULL;
}

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
    const uint64_t *found = word_at(context, address);

    if (found != NULL)
        *word = *found;
    return found != NULL;
}

static void put(struct scene *s, uint64_t address, uint64_t word)
{
    *word_at(s, address) = word;
}

static void put_record(struct scene *s, uint64_t frame, uint64_t caller, uint64_t pc)
{
    put(s, frame - 16, caller);
    put(s, frame - 8, pc);
}

/* struct pt_regs. */
static void put_saved(struct scene *s, uint64_t at, const struct riscv_registers *from,
                      uint64_t status)
{
    put(s, at, from->pc);
    put(s, at + 8, from->ra);
    put(s, at + 16, from->sp);
    put(s, at + 64, from->s0);
    put(s, at + 256, status);
}

/* Functions have 256 bytes. */
static bool is_one_function(void *context, uint64_t a, uint64_t b)
{
    (void)context;
    return a / 256 == b / 256;
}

static uint64_t walk(struct scene *s, uint64_t max_pcs)
{
    const struct riscv_source source = {.code_start = CODE - ((uint64_t)1 << 31),
                                        .code_end = CODE + 0xf00000,
                                        .text_start = CODE - 0x1000,
                                        .init_start = CODE + 0xe00000,
                                        .is_one_function = is_one_function,
                                        .entry_start = ENTRY,
                                        .entry_return = ENTRY + 0x120,
                                        .entry_end = ENTRY + 0x200,
                                        .read = read_word,
                                        .context = s};

    s->last = s->registers;
    return riscv_walk(&source, &s->last, s->found, max_pcs, &s->end);
}

static void expect(struct scene *s, const uint64_t *pcs, uint64_t n, enum guest_end end)
{
    uint64_t n_found = walk(s, PCS);

    cr_assert(eq(u64, n_found, n));
    for (uint64_t i = 0; i < n; i++)
        cr_assert(eq(u64, s->found[i], pcs[i]), "frame %d", (int)i);
    cr_assert(eq(int, s->end, end));
}

static const struct riscv_registers user = {
    .pc = USER_PC, .ra = USER_PC + 100, .sp = USER_SP, .s0 = USER_SP + 64};

/* Two functions, called where the kernel was entered. */
static void put_system_call(struct scene *s)
{
    put_saved(s, STACK + 0x400, &user, 0);
    put_record(s, STACK + 0x400, USER_SP, ENTRY + 0x100);
    put_record(s, STACK + 0x300, STACK + 0x400, CODE + 0x200);
    s->registers = (struct riscv_registers){
        .pc = CODE + 0x100, .ra = CODE + 0x180, .sp = STACK + 0x2c0, .s0 = STACK + 0x300};
}

Test(riscv, system_calls_lead_to_the_user)
{
    struct scene s = {.end = GUEST_ENDS};

    put_system_call(&s);
    expect(&s, (uint64_t[]){CODE + 0x100, CODE + 0x200, ENTRY + 0x100, USER_PC}, 4,
           GUEST_AT_USER);
    cr_assert(s.last.sp == user.sp && s.last.s0 == user.s0 && s.last.ra == user.ra);
}

Test(riscv, a_leaf_stores_its_callers_frame_only)
{
    struct scene s = {.end = GUEST_ENDS};

    put_system_call(&s);
    put(&s, STACK + 0x300 - 8, STACK + 0x400);
    expect(&s, (uint64_t[]){CODE + 0x100, CODE + 0x180, ENTRY + 0x100, USER_PC}, 4,
           GUEST_AT_USER);
}

Test(riscv, interrupts_lead_to_what_they_have_interrupted)
{
    struct scene s = {.end = GUEST_ENDS};

    put_system_call(&s);
    put_saved(&s, STACK + 0x100, &s.registers, KERNEL_STATUS);
    /* The interrupt's function is on another stack, which is above. */
    put_record(&s, STACK + 0x100, STACK + 0x220, ENTRY + 0x20);
    put_record(&s, STACK + 0x700, STACK + 0x100, CODE + 0x400);
    s.registers = (struct riscv_registers){
        .pc = CODE + 0x300, .sp = STACK + 0x6c0, .s0 = STACK + 0x700};
    expect(&s,
           (uint64_t[]){CODE + 0x300, CODE + 0x400, ENTRY + 0x20, CODE + 0x100,
                        CODE + 0x200, ENTRY + 0x100, USER_PC},
           7, GUEST_AT_USER);
}

Test(riscv, kernel_threads_begin_with_a_function)
{
    struct scene s = {.end = GUEST_ENDS};

    put_record(&s, STACK + 0x300, CODE + 0x226, CODE + 0x700);
    s.registers.pc = CODE;
    s.registers.s0 = STACK + 0x300;
    expect(&s, (uint64_t[]){CODE, CODE + 0x700}, 2, GUEST_AT_END);
    put_record(&s, STACK + 0x300, 0, CODE + 0x700);
    expect(&s, (uint64_t[]){CODE, CODE + 0x700}, 2, GUEST_AT_END);
}

Test(riscv, entering_leads_to_what_was_interrupted)
{
    struct scene s = {.end = GUEST_ENDS};

    put_saved(&s, STACK + 0x400, &user, 0);
    /* All registers are saved but for the PC, and s0 is the user's stack pointer. */
    put(&s, STACK + 0x400, 1);
    s.registers = (struct riscv_registers){.pc = ENTRY + 0x80,
                                           .ra = USER_PC,
                                           .sp = STACK + 0x400,
                                           .s0 = USER_SP,
                                           .sepc = USER_PC};
    expect(&s, (uint64_t[]){ENTRY + 0x80, USER_PC}, 2, GUEST_AT_USER);
    /* The first instruction of what is called. */
    put(&s, STACK + 0x400, USER_PC);
    s.registers.pc = CODE;
    s.registers.ra = ENTRY + 0x100;
    expect(&s, (uint64_t[]){CODE, ENTRY + 0x100, USER_PC}, 3, GUEST_AT_USER);
    /* Nothing is saved yet; and sepc is not known. */
    s.registers = user;
    s.registers.pc = ENTRY;
    s.registers.sepc = USER_PC;
    expect(&s, (uint64_t[]){ENTRY, USER_PC}, 2, GUEST_AT_USER);
    s.registers.sepc = 0;
    expect(&s, (uint64_t[]){ENTRY}, 1, GUEST_AT_USER);
    /* The kernel was interrupted. */
    put_system_call(&s);
    s.registers.sepc = s.registers.pc;
    s.registers.pc = ENTRY;
    expect(&s, (uint64_t[]){ENTRY, CODE + 0x100, CODE + 0x200, ENTRY + 0x100, USER_PC}, 5,
           GUEST_AT_USER);
}

Test(riscv, leaving_leads_to_what_is_gone_on_with)
{
    struct scene s = {.end = GUEST_ENDS};

    put_saved(&s, STACK + 0x400, &user, 0);
    s.registers = (struct riscv_registers){.pc = ENTRY + 0x140,
                                           .ra = 1,
                                           .sp = STACK + 0x400,
                                           .s0 = STACK + 0x400 + 288,
                                           .sepc = CODE};
    expect(&s, (uint64_t[]){ENTRY + 0x140, USER_PC}, 2, GUEST_AT_USER);
    s.registers.sp = USER_SP;
    s.registers.sepc = USER_PC;
    expect(&s, (uint64_t[]){ENTRY + 0x140, USER_PC}, 2, GUEST_AT_USER);
}

/* The register has the return address where the code has no frame, or not yet, and else
 * where it has called nothing. */
Test(riscv, callers_of_code_without_a_frame_are_in_the_register)
{
    struct scene s = {.end = GUEST_ENDS};

    put_system_call(&s);
    s.registers.ra = CODE + 0x520;
    expect(&s,
           (uint64_t[]){CODE + 0x100, CODE + 0x520, CODE + 0x200, ENTRY + 0x100, USER_PC},
           5, GUEST_AT_USER);
    s.registers.ra = CODE + 0x200;
    expect(&s, (uint64_t[]){CODE + 0x100, CODE + 0x200, ENTRY + 0x100, USER_PC}, 4,
           GUEST_AT_USER);
}

Test(riscv, the_kernels_first_code_has_no_caller)
{
    struct scene s = {.end = GUEST_ENDS};

    put_record(&s, STACK + 0x400, 3, 5);
    put_record(&s, STACK + 0x300, STACK + 0x400, CODE + 0xe00010);
    s.registers = (struct riscv_registers){.pc = CODE, .s0 = STACK + 0x300};
    expect(&s, (uint64_t[]){CODE, CODE + 0xe00010}, 2, GUEST_AT_END);
    put_record(&s, STACK + 0x300, STACK + 0x400, CODE + 0x10);
    expect(&s, (uint64_t[]){CODE, CODE + 0x10}, 2, GUEST_CUT_NO_RULE);
}

static void put_firmware(struct scene *s)
{
    put_system_call(s);
    /* struct sbi_trap_regs. */
    put(s, FIRMWARE_STACK + 0x400 + 8, s->registers.ra);
    put(s, FIRMWARE_STACK + 0x400 + 16, s->registers.sp);
    put(s, FIRMWARE_STACK + 0x400 + 64, s->registers.s0);
    put(s, FIRMWARE_STACK + 0x400 + 256, s->registers.pc);
    put(s, FIRMWARE_STACK + 0x400 + 264, 1 << 11);
    put_record(s, FIRMWARE_STACK + 0x400, s->registers.s0, FIRMWARE + 0x90);
    put_record(s, FIRMWARE_STACK + 0x300, FIRMWARE_STACK + 0x400, FIRMWARE + 0x200);
    s->registers = (struct riscv_registers){.pc = FIRMWARE + 0x1000,
                                            .sp = FIRMWARE_STACK + 0x2c0,
                                            .s0 = FIRMWARE_STACK + 0x300,
                                            .is_machine = true,
                                            .mepc = 1};
}

Test(riscv, firmware_leads_to_what_has_called_it)
{
    struct scene s = {.end = GUEST_ENDS};

    put_firmware(&s);
    expect(&s,
           (uint64_t[]){FIRMWARE + 0x1000, FIRMWARE + 0x200, FIRMWARE + 0x90,
                        CODE + 0x100, CODE + 0x200, ENTRY + 0x100, USER_PC},
           7, GUEST_AT_USER);
    /* It has interrupted itself. */
    put(&s, FIRMWARE_STACK + 0x400 + 264, FIRMWARE_STATUS);
    expect(&s, (uint64_t[]){FIRMWARE + 0x1000, FIRMWARE + 0x200, FIRMWARE + 0x90}, 3,
           GUEST_IN_FIRMWARE);
    /* The frame pointer was not what was saved. */
    put(&s, FIRMWARE_STACK + 0x400 + 264, 1 << 11);
    put(&s, FIRMWARE_STACK + 0x400 + 64, STACK);
    expect(&s, (uint64_t[]){FIRMWARE + 0x1000, FIRMWARE + 0x200, FIRMWARE + 0x90}, 3,
           GUEST_IN_FIRMWARE);
}

Test(riscv, the_first_instruction_of_firmware_has_the_kernels_registers)
{
    struct scene s = {.end = GUEST_ENDS};

    put_system_call(&s);
    s.registers.mepc = s.registers.pc;
    s.registers.pc = FIRMWARE;
    s.registers.is_machine = true;
    expect(&s, (uint64_t[]){FIRMWARE, CODE + 0x100, CODE + 0x200, ENTRY + 0x100, USER_PC},
           5, GUEST_AT_USER);
    s.registers.mepc = 0;
    expect(&s, (uint64_t[]){FIRMWARE}, 1, GUEST_IN_FIRMWARE);
}

Test(riscv, walks_end)
{
    struct scene s = {.end = GUEST_ENDS};

    put_system_call(&s);
    cr_assert(eq(u64, walk(&s, 2), 2));
    cr_assert(eq(int, s.end, GUEST_CUT_LONG));
    /* A frame that is its own caller. */
    put_record(&s, STACK + 0x300, STACK + 0x300, CODE + 0x200);
    cr_assert(walk(&s, PCS) < PCS);
    cr_assert(eq(int, s.end, GUEST_CUT_BACKWARDS));
    put_record(&s, STACK + 0x300, STACK + 0x400, CODE - ((uint64_t)1 << 33));
    expect(&s, (uint64_t[]){CODE + 0x100}, 1, GUEST_CUT_NO_RULE);
    s.registers.s0 = STACK + 0x301;
    expect(&s, (uint64_t[]){CODE + 0x100}, 1, GUEST_CUT_NO_RULE);
    s.registers.s0 = STACK - 0x1000;
    expect(&s, (uint64_t[]){CODE + 0x100}, 1, GUEST_CUT_MEMORY);
    s.registers = user;
    expect(&s, (uint64_t[]){USER_PC}, 1, GUEST_AT_USER);
}

/* ---- Pages ------------------------------------------------------------------------- */

/* Tables at 0x1000, 0x2000, ..., each of 512 words; all of memory. */
struct memory {
    uint64_t words[8 * 512];
};

static bool read_physical(void *context, uint64_t address, uint64_t *word)
{
    const struct memory *m = context;

    if (address / 8 >= sizeof(m->words) / 8)
        return false;
    *word = m->words[address / 8];
    return true;
}

enum { TABLE = 1, DATA = 0xc7 };

/* Points an entry of a table to a page by its number. */
static void point(struct memory *m, uint64_t table, uint64_t index, uint64_t page,
                  uint64_t flags)
{
    m->words[table * 512 + index] = page << 10 | flags;
}

static void expect_word(struct memory *m, uint64_t mode, uint64_t address, uint64_t word)
{
    const struct riscv_pages pages = {mode << 60 | 1, read_physical, m};
    uint64_t found;

    cr_assert(riscv_pages_word(&pages, address, &found));
    cr_assert(eq(u64, found, word));
}

static void expect_none(struct memory *m, uint64_t satp, uint64_t address)
{
    const struct riscv_pages pages = {satp, read_physical, m};
    uint64_t found;

    cr_assert(not(riscv_pages_word(&pages, address, &found)));
}

Test(riscv, pages_are_found_by_three_to_five_tables)
{
    static struct memory m;

    for (uint64_t i = 1; i < 5; i++)
        point(&m, i, 511, i + 1, TABLE);
    point(&m, 3, 510, 7, DATA);
    point(&m, 4, 510, 7, DATA);
    point(&m, 5, 510, 7, DATA);
    m.words[7 * 512 + 3] = 42;
    expect_word(&m, 8, UINT64_C(0xffffffffffffe018), 42);
    expect_word(&m, 9, UINT64_C(0xffffffffffffe018), 42);
    expect_word(&m, 10, UINT64_C(0xffffffffffffe018), 42);
    /* Entry 509 is not valid; 1 has tables in it for ever; and 2 is beyond all memory. */
    expect_none(&m, UINT64_C(8) << 60 | 1, UINT64_C(0xffffffffffffd018));
    point(&m, 3, 1, 3, TABLE);
    expect_none(&m, UINT64_C(8) << 60 | 1, UINT64_C(0xffffffffffe01018));
    point(&m, 3, 2, 1 << 20, DATA);
    expect_none(&m, UINT64_C(8) << 60 | 1, UINT64_C(0xffffffffffe02018));
    /* No translation, and a mode that there is not. */
    expect_none(&m, 1, UINT64_C(0xffffffffffffe018));
    expect_none(&m, UINT64_C(11) << 60 | 1, UINT64_C(0xffffffffffffe018));
}

Test(riscv, large_pages_have_the_rest_of_the_address)
{
    static struct memory m;

    point(&m, 1, 511, 2, TABLE);
    point(&m, 2, 511, 0, DATA);
    m.words[6 * 512 + 1] = 43;
    expect_word(&m, 8, UINT64_C(0xffffffffffe06008), 43);
}
