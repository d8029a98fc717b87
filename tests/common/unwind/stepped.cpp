/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What step.c runs by instructions: functions with frames of all kinds, calls through the
 * PLT that the dynamic linker binds, signal handlers, on this stack and on another, and
 * exceptions.
 */
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

static volatile int sink;

APART static int leaf(int n)
{
    return n * 3 + sink;
}

APART static int recurse(int n)
{
    return n == 0 ? leaf(n) : recurse(n - 1) + n;
}

APART static int with_alloca(int n)
{
    char *bytes = static_cast<char *>(alloca(static_cast<size_t>(n) * 16));

    memset(bytes, n, static_cast<size_t>(n));
    return leaf(bytes[n / 2]);
}

/* Needs a stack that is more aligned than the caller's. */
APART static int realigned(int n)
{
    alignas(128) volatile char bytes[256];

    bytes[n & 127] = static_cast<char>(n);
    return leaf(bytes[n & 127]);
}

APART static int large_frame(int n)
{
    volatile char bytes[40000];

    bytes[n] = static_cast<char>(n);
    bytes[39999] = 1;
    return leaf(bytes[n]) + bytes[39999];
}

APART static int variadic(int n, ...)
{
    va_list list;
    int sum = 0;

    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, int);
    va_end(list);
    return leaf(sum);
}

/* Uses all registers that a callee must preserve. */
APART static int many_registers(int a, int b, int c, int d, int e, int f, int g, int h)
{
    int x = leaf(a), y = leaf(b), z = leaf(c), w = leaf(d), v = leaf(e), u = leaf(f);

    return x + y * z - w * v + u + leaf(g) * h + x * y;
}

APART static int tail_call(int n)
{
    return recurse(n & 3);
}

static int order(const void *a, const void *b)
{
    return leaf(*static_cast<const int *>(a)) - leaf(*static_cast<const int *>(b));
}

/* libc, which has no frame pointers, between two functions of this file. */
APART static int from_libc(int n)
{
    int numbers[] = {5, 2, n, 7};

    qsort(numbers, 4, sizeof(numbers[0]), order);
    return numbers[0];
}

#ifndef NO_EXCEPTIONS
struct Cleanup {
    ~Cleanup()
    {
        sink = leaf(sink);
    }
};

APART static int thrower(int n)
{
    Cleanup cleanup;

    if (n == 0)
        throw std::runtime_error("thrown");
    return thrower(n - 1) + 1;
}

APART static int catcher(int n)
{
    try {
        return thrower(n);
    } catch (const std::exception &e) {
        return static_cast<int>(strlen(e.what()));
    }
}

#endif

static jmp_buf jump;

APART static void jumper(int n)
{
    if (n == 0)
        longjmp(jump, 1);
    if (n > 0)
        jumper(n - 1);
    sink = n;
}

APART static int jumps(int n)
{
    if (setjmp(jump) == 0)
        jumper(n);
    return leaf(n);
}

static void handler(int)
{
    sink = recurse(2);
}

static void handler_with_context(int, siginfo_t *info, void *)
{
    sink = leaf(info->si_signo);
}

APART static void signals()
{
    static char alternate[65536];
    stack_t stack = {};
    struct sigaction action = {};

    action.sa_handler = handler;
    sigaction(SIGWINCH, &action, nullptr);
    raise(SIGWINCH);
    stack.ss_sp = alternate;
    stack.ss_size = sizeof(alternate);
    sigaltstack(&stack, nullptr);
    action.sa_sigaction = handler_with_context;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    sigaction(SIGURG, &action, nullptr);
    raise(SIGURG);
}

/* A fault in a leaf function, whose return address is only on the stack. */
static char *page;

static void repair(int, siginfo_t *, void *)
{
    sink = leaf(1);
    mprotect(page, 4096, PROT_READ);
}

APART static int fault(const char *at)
{
    return *at + 1;
}

APART static void faults()
{
    struct sigaction action = {};

    page = static_cast<char *>(
        mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    action.sa_sigaction = repair;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    sink = fault(page);
}

APART static int vdso()
{
    timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return leaf(static_cast<int>(now.tv_nsec));
}

APART static int all(int n)
{
    char text[64];
    int sum = recurse(n) + with_alloca(n + 5) + realigned(n) + large_frame(n) +
              variadic(3, n, 2, 3) + many_registers(1, 2, 3, 4, 5, 6, n, 8) +
              tail_call(n) + from_libc(n) + jumps(n) + vdso();

    snprintf(text, sizeof(text), "%d %s %g", sum, "text", 0.5);
    free(malloc(strlen(text) + 1000));
    signals();
    faults();
#ifndef NO_EXCEPTIONS
    sum += catcher(3);
#endif
    return sum;
}

int main(int argc, char **)
{
    __asm__ volatile("int3");
    sink = all(argc + 2);
    kill(getpid(), SIGUSR2);
    return 0;
}
