/* SPDX-License-Identifier: BSD-2-Clause */
/* See isolate.h: sandboxes a process: it drops all rights that it does not need. */
#include "isolate.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

/* A C library may come without the kernel's headers, as musl does. */
#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/seccomp.h>)
#define HAS_SECCOMP
#endif
#endif

#ifdef HAS_SECCOMP
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#endif

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* ---- Limits ------------------------------------------------------------------------ */

/* The limit's signal is sent at the soft limit, and SIGKILL at the hard one. */
static void limit_resource(int resource, uint64_t value, uint64_t margin)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_max <= value)
        return;
    limit.rlim_cur = (rlim_t)value;
    if (limit.rlim_max > value + margin)
        limit.rlim_max = (rlim_t)(value + margin);
    setrlimit(resource, &limit);
}

/* The size of the address space of this process, in bytes; 0 if it is not known. */
static uint64_t memory_size(void)
{
    char digits[32];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, digits, sizeof(digits)) : 0;
    uint64_t n_pages = 0;

    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < n && digits[i] >= '0' && digits[i] <= '9'; i++)
        n_pages = n_pages * 10 + (uint64_t)(digits[i] - '0');
    return n_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_limits(struct confine_limits limits)
{
    uint64_t size = memory_size();

    if (size > 0 && limits.memory_bytes <= UINT64_MAX - size)
        limit_resource(RLIMIT_AS, size + limits.memory_bytes, 0);
    limit_resource(RLIMIT_CPU, limits.cpu_seconds, 1);
    limit_resource(RLIMIT_CORE, 0, 0);
    limit_resource(RLIMIT_FSIZE, 0, 0);
    limit_resource(RLIMIT_NOFILE, 0, 0);
}

/* ---- System calls ------------------------------------------------------------------ */

#if defined(HAS_SECCOMP) && defined(__x86_64__) && defined(__LP64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(HAS_SECCOMP) && defined(__AARCH64EL__) && defined(__LP64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(HAS_SECCOMP) && defined(__riscv) && __riscv_xlen == 64 &&                  \
    defined(AUDIT_ARCH_RISCV64)
#define MACHINE AUDIT_ARCH_RISCV64
#endif

#ifdef MACHINE

/* The lower half of an argument, on a machine that stores it first. */
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
/* Skips this many instructions unless the loaded value is `value`; or if it has any of
 * its bits. */
#define UNLESS(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (n))
#define IF_BITS(value, n) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (value), (n), 0)
#define UNLESS_BITS(value, n) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (value), 0, (n))

#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define REFUSE RETURN(SECCOMP_RET_ERRNO | 1)
#define ALLOW_CALL(number) UNLESS((number), 1), ALLOW

/*
 * The seccomp filter: what the C library and libelf need to read open files and to
 * allocate. All else fails with EPERM, except that a system call of another architecture
 * kills the process, and so does waiting for a lock: that can only be one that another
 * thread held during fork, and which is never released.
 */
static bool filter_calls(int out)
{
    struct sock_filter filter[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        UNLESS(MACHINE, 1),
        BPF_STMT(BPF_JMP | BPF_JA, 1),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(offsetof(struct seccomp_data, nr)),
        ALLOW_CALL(SYS_brk),
        ALLOW_CALL(SYS_exit),
        ALLOW_CALL(SYS_exit_group),
        ALLOW_CALL(SYS_fstat),
        ALLOW_CALL(SYS_getrandom),
        ALLOW_CALL(SYS_lseek),
        ALLOW_CALL(SYS_madvise),
        ALLOW_CALL(SYS_mremap),
        ALLOW_CALL(SYS_munmap),
        ALLOW_CALL(SYS_pread64),
        ALLOW_CALL(SYS_rt_sigreturn),
        /* Unlocking may wake waiters, of which there are none. */
        UNLESS(SYS_futex, 5),
        LOAD(ARGUMENT(1)),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FUTEX_CMD_MASK),
        UNLESS(FUTEX_WAKE, 1),
        ALLOW,
        RETURN(SECCOMP_RET_KILL_PROCESS),
        /* To this descriptor only. */
        UNLESS(SYS_write, 4),
        LOAD(ARGUMENT(0)),
        UNLESS((uint32_t)out, 1),
        ALLOW,
        REFUSE,
        /* Whether a descriptor is open. */
        UNLESS(SYS_fcntl, 4),
        LOAD(ARGUMENT(1)),
        UNLESS(F_GETFD, 1),
        ALLOW,
        REFUSE,
        /* By descriptor only, not by path. */
        UNLESS(SYS_newfstatat, 4),
        LOAD(ARGUMENT(3)),
        UNLESS_BITS(AT_EMPTY_PATH, 1),
        ALLOW,
        REFUSE,
        /* Memory, but no code. */
        UNLESS(SYS_mprotect, 4),
        LOAD(ARGUMENT(2)),
        IF_BITS(PROT_EXEC, 1),
        ALLOW,
        REFUSE,
        UNLESS(SYS_mmap, 6),
        LOAD(ARGUMENT(2)),
        IF_BITS(PROT_EXEC, 3),
        LOAD(ARGUMENT(3)),
        UNLESS_BITS(MAP_ANONYMOUS, 1),
        ALLOW,
        REFUSE,
        REFUSE,
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

static bool filter_calls(int out)
{
    (void)out;
    return false;
}

#endif

/* ---- The whole --------------------------------------------------------------------- */

/* The handlers are the parent program's, and signals that it blocks must end this
 * process. */
static void reset_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void confine(int out, struct confine_limits limits)
{
    reset_signals();
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
    set_limits(limits);
    if (filter_calls(out))
        return;
    for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
        if (i != out)
            close(i);
    }
}
