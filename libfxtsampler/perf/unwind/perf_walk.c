/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_walk.h. */
#include "perf_walk.h"

#include <string.h>
#include <sys/uio.h>

#include "perf_registers.h"

/* The least size of a page, and how many of them a copy of a stack may need. */
enum { PAGE_BYTES = 4096, PAGES_MAX = 17 };

/* ---- Code -------------------------------------------------------------------------- */

/* Code that was made at run time: as it is now. */
static bool read_memory(pid_t process, uint64_t address, unsigned char *bytes, size_t n)
{
    struct iovec to = {bytes, n};
    struct iovec from = {(void *)(uintptr_t)address, n};

    return process_vm_readv(process, &to, 1, &from, 1, 0) == (ssize_t)n;
}

/* Called for each PC without a rule: so is each one in a module that has no table yet. */
static bool read_code(void *context, const struct unwind_module *module, uint64_t address,
                      unsigned char *bytes, size_t n)
{
    struct perf_walker *u = context;

    if ((module->flags & PERF_MODULE_RESOLVED) == 0) {
        if (u->needed == PERF_NO_FILE)
            u->needed = module->id;
        return false;
    }
    if (module->id == PERF_NO_FILE)
        return read_memory(u->space->process, address, bytes, n);
    return perf_tables_read_code(&u->spaces.tables, module->id, address - module->bias,
                                 bytes, n);
}

/* Returns false if the table has to be made first, and is large. */
static bool resolve(struct perf_walker *u)
{
    struct perf_tables *tables = &u->spaces.tables;

    if (perf_tables_is_large(tables, u->needed))
        return false;
    perf_tables_build(tables, u->needed);
    perf_space_resolve(u->space, tables, u->needed);
    return true;
}

/* ---- Walking ----------------------------------------------------------------------- */

/* A stack that is being made. */
struct unwinding {
    struct perf_walker *walker;
    const struct perf_sample *sample;
    struct perf_stack *stack;
    struct unwind_registers registers;
    /* The copy of the stack. */
    struct unwind_chunk copy;
    struct unwind_result result;
    /* Of the user's. */
    uint32_t n;
};

static struct unwind_space space_of(const struct perf_space *space)
{
    return (struct unwind_space){
        .machine = (enum unwind_machine)UNWIND_THIS_MACHINE,
        .generation = space->generation,
        .modules = space->modules,
        .n_modules = space->n_modules,
    };
}

/* Returns false if a table has to be made first. */
static bool walk(struct unwinding *w)
{
    struct perf_walker *u = w->walker;
    struct unwind_space space = space_of(u->space);
    struct unwind_cache cache = {u->cache, PERF_WALK_CACHE_ENTRIES - 1};
    struct unwind_start start = {
        .space = &space,
        .registers = &w->registers,
        .chunks = &w->copy,
        .n_chunks = 1,
        .cache = &cache,
        .read_code = read_code,
        .context = u,
    };
    struct perf_stack *stack = w->stack;

    do {
        u->needed = PERF_NO_FILE;
        w->n = unwind_walk(&start, stack->pcs + stack->n_pcs,
                           FXT_SAMPLER_DEPTH_MAX - stack->n_pcs, &w->result);
        if (u->needed != PERF_NO_FILE && !resolve(u))
            return false;
    } while (u->needed != PERF_NO_FILE);
    return true;
}

/* ---- Holes ------------------------------------------------------------------------- */

/*
 * The kernel copies only what is in memory: a page that was not touched yet, in a large
 * local array, ends the copy. What is above cannot be read now, as the thread may have
 * returned from there and called again since. But once it is read, the page is there, and
 * the next copies are longer.
 */
static void fill_hole(const struct unwinding *w)
{
    const struct perf_sample *s = w->sample;
    uint64_t at = w->copy.address + s->stack_used;
    uint64_t end = w->copy.address + s->stack_size;
    unsigned char bytes[PAGES_MAX];
    struct iovec to = {bytes, sizeof(bytes)};
    struct iovec from[PAGES_MAX];
    unsigned long n = 0;

    for (; at < end && n < PAGES_MAX; at = (at / PAGE_BYTES + 1) * PAGE_BYTES)
        from[n++] = (struct iovec){(void *)(uintptr_t)at, 1};
    (void)process_vm_readv((pid_t)s->process, &to, 1, from, n, 0);
}

static bool may_be_hole(const struct unwinding *w)
{
    const struct perf_sample *s = w->sample;
    uint64_t end = w->copy.address + s->stack_used;

    return (w->result.end == UNWIND_END_UNREADABLE ||
            w->result.end == UNWIND_END_STACK_SWITCH) &&
           s->stack_used > 0 && s->stack_used < s->stack_size &&
           w->result.address >= w->copy.address &&
           w->result.address + sizeof(uint64_t) > end;
}

/* ---- How it ended ------------------------------------------------------------------ */

static const enum fxt_stack_end ends[] = {
    [UNWIND_END_OUTERMOST] = FXT_STACK_END_OUTERMOST,
    [UNWIND_END_DEPTH] = FXT_STACK_END_DEPTH,
    [UNWIND_END_NO_RULE] = FXT_STACK_END_NO_TABLE,
    [UNWIND_END_UNREADABLE] = FXT_STACK_END_UNREADABLE,
    [UNWIND_END_COPY_TOO_SHORT] = FXT_STACK_END_COPY_TOO_SHORT,
    [UNWIND_END_NOT_CODE] = FXT_STACK_END_NOT_CODE,
    [UNWIND_END_NO_PROGRESS] = FXT_STACK_END_NO_PROGRESS,
    [UNWIND_END_SPECIAL_RULE] = FXT_STACK_END_SPECIAL_RULE,
    [UNWIND_END_STACK_SWITCH] = FXT_STACK_END_STACK_SWITCH,
};

#if defined(__x86_64__)
static const unsigned char system_call[] = {0x0f, 0x05};
#elif defined(__aarch64__)
static const unsigned char system_call[] = {0x01, 0x00, 0x00, 0xd4};
#else
static const unsigned char system_call[] = {0x73, 0x00, 0x00, 0x00};
#endif

static bool is_after_system_call(struct perf_walker *u, uint64_t pc)
{
    struct unwind_space space = space_of(u->space);
    const struct unwind_module *module = unwind_space_find(&space, pc - 1);
    unsigned char code[sizeof(system_call)];

    return module == NULL ||
           (read_code(u, module, pc - sizeof(code), code, sizeof(code)) &&
            memcmp(code, system_call, sizeof(code)) == 0);
}

/* During exec the registers are those of the old program, whose stack and then whose code
 * is gone: there is nothing where the stack pointer is. */
static bool has_no_stack(const struct unwinding *w)
{
    return w->sample->in_kernel && w->sample->stack_used == 0 && w->n <= 1 &&
           is_after_system_call(w->walker, w->registers.pc);
}

/* Records of mappings may have been lost, or made before the recording began. */
static bool finds_more_code(struct unwinding *w)
{
    struct perf_walker *u = w->walker;

    return w->result.end == UNWIND_END_NOT_CODE && !has_no_stack(w) &&
           perf_spaces_read_again(&u->spaces, u->space, w->sample->time);
}

/* The first PC is where the processor was; but what the registers were when the kernel
 * was entered may be of the program before an exec. */
static bool is_leaf_kept(const struct unwinding *w)
{
    bool is_code = w->result.end != UNWIND_END_NOT_CODE || w->n > 1 ||
                   w->result.address != w->registers.pc;

    return is_code || !w->sample->in_kernel;
}

/* Returns false if a table has to be made first. */
static bool unwind_by_tables(struct unwinding *w)
{
    const struct perf_sample *s = w->sample;
    struct perf_stack *stack = w->stack;
    struct unwind_numbers numbers =
        unwind_numbers_of((enum unwind_machine)UNWIND_THIS_MACHINE);

    perf_registers_read(&w->registers, s->registers);
    w->copy = (struct unwind_chunk){w->registers.r[numbers.sp], s->stack_used, s->stack,
                                    s->stack_used == s->stack_size && s->stack_size > 0};
    if (!walk(w) || (finds_more_code(w) && !walk(w)))
        return false;
    if (may_be_hole(w))
        fill_hole(w);
    stack->end = has_no_stack(w) ? FXT_STACK_END_NO_STACK : ends[w->result.end];
    if (!is_leaf_kept(w))
        w->n = 0;
    /* Readers look callers up at their PC minus one: this one is exact. */
    if (stack->n_pcs > 0 && w->n > 0)
        stack->pcs[stack->n_pcs]++;
    stack->n_pcs += w->n;
    return true;
}

/* ---- Call chains ------------------------------------------------------------------- */

/* Those that the kernel found by frame pointers: nothing from the first word on that is
 * not in code. */
static void take_chain(struct unwinding *w)
{
    const struct perf_sample *s = w->sample;
    struct perf_stack *stack = w->stack;
    struct unwind_space space = space_of(w->walker->space);

    for (uint32_t i = s->n_kernel; i < s->n_pcs; i++) {
        bool is_exact = i == s->n_kernel;
        uint64_t pc = s->pcs[i];

        if (unwind_space_find(&space, pc - !is_exact) == NULL &&
            !(is_exact && !s->in_kernel)) {
            stack->end = FXT_STACK_END_NOT_CODE;
            return;
        }
        stack->pcs[stack->n_pcs] = pc + (is_exact && stack->n_pcs > 0);
        stack->n_pcs++;
    }
    if (s->is_cut)
        stack->end = FXT_STACK_END_DEPTH;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* A thread of the kernel has no user part; and a thread that exits no longer has one. */
static enum fxt_stack_end end_without_registers(const struct unwinding *w)
{
    return w->walker->space->n_modules == 0 ? FXT_STACK_END_OUTERMOST
                                            : FXT_STACK_END_NO_STACK;
}

static void note_kernel(const struct unwinding *w)
{
    struct perf_space *space = w->walker->space;
    bool in_kernel = w->sample->in_kernel || w->sample->n_kernel > 0;

    w->stack->is_first_in_kernel = in_kernel && !space->was_in_kernel;
    space->was_in_kernel = space->was_in_kernel || in_kernel;
}

bool perf_walk(struct perf_walker *u, const struct perf_sample *s,
               struct perf_stack *stack)
{
    struct unwinding w = {.walker = u, .sample = s, .stack = stack};

    u->space = perf_spaces_find(&u->spaces, (pid_t)s->process, s->time);
    stack->end = FXT_STACK_END_UNKNOWN;
    stack->n_pcs = s->n_kernel;
    memcpy(stack->pcs, s->pcs, s->n_kernel * sizeof(*s->pcs));
    if (s->registers == NULL)
        take_chain(&w);
    else if (s->abi != PERF_SAMPLE_REGS_ABI_64)
        stack->end = s->abi == PERF_SAMPLE_REGS_ABI_NONE ? end_without_registers(&w)
                                                         : FXT_STACK_END_NO_TABLE;
    else if (!unwind_by_tables(&w))
        return false;
    if (stack->n_pcs == 0)
        stack->pcs[stack->n_pcs++] = s->ip;
    note_kernel(&w);
    return true;
}
