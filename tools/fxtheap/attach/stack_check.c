/* SPDX-License-Identifier: BSD-2-Clause */
/* See stack_check.h. */
#include "stack_check.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "common/base/memory.h"
#include "common/base/stack_window.h"

/* ---- Code -------------------------------------------------------------------------- */

static void add_range(struct stack_check *c, struct unwind_range range)
{
    if (range.start < range.limit && c->n_ranges < STACK_CHECK_RANGES_MAX)
        c->ranges[c->n_ranges++] = range;
}

static void add_file(struct stack_check *c, const struct target_file *file)
{
    const struct target *t = c->target;

    for (size_t i = 0; file != NULL && i < t->n_mappings; i++) {
        if (t->mappings[i].is_executable &&
            t->mappings[i].file == (size_t)(file - t->files))
            add_range(c,
                      (struct unwind_range){t->mappings[i].start, t->mappings[i].limit});
    }
}

/* The allocator's functions that others call are beside its own, which have no names: all
 * that is between the functions before and after them is taken to be the allocator's. */
static struct unwind_range find_malloc(const struct image *libc)
{
    static const char *const names[] = {"malloc",         "free",     "realloc",
                                        "calloc",         "memalign", "malloc_trim",
                                        "posix_memalign", "mallopt",  "malloc_info"};
    struct unwind_range all = image_find(libc, "malloc");
    uint64_t before = 0;
    uint64_t after = UINT64_MAX;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct unwind_range one = image_find(libc, names[i]);

        if (one.start != 0 && one.start < all.start)
            all.start = one.start;
        if (one.limit > all.limit)
            all.limit = one.limit;
    }
    for (size_t i = 0; i < libc->n_symbols; i++) {
        const Elf64_Sym *symbol = &libc->symbols[i];
        uint64_t start = libc->bias + symbol->st_value;
        uint64_t limit = start + symbol->st_size;

        if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
            continue;
        if (limit <= all.start && limit > before)
            before = limit;
        if (start >= all.limit && start < after)
            after = start;
    }
    return (struct unwind_range){before != 0 ? before : all.start,
                                 after != UINT64_MAX ? after : all.limit};
}

void stack_check_begin(struct stack_check *c, const struct target *target,
                       uint64_t restorer, bool avoids_heap)
{
    /* Those that hold, or may hold, a lock of the loader, of the allocator or of the list
     * of threads, while something else is called, or while they compute. */
    static const char *const names[] = {
        "dl_iterate_phdr", "dlopen",       "dlmopen",
        "dlclose",         "dlsym",        "dlvsym",
        "dladdr",          "dladdr1",      "dlinfo",
        "dlerror",         "fork",         "_Fork",
        "vfork",           "exit",         "pthread_create",
        "pthread_detach",  "pthread_exit", "pthread_getattr_np",
        "setuid",          "setgid",       "seteuid",
        "setegid",         "setreuid",     "setregid",
        "setresuid",       "setresgid",    "setgroups",
        "initgroups"};

    *c = (struct stack_check){.target = target, .restorer = restorer};
    add_file(c, target->loader);
    add_file(c, target->allocator);
    if (avoids_heap)
        add_file(c, target->heap);
    add_range(c, find_malloc(&target->libc->image));
    add_range(c, (struct unwind_range){restorer, restorer + registers_restorer_size + 1});
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        add_range(c, image_find(&target->libc->image, names[i]));
}

static bool is_in(const struct stack_check *c, uint64_t pc)
{
    for (size_t i = 0; i < c->n_ranges; i++) {
        if (pc >= c->ranges[i].start && pc < c->ranges[i].limit)
            return true;
    }
    return false;
}

/* ---- Room -------------------------------------------------------------------------- */

/* The loader and libfxtheap need less; and so does the frame. */
enum { ROOM = 64 << 10 };

/* The first stack grows, up to a limit. */
static bool first_has_room(const struct target *t, const struct target_mapping *m,
                           uint64_t stack)
{
    struct rlimit limit;

    if (stack - m->start >= ROOM)
        return true;
    return prlimit(t->process, RLIMIT_STACK, NULL, &limit) == 0 &&
           limit.rlim_cur > m->limit - stack &&
           limit.rlim_cur - (m->limit - stack) >= 2 * ROOM;
}

/* The stack of a thread has no access below its end, which tells it from other memory
 * that a coroutine may use. */
static bool has_room(const struct target *t, uint64_t stack)
{
    const struct target_mapping *m = target_mapping_at(t, stack);
    const struct target_mapping *below;

    if (m == NULL || !m->is_writable)
        return false;
    if (m->file != SIZE_MAX)
        return strcmp(t->files[m->file].path, "[stack]") == 0 &&
               first_has_room(t, m, stack);
    below = target_mapping_at(t, m->start - 1);
    return stack - m->start >= ROOM && below != NULL && !below->is_readable &&
           !below->is_writable && !below->is_executable;
}

/* ---- The stack --------------------------------------------------------------------- */

enum { PCS_MAX = 1 << 14, REST_BYTES = 1 << 22 };

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
    uintptr_t value;

    if (!window_word(context, (uintptr_t)address, &value))
        return false;
    *word = value;
    return true;
}

/* Where the walk came to no end, anything above that could be a return address counts. */
static bool rest_is_good(const struct stack_check *c, struct window *window,
                         uint64_t from)
{
    const struct target_mapping *m = target_mapping_at(c->target, from);
    uint64_t word;

    if (m == NULL || m->limit - from > REST_BYTES)
        return false;
    for (uint64_t at = from & ~UINT64_C(7); at < m->limit; at += sizeof(word)) {
        if (!read_word(window, at, &word) || is_in(c, word))
            return false;
    }
    return true;
}

/* System calls in which the C library waits for the program, and not for itself. */
static bool is_waiting(const struct registers *registers)
{
    static const uint16_t calls[] = {SYS_read,
                                     SYS_write,
                                     SYS_readv,
                                     SYS_writev,
                                     SYS_pread64,
                                     SYS_pwrite64,
                                     SYS_poll,
                                     SYS_ppoll,
                                     SYS_select,
                                     SYS_pselect6,
                                     SYS_epoll_wait,
                                     SYS_epoll_pwait,
                                     SYS_pause,
                                     SYS_nanosleep,
                                     SYS_clock_nanosleep,
                                     SYS_restart_syscall,
                                     SYS_futex,
                                     SYS_wait4,
                                     SYS_waitid,
                                     SYS_accept,
                                     SYS_accept4,
                                     SYS_connect,
                                     SYS_recvfrom,
                                     SYS_recvmsg,
                                     SYS_recvmmsg,
                                     SYS_sendto,
                                     SYS_sendmsg,
                                     SYS_flock,
                                     SYS_fcntl,
                                     SYS_ioctl,
                                     SYS_msgrcv,
                                     SYS_msgsnd,
                                     SYS_semop,
                                     SYS_semtimedop,
                                     SYS_mq_timedreceive,
                                     SYS_mq_timedsend,
                                     SYS_io_getevents,
                                     SYS_rt_sigsuspend,
                                     SYS_rt_sigtimedwait};
    int64_t call = registers_system_call(registers);

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (call == calls[i])
            return true;
    }
    return false;
}

static bool libc_is_left(const struct stack_check *c, const uint64_t *pcs, uint32_t n)
{
    uint32_t n_libc = 0;

    while (n_libc < n && target_code_at(c->target, pcs[n_libc]) == c->target->libc)
        n_libc++;
    return n_libc <= 1;
}

/* All but the first are return addresses, which may be past the end of a function. */
static bool are_good(const struct stack_check *c, const struct registers *registers,
                     const uint64_t *pcs, const struct unwind_result *result)
{
    for (uint32_t i = 0; i < result->n_pcs; i++) {
        if (is_in(c, pcs[i] - (i > 0)))
            return false;
    }
    return result->n_pcs > 0 && result->end != UNWIND_END_DEPTH &&
           (is_waiting(registers) || libc_is_left(c, pcs, result->n_pcs));
}

enum stack_verdict stack_check(const struct stack_check *c,
                               const struct registers *registers)
{
    struct unwind_registers from = registers_of_walk(registers);
    struct window window;
    const struct unwind_start start = {.space = &c->target->space,
                                       .registers = &from,
                                       .read_word = read_word,
                                       .context = &window};
    uint64_t *pcs = memory_allocate(PCS_MAX * sizeof(*pcs));
    struct unwind_result result;
    bool good;

    window_init(&window, c->target->process);
    unwind_walk(&start, pcs, PCS_MAX, &result);
    good = are_good(c, registers, pcs, &result) &&
           (result.end == UNWIND_END_OUTERMOST || rest_is_good(c, &window, result.sp));
    memory_release(pcs);
    if (!good)
        return STACK_BUSY;
    return has_room(c->target, registers_stack(registers)) ? STACK_GOOD : STACK_SMALL;
}
