/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that unwinds its own stack: each function stores its return address, and the
 * walk must find the same ones, from a leaf, and from handlers of signals that arrive in
 * a leaf, in a function with a large frame, and while another signal is handled, on this
 * stack and on another. Links the core of libfxtunwind only, so that it runs on other
 * machines, too (self.sh). Prints what is wrong; exits with 1 if anything is.
 */
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "common/unwind/unwind_walk.h"

enum { MODULES = 32, DEPTH = 64 };

static struct unwind_table tables[MODULES];
static struct unwind_module modules[2 * MODULES];
static uint32_t n_modules;
static struct unwind_space space;
static struct unwind_cache_entry entries[1024];
static struct unwind_cache cache = {entries, 1023};
static char alternate[1 << 16] __attribute__((aligned(16)));

/* Return addresses that are in use, and interrupted PCs; the last one is the leaf's. */
static uint64_t truth[DEPTH];
static int n_true;
static int n_walks;
static int status;
static const char *main_stack_end;

/* ---- Modules ----------------------------------------------------------------------- */

static void *allocate(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static void add_segment(const struct dl_phdr_info *info, const ElfW(Phdr) * segment,
                        const struct unwind_table *table)
{
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0 ||
        n_modules == MODULES)
        return;
    modules[n_modules++] = (struct unwind_module){
        .start = info->dlpi_addr + segment->p_vaddr,
        .limit = info->dlpi_addr + segment->p_vaddr + segment->p_memsz,
        .bias = info->dlpi_addr,
        .table = table};
}

/* .eh_frame_hdr and .eh_frame are in one segment. */
static void build_table(const struct dl_phdr_info *info, struct unwind_table *table)
{
    static const struct unwind_allocator allocator = {allocate, release, NULL};
    const char *header = NULL;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            header = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    for (int i = 0; i < info->dlpi_phnum && header; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const char *start = (const char *)(info->dlpi_addr + segment->p_vaddr);
        enum unwind_code code;

        if (segment->p_type != PT_LOAD || header < start ||
            header >= start + segment->p_filesz)
            continue;
        code = unwind_table_build_loaded(table, header, start, start + segment->p_filesz,
                                         info->dlpi_addr, &allocator);
        if (code != UNWIND_OK || table->n_refused > 0)
            printf("%s: %s, %u refused\n", info->dlpi_name, unwind_code_message(code),
                   table->n_refused);
    }
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct unwind_table *table = &tables[*(int *)context];

    (void)size;
    if (*(int *)context == MODULES)
        return 1;
    (*(int *)context)++;
    build_table(info, table);
    for (int i = 0; i < info->dlpi_phnum; i++)
        add_segment(info, &info->dlpi_phdr[i], table);
    return 0;
}

/* What signal handlers return to may be in no module that the loader knows. */
static void add_other_code(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long start;
    unsigned long limit;
    char mode[8];

    while (maps && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx %7s", &start, &limit, mode) != 3 || mode[2] != 'x' ||
            n_modules == MODULES)
            continue;
        memmove(modules + 1, modules, n_modules * sizeof(modules[0]));
        modules[0] = (struct unwind_module){.start = start, .limit = limit};
        n_modules++;
    }
    if (maps)
        fclose(maps);
}

static bool read_code(void *context, const struct unwind_module *module, uint64_t address,
                      unsigned char *bytes, size_t n)
{
    (void)context;
    (void)module;
    memcpy(bytes, (const void *)(uintptr_t)address, n);
    return true;
}

/* ---- Walks ------------------------------------------------------------------------- */

static void show(const char *what, const uint64_t *pcs, uint32_t n)
{
    printf("  %s:", what);
    for (uint32_t i = 0; i < n; i++)
        printf(" %llx", (unsigned long long)pcs[i]);
    printf("\n");
}

/* Callers of main are the C library's, which has no tables for them on riscv64. */
static bool is_end(enum unwind_end end)
{
    return end == UNWIND_END_OUTERMOST ||
           (end == UNWIND_END_NO_RULE && space.machine == UNWIND_RISCV64);
}

static void check(const uint64_t *pcs, uint32_t n, const struct unwind_result *result)
{
    bool is_right = n >= (uint32_t)n_true && is_end(result->end);
    uint64_t expected[DEPTH];

    n_walks++;
    for (int i = 0; i < n_true; i++) {
        expected[i] = truth[n_true - 1 - i];
        is_right = is_right && pcs[i] == expected[i];
    }
    if (is_right)
        return;
    status = 1;
    printf("walk %d: end %d, at %llx\n", n_walks, (int)result->end,
           (unsigned long long)result->address);
    show("found", pcs, n);
    show("true ", expected, (uint32_t)n_true);
}

static void walk_from(const struct unwind_registers *registers)
{
    struct unwind_numbers numbers = unwind_numbers_of(space.machine);
    uint64_t sp = registers->r[numbers.sp];
    const char *main_sp = __builtin_frame_address(0);
    struct unwind_chunk chunks[2] = {{.address = sp}, {.address = 0}};
    struct unwind_start start = {.space = &space,
                                 .registers = registers,
                                 .chunks = chunks,
                                 .n_chunks = 2,
                                 .cache = &cache,
                                 .read_code = read_code};
    struct unwind_result result;
    uint64_t pcs[DEPTH];
    uint32_t n;

    memcpy(&chunks[0].bytes, &sp, sizeof(sp));
    chunks[0].size = (uint64_t)(uintptr_t)main_stack_end - sp;
    if (sp >= (uintptr_t)alternate && sp < (uintptr_t)alternate + sizeof(alternate)) {
        chunks[0].size = (uintptr_t)alternate + sizeof(alternate) - sp;
        main_sp = main_stack_end - (1 << 16);
    }
    chunks[1] = (struct unwind_chunk){
        (uintptr_t)main_sp, (uint64_t)(main_stack_end - main_sp), main_sp, false};
    n = unwind_walk(&start, pcs, DEPTH, &result);
    check(pcs, n, &result);
    n = unwind_walk(&start, pcs, DEPTH, &result);
    check(pcs, n, &result);
}

static void take_context(const ucontext_t *context, struct unwind_registers *registers)
{
    const mcontext_t *m = &context->uc_mcontext;

#if defined(__x86_64__)
    registers->pc = (uint64_t)m->gregs[REG_RIP];
    registers->r[7] = (uint64_t)m->gregs[REG_RSP];
    registers->r[6] = (uint64_t)m->gregs[REG_RBP];
    registers->r[3] = (uint64_t)m->gregs[REG_RBX];
    registers->known = UNWIND_KNOWS(3) | UNWIND_KNOWS(6) | UNWIND_KNOWS(7);
#elif defined(__aarch64__)
    registers->pc = m->pc;
    memcpy(registers->r, m->regs, sizeof(m->regs));
    registers->r[31] = m->sp;
    registers->known = UINT32_MAX;
#else
    for (int i = 1; i < 32; i++)
        registers->r[i] = m->__gregs[i];
    registers->pc = m->__gregs[REG_PC];
    registers->known = UINT32_MAX;
#endif
}

/* ---- Functions that know their callers --------------------------------------------- */

#define APART __attribute__((noinline))
#define ENTER() (truth[n_true++] = (uint64_t)(uintptr_t)__builtin_return_address(0))
#define LEAVE() (n_true--)

static volatile int sink;
static int level;

/* Is interrupted; its return address is in a register where the machine has one for it.
 */
APART static int leaf(int n)
{
    ENTER();
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#elif defined(__aarch64__)
    __asm__ volatile(".inst 0");
#else
    __asm__ volatile(".word 0");
#endif
    return n + 1;
}

APART static int calls_leaf(int n)
{
    int result;

    ENTER();
    result = leaf(n);
    LEAVE();
    LEAVE();
    return result + n;
}

/* The same without any row, as hand-written code is: it stores its return address. */
void bare(uint64_t *to);

__asm__(".text\n.globl bare\n.type bare, %function\nbare:\n"
#if defined(__x86_64__)
        "mov (%rsp), %rax\nmov %rax, (%rdi)\nud2\nret\n"
#elif defined(__aarch64__)
        "str x30, [x0]\n.inst 0\nret\n"
#else
        "sd ra, 0(a0)\n.word 0\nret\n"
#endif
        ".size bare, . - bare\n");

APART static int calls_bare(int n)
{
    ENTER();
    bare(&truth[n_true++]);
    LEAVE();
    LEAVE();
    return n - 1;
}

/* `trampoline` is what the handler returns to. The first handler is interrupted, too. */
APART static void handle(const ucontext_t *context, uint64_t trampoline)
{
    struct unwind_registers registers = {.known = 0};
    int n = n_true;

    take_context(context, &registers);
    truth[n_true++] = registers.pc;
    walk_from(&registers);
    truth[n_true - 1] = registers.pc + 1;
    truth[n_true++] = trampoline;
    ENTER();
    if (level++ == 0)
        sink = calls_leaf(1);
    level--;
    n_true = n;
}

static void skip_instruction(int signal, siginfo_t *info, void *context)
{
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;

    (void)signal;
    (void)info;
    handle((const ucontext_t *)context, (uint64_t)(uintptr_t)__builtin_return_address(0));
#if defined(__x86_64__)
    m->gregs[REG_RIP] += 2;
#elif defined(__aarch64__)
    m->pc += 4;
#else
    m->__gregs[REG_PC] += 4;
#endif
}

APART static int large(int n)
{
    volatile char bytes[20000];
    int result;

    ENTER();
    bytes[n] = 1;
    result = calls_leaf(n) + calls_bare(n) + bytes[n];
    LEAVE();
    return result;
}

APART static int recurse(int n)
{
    int result;

    ENTER();
    result = n == 0 ? large(n) : recurse(n - 1) + n;
    LEAVE();
    return result;
}

static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void set_handler(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER | flags};

    action.sa_sigaction = handler;
    sigaction(signal, &action, NULL);
}

int main(void)
{
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
    int numbers[] = {3, 1, 2};
    int n_tables = 0;

    qsort(numbers, 3, sizeof(numbers[0]), order);
    main_stack_end = (const char *)__builtin_frame_address(0) + 2048;
    dl_iterate_phdr(add_module, &n_tables);
    add_other_code();
    space = (struct unwind_space){.machine = UNWIND_THIS_MACHINE,
                                  .generation = 1,
                                  .modules = modules,
                                  .n_modules = 0};
    space.n_modules = unwind_space_arrange(modules, n_modules, 2 * MODULES);
    sigaltstack(&stack, NULL);
    set_handler(SIGILL, skip_instruction, 0);
    sink = recurse(5);
    set_handler(SIGILL, skip_instruction, SA_ONSTACK);
    sink = recurse(3);
    printf("%d walks%s\n", n_walks, status ? ", some wrong" : "");
    return n_walks >= 4 ? status : 1;
}
