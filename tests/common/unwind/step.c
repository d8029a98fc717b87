/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a program instruction by instruction, and compares, after each one, the stack that
 * is found by unwind tables with the return addresses that calls have pushed.
 *
 *     [STEP_VERBOSE=1] step [-a] PROGRAM [ARGUMENT...]
 *
 * What calls push is known from the instructions: a call stores a return address, which
 * is in use as long as the stack pointer is not above it; a signal stores the address of
 * what it interrupted, which is in use up to the system call that returns to it. No table
 * is needed to know this. A stack that ends early and says so is "cut", and not wrong.
 * Nor is a stack that is seen while libgcc replaces the return addresses and registers in
 * its own frames by those of a landing pad.
 *
 * Begins where the program stops itself by a breakpoint, or, with -a, at its very first
 * instruction, in the dynamic linker. Ends with SIGUSR2, or with the program. Prints
 * where the stack was wrong, and how many instructions there were. Exits with 1 if any
 * was wrong.
 */
#include <inttypes.h>
#include <signal.h>
#include <sys/syscall.h>

#include "target.h"

enum { DEPTH_MAX = 512, SHOWN_MAX = 6 };

/* An address that is returned to, and where it is stored. */
struct pushed {
    uint64_t slot;
    uint64_t pc;
    bool is_interrupted;
};

struct stepping {
    struct target target;
    struct user_regs_struct regs;
    struct pushed shadow[DEPTH_MAX];
    unsigned n;
    /* The stack pointer before a handler on another stack. */
    uint64_t main_sp;
    uint64_t n_steps;
    uint64_t n_wrong;
    uint64_t n_cut;
    uint64_t n_replaced;
    uint64_t n_signals;
    uint64_t n_guessed;
    unsigned deepest;
    /* Prints what is cut, too. */
    bool verbose;
};

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

/* ---- What is true ------------------------------------------------------------------ */

static void push(struct stepping *s, uint64_t slot, uint64_t pc, bool is_interrupted)
{
    if (s->n == DEPTH_MAX)
        fail("too deep");
    s->shadow[s->n++] = (struct pushed){slot, pc, is_interrupted};
    if (s->n > s->deepest)
        s->deepest = s->n;
}

/* On the stack of a handler, nothing of the interrupted one goes. */
static void pop_below(struct stepping *s, uint64_t sp)
{
    while (s->n > 0 && !s->shadow[s->n - 1].is_interrupted &&
           s->shadow[s->n - 1].slot < sp)
        s->n--;
}

static void pop_interrupted(struct stepping *s)
{
    while (s->n > 0 && !s->shadow[s->n - 1].is_interrupted)
        s->n--;
    s->n -= s->n > 0;
}

static bool is_call(const unsigned char *code)
{
    while ((*code & 0xf0) == 0x40 || *code == 0xf2 || *code == 0x3e || *code == 0x66)
        code++;
    return *code == 0xe8 || (*code == 0xff && (code[1] >> 3 & 7) == 2);
}

static bool is_system_call(const unsigned char *code)
{
    return code[0] == 0x0f && code[1] == 0x05;
}

/* An instruction has run; `before` are the registers it began with. */
static void follow(struct stepping *s, const struct user_regs_struct *before,
                   const unsigned char *code)
{
    uint64_t slot = s->regs.rsp;
    uint64_t pc = 0;

    if (is_system_call(code) && before->rax == SYS_rt_sigreturn) {
        pop_interrupted(s);
        return;
    }
    if (is_system_call(code) && (before->rax == SYS_mmap || before->rax == SYS_munmap ||
                                 before->rax == SYS_mprotect))
        target_read_maps(&s->target);
    pop_below(s, s->regs.rsp);
    if (is_call(code) && target_read(&s->target, slot, &pc, sizeof(pc)))
        push(s, slot, pc, false);
}

/* A signal was delivered: the handler has a return address, and below are the registers.
 */
static void follow_signal(struct stepping *s, const struct user_regs_struct *before)
{
    uint64_t pc = 0;

    if (s->regs.rsp < s->target.stack.start || s->regs.rsp >= s->target.stack.limit)
        s->main_sp = before->rsp;
    push(s, s->regs.rsp + 8, before->rip + 1, true);
    if (target_read(&s->target, s->regs.rsp, &pc, sizeof(pc)))
        push(s, s->regs.rsp, pc, false);
    s->n_signals++;
}

/* ---- Comparing --------------------------------------------------------------------- */

static void show_address(const struct stepping *s, uint64_t pc)
{
    const struct unwind_module *module = unwind_space_find(&s->target.space, pc);
    const char *name = "?";

    for (unsigned i = 0; module && i < s->target.n_files; i++) {
        if (&s->target.files[i].table == module->table)
            name = s->target.files[i].name;
    }
    printf(" %s+%" PRIx64, strrchr(name, '/') ? strrchr(name, '/') + 1 : name,
           module ? pc - module->bias : pc);
}

static void show(const struct stepping *s, const uint64_t *pcs,
                 const struct unwind_result *result)
{
    printf("step %" PRIu64 ", sp %llx: end %d at %" PRIx64 "\n  found", s->n_steps,
           s->regs.rsp, (int)result->end, result->address);
    for (uint32_t i = 0; i < result->n_pcs; i++)
        show_address(s, pcs[i]);
    printf("\n  true ");
    show_address(s, s->regs.rip);
    for (unsigned i = s->n; i > 0; i--)
        show_address(s, s->shadow[i - 1].pc);
    printf("\n");
}

static bool is_in_libgcc(const struct stepping *s)
{
    const struct unwind_module *module = unwind_space_find(&s->target.space, s->regs.rip);

    for (unsigned i = 0; module && i < s->target.n_files; i++) {
        if (&s->target.files[i].table == module->table)
            return strstr(s->target.files[i].name, "/libgcc_s") != NULL;
    }
    return false;
}

static void compare(struct stepping *s)
{
    uint64_t main_sp = s->main_sp ? s->main_sp : s->regs.rsp;
    uint64_t pcs[DEPTH_MAX + 2];
    struct unwind_result result;
    uint32_t n = target_walk(&s->target, &s->regs, main_sp, pcs, DEPTH_MAX + 2, &result);
    bool is_cut = n < s->n + 1 && result.end != UNWIND_END_OUTERMOST;
    bool is_right = is_cut || (n == s->n + 1 && result.end == UNWIND_END_OUTERMOST);

    for (uint32_t i = 1; i < n && is_right; i++)
        is_right = pcs[i] == s->shadow[s->n - i].pc;
    s->n_steps++;
    s->n_cut += is_cut && is_right;
    if (is_cut && is_right && s->verbose)
        show(s, pcs, &result);
    s->n_guessed += result.first_guess != UINT32_MAX;
    if (!is_right && is_in_libgcc(s))
        s->n_replaced++;
    else if (!is_right && s->n_wrong++ < SHOWN_MAX)
        show(s, pcs, &result);
}

/* ---- Running ----------------------------------------------------------------------- */

/* Continues until the next stop; returns the signal, or 0 at the end. */
static int wait_stop(struct stepping *s)
{
    int status;

    if (waitpid(s->target.pid, &status, 0) < 0)
        fail("waitpid");
    if (WIFEXITED(status) || WIFSIGNALED(status))
        return 0;
    if (ptrace(PTRACE_GETREGS, s->target.pid, NULL, &s->regs) < 0)
        fail("PTRACE_GETREGS");
    return WSTOPSIG(status);
}

/* One instruction, or the delivery of a signal. */
static int take_step(struct stepping *s, int signal)
{
    struct user_regs_struct before = s->regs;
    unsigned char code[8] = {0};
    int stopped_by;

    target_read(&s->target, before.rip, code, sizeof(code));
    if (ptrace(PTRACE_SINGLESTEP, s->target.pid, NULL, (void *)(intptr_t)signal) < 0)
        fail("PTRACE_SINGLESTEP");
    stopped_by = wait_stop(s);
    if (stopped_by == 0)
        return 0;
    if (signal != 0)
        follow_signal(s, &before);
    else if (stopped_by == SIGTRAP || s->regs.rip != before.rip)
        follow(s, &before, code);
    if (s->main_sp && s->regs.rsp >= s->target.stack.start &&
        s->regs.rsp < s->target.stack.limit)
        s->main_sp = 0;
    return stopped_by;
}

/* What the program has called already is taken as the walk finds it. */
static void begin_inside(struct stepping *s)
{
    uint64_t pcs[DEPTH_MAX];
    struct unwind_result result;
    uint32_t n = target_walk(&s->target, &s->regs, s->regs.rsp, pcs, DEPTH_MAX, &result);

    for (uint32_t i = n; i > 1; i--)
        push(s, UINT64_MAX, pcs[i - 1], false);
}

static void run(void *context)
{
    struct stepping *s = (struct stepping *)context;
    int signal;

    target_read_maps(&s->target);
    if (s->n_steps > 0) {
        s->n_steps = 0;
    } else {
        do {
            if (ptrace(PTRACE_CONT, s->target.pid, NULL, NULL) < 0)
                fail("PTRACE_CONT");
            signal = wait_stop(s);
        } while (signal != SIGTRAP && signal != 0);
        if (signal == 0)
            fail("breakpoint");
        target_read_maps(&s->target);
        begin_inside(s);
    }
    signal = SIGTRAP;
    while (signal != 0 && signal != SIGUSR2) {
        compare(s);
        signal = take_step(s, signal == SIGTRAP ? 0 : signal);
    }
}

int main(int argc, char **argv)
{
    static struct stepping s;
    int first = argc > 1 && strcmp(argv[1], "-a") == 0 ? 2 : 1;
    char *environment[] = {NULL};
    const char *why;

    s.verbose = getenv("STEP_VERBOSE") != NULL;
    if (argc <= first)
        return 2;
    s.n_steps = first == 2;
    s.target.pid = fork();
    if (s.target.pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execve(argv[first], argv + first, environment);
        _exit(127);
    }
    if (wait_stop(&s) == 0)
        fail("exec");
    ptrace(PTRACE_SETOPTIONS, s.target.pid, NULL, (void *)PTRACE_O_EXITKILL);
    why = memory_run(NULL, run, &s);
    printf("%" PRIu64 " instructions, %" PRIu64 " wrong, %" PRIu64 " cut, %" PRIu64
           " being replaced, %" PRIu64 " with guesses, %" PRIu64 " signals, %u deep\n",
           s.n_steps, s.n_wrong, s.n_cut, s.n_replaced, s.n_guessed, s.n_signals,
           s.deepest);
    return s.n_wrong > 0 || why ? 1 : 0;
}
