/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes two raw stacks as Fuchsia's profiler would, to standard output: one of a second
 * thread, and one of the first. Each is interrupted where a known chain of functions,
 * none of which keeps a frame pointer, stores to address 0.
 *
 * Each is the size of Zircon's register block, that block, the address of a part of the
 * stack, its size, and its bytes. On x86-64, aarch64 and riscv64. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 16384, THREAD_BYTES = 1 << 17 };

static sigjmp_buf after;
static uint64_t stack_limit;

/* ---- The chain --------------------------------------------------------------------- */

static volatile int zero;

#define FUNCTION __attribute__((noinline, noclone)) static

FUNCTION int leaf(int n)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = n;
    return n + zero;
}

FUNCTION int inner(int n)
{
    volatile char room[100];

    room[n] = (char)n;
    return leaf(n + room[n]) + room[n + 1];
}

FUNCTION int middle(int n)
{
    /* Of a size that only the frame pointer, or what takes its place, can restore. */
    volatile char *room = __builtin_alloca((size_t)n * 16 + 400);

    room[n] = 1;
    return inner(n + 1) + room[n];
}

FUNCTION int outer(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += middle(i) * n;
    return sum;
}

/* ---- Registers --------------------------------------------------------------------- */

#if defined(__x86_64__)
enum { BLOCK_WORDS = 20 };
static uint64_t load_block(uint64_t *block, const mcontext_t *m)
{
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP, REG_EFL};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        block[i] = (uint64_t)m->gregs[order[i]];
    return block[7];
}
#elif defined(__aarch64__)
enum { BLOCK_WORDS = 35 };
static uint64_t load_block(uint64_t *block, const mcontext_t *m)
{
    for (int i = 0; i < 31; i++)
        block[i] = m->regs[i];
    block[31] = m->sp;
    block[32] = m->pc;
    return m->sp;
}
#elif defined(__riscv)
enum { BLOCK_WORDS = 32 };
static uint64_t load_block(uint64_t *block, const mcontext_t *m)
{
    for (int i = 0; i < 32; i++)
        block[i] = m->__gregs[i];
    return block[2];
}
#endif

static void put(const void *data, size_t size)
{
    if (fwrite(data, 1, size, stdout) != size)
        abort();
}

static void dump(int number, siginfo_t *info, void *context)
{
    uint64_t block[BLOCK_WORDS] = {0};
    uint64_t sp = load_block(block, &((ucontext_t *)context)->uc_mcontext);
    uint64_t size = stack_limit - sp < STACK_BYTES ? stack_limit - sp : STACK_BYTES;
    uint64_t block_size = sizeof(block);

    (void)number;
    (void)info;
    put(&block_size, sizeof(block_size));
    put(block, sizeof(block));
    put(&sp, sizeof(sp));
    put(&size, sizeof(size));
    put((const void *)(uintptr_t)sp, size);
    siglongjmp(after, 1);
}

/* ---- Threads ----------------------------------------------------------------------- */

static void use_other_stack(void)
{
    stack_t other = {.ss_sp = malloc(THREAD_BYTES), .ss_size = THREAD_BYTES};

    sigaltstack(&other, NULL);
}

static void *run_thread(void *limit)
{
    use_other_stack();
    stack_limit = (uint64_t)(uintptr_t)limit;
    if (sigsetjmp(after, 1) == 0)
        outer(3);
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = dump,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    char *stack = mmap(NULL, THREAD_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;

    sigaction(SIGSEGV, &action, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, THREAD_BYTES);
    pthread_create(&thread, &attributes, run_thread, stack + THREAD_BYTES);
    pthread_join(thread, NULL);
    use_other_stack();
    /* The arguments are at the end of the stack. */
    stack_limit = (uint64_t)(uintptr_t)argv[argc - 1] & ~(uint64_t)7;
    if (sigsetjmp(after, 1) == 0)
        outer(argc + 2);
    return fflush(stdout) != 0;
}
