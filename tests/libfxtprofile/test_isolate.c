/* SPDX-License-Identifier: BSD-2-Clause */
/* Work in a separate process that does what hostile input could make it do. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfxtprofile/symbols/dwarf/isolate.h"
#include "common/base/io/file.h"
#include "common/base/text.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* Whether confine.c filters system calls: on these machines, if the kernel can. */
static bool is_filtered(void)
{
#if defined(__linux__) && (defined(__x86_64__) || defined(__AARCH64EL__)) &&             \
    defined(__LP64__)
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
#else
    return false;
#endif
}

static const struct confine_limits some = {.memory_bytes = 64 << 20, .cpu_seconds = 5};

static bool keep(void *context, const void *bytes, size_t size)
{
    text_add((struct text *)context, bytes, size);
    return true;
}

static enum isolate_end run(isolate_work_fn *work, void *context, struct text *said)
{
    enum isolate_end end = isolate(work, context, some, keep, said);

    errno = 0;
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
    cr_assert_eq(errno, ECHILD, "no process is left");
    return end;
}

/* A sanitizer looks for leaks at the end, which it cannot there. */
static void assert_ended(enum isolate_end end)
{
    cr_assert(end == ISOLATE_ENDED || IS_SANITIZED);
}

/* ---- What it writes ---------------------------------------------------------------- */

enum { MANY = 1000000 };

static void count(void *context, int out)
{
    uint32_t *numbers = (uint32_t *)malloc(MANY * sizeof(*numbers));

    (void)context;
    for (uint32_t i = 0; i < MANY; i++)
        numbers[i] = i;
    isolate_write(out, numbers, MANY * sizeof(*numbers));
    free(numbers);
}

static void assert_counted(struct text *said)
{
    cr_assert_eq(said->size, MANY * sizeof(uint32_t));
    for (uint32_t i = 0; i < MANY; i++)
        cr_assert(memcmp(said->data + i * sizeof(i), &i, sizeof(i)) == 0);
    text_free(said);
}

Test(isolate, all_that_is_written_arrives)
{
    struct text said = {NULL, 0, 0};

    assert_ended(run(count, NULL, &said));
    assert_counted(&said);
}

Test(isolate, all_arrives_where_children_are_not_waited_for)
{
    struct text said = {NULL, 0, 0};

    signal(SIGCHLD, SIG_IGN);
    cr_assert_eq(isolate(count, NULL, some, keep, &said), ISOLATE_ENDED);
    assert_counted(&said);
}

static void write_without_end(void *context, int out)
{
    (void)context;
    while (isolate_write(out, "more", 4))
        ;
}

static bool keep_little(void *context, const void *bytes, size_t size)
{
    struct text *said = (struct text *)context;

    keep(context, bytes, size);
    return said->size < 1000;
}

Test(isolate, it_ends_when_no_more_is_wanted)
{
    struct text said = {NULL, 0, 0};

    cr_assert_eq(isolate(write_without_end, NULL, some, keep_little, &said),
                 ISOLATE_ENDED);
    cr_assert_geq(said.size, 1000);
    text_free(&said);
}

/* ---- Files that it has mapped -------------------------------------------------------
 */

enum { MAPPED_SIZE = 1 << 16 };

struct mapped {
    char name[32];
    int fd;
    struct file *file;
};

static struct mapped map_file(void)
{
    struct mapped m = {.name = "/tmp/test_isolate.XXXXXX"};
    struct text why = {NULL, 0, 0};

    m.fd = mkstemp(m.name);
    for (int i = 0; i < MAPPED_SIZE; i++)
        cr_assert_eq(write(m.fd, &(char){(char)(i % 31)}, 1), 1);
    m.file = file_open(m.name, &why);
    cr_assert_not_null(m.file);
    cr_assert_not_null(file_map(m.file));
    cr_assert_eq(file_map(m.file), file_map(m.file));
    return m;
}

static void close_mapped(struct mapped *m)
{
    file_close(m->file);
    close(m->fd);
    unlink(m->name);
}

/* Writes it, and then changes its memory. */
static void write_mapped(void *context, int out)
{
    char *bytes = (char *)file_map((struct file *)context);

    isolate_write(out, bytes, MAPPED_SIZE);
    memset(bytes, 'x', MAPPED_SIZE);
}

Test(isolate, it_reads_a_file_that_was_mapped_before)
{
    struct text said = {NULL, 0, 0};
    struct mapped m = map_file();
    char first = 'x';

    assert_ended(run(write_mapped, m.file, &said));
    cr_assert_eq(said.size, MAPPED_SIZE);
    for (int i = 0; i < MAPPED_SIZE; i++)
        cr_assert_eq(said.data[i], i % 31);
    cr_assert_eq(pread(m.fd, &first, 1, 0), 1);
    cr_assert_eq(first, 0);
    text_free(&said);
    close_mapped(&m);
}

Test(isolate, a_mapped_file_that_shrinks_ends_only_the_child)
{
    struct text said = {NULL, 0, 0};
    struct mapped m = map_file();

    cr_assert_eq(ftruncate(m.fd, 1), 0);
    cr_assert_eq(run(write_mapped, m.file, &said), ISOLATE_FAILED);
    text_free(&said);
    close_mapped(&m);
}

Test(isolate, memory_is_not_mapped_as_a_file)
{
    struct file *file = file_from_memory("abc", 3);

    cr_assert_null(file_map(file));
    file_close(file);
}

/* ---- Its end ----------------------------------------------------------------------- */

static void crash(void *context, int out)
{
    isolate_write(out, "before", 6);
    **(volatile int **)context = 1;
}

static void on_crash(int number)
{
    (void)number;
    _exit(0);
}

Test(isolate, a_crash_is_seen_and_no_handler_runs)
{
    void *locked = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct text said = {NULL, 0, 0};

    signal(SIGSEGV, on_crash);
    cr_assert_eq(run(crash, &locked, &said), ISOLATE_FAILED);
    cr_assert_eq(said.size, 6);
    text_free(&said);
}

static void spin(void *context, int out)
{
    volatile const bool *never = (volatile const bool *)context;

    (void)out;
    while (!*never)
        ;
}

Test(isolate, a_loop_without_end_ends)
{
    struct confine_limits limits = {.memory_bytes = 64 << 20, .cpu_seconds = 1};
    bool never = false;

    cr_assert_eq(isolate(spin, &never, limits, keep, NULL), ISOLATE_NO_TIME);
}

/* The sanitizer ends a process that has no memory. */
#if !IS_SANITIZED

static void eat(void *context, int out)
{
    size_t size = 1 << 20;
    size_t n = 0;

    (void)context;
    for (;; n++) {
        char *more = (char *)malloc(size);

        if (more == NULL)
            break;
        memset(more, 1, size);
    }
    isolate_write(out, &n, sizeof(n));
    isolate_fail();
}

Test(isolate, memory_has_an_end)
{
    struct text said = {NULL, 0, 0};
    size_t n;

    cr_assert_eq(run(eat, NULL, &said), ISOLATE_FAILED);
    cr_assert_eq(said.size, sizeof(n));
    memcpy(&n, said.data, sizeof(n));
    /* The C library may have reserved some addresses before. */
    cr_assert(n >= 32 && n <= 256, "%zu", n);
    text_free(&said);
}

#endif

/* ---- What it cannot do ------------------------------------------------------------- */

struct attempt {
    const char *what;
    int other_fd;
    pid_t parent;
};

/* Nine things that all must fail. */
static void try_all(void *context, int out)
{
    const struct attempt *a = (const struct attempt *)context;
    char name[] = "true";
    char *const arguments[] = {name, NULL};
    int failures[9];

    memset(failures, 0, sizeof(failures));
    failures[0] = open("/dev/null", O_RDONLY | O_CLOEXEC) < 0;
    failures[1] = open(a->what, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) < 0;
    failures[2] = write(a->other_fd, "x", 1) < 0;
    failures[3] = socket(AF_UNIX, SOCK_STREAM, 0) < 0;
    failures[4] = unlink(a->what) != 0;
    failures[5] = kill(a->parent, 0) != 0;
    failures[6] = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) < 0;
    failures[7] = execv("/bin/true", arguments) != 0;
    failures[8] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0) == MAP_FAILED;
    isolate_write(out, failures, sizeof(failures));
}

Test(isolate, it_can_do_nothing_but_write)
{
    char name[] = "/tmp/test_isolate_XXXXXX";
    struct attempt attempt = {.what = name, .parent = getpid()};
    struct text said = {NULL, 0, 0};
    int failures[9];

    if (!is_filtered())
        cr_skip_test("system calls are not filtered here");
    attempt.other_fd = mkstemp(name);
    assert_ended(run(try_all, &attempt, &said));
    cr_assert_eq(said.size, sizeof(failures));
    memcpy(failures, said.data, sizeof(failures));
    for (size_t i = 0; i < 9; i++)
        cr_expect(failures[i], "attempt %zu", i);
    cr_expect_eq(lseek(attempt.other_fd, 0, SEEK_END), 0);
    cr_expect_eq(access(name, F_OK), 0);
    close(attempt.other_fd);
    unlink(name);
    text_free(&said);
}

/* ---- Threads ----------------------------------------------------------------------- */

static atomic_bool is_over;

static void *allocate_and_free(void *context)
{
    (void)context;
    while (!atomic_load(&is_over)) {
        void *small = malloc(100);
        void *large = malloc(1 << 18);

        free(small);
        free(large);
    }
    return NULL;
}

Test(isolate, it_allocates_whatever_other_threads_do)
{
    pthread_t threads[2];

    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, allocate_and_free, NULL), 0);
    for (int round = 0; round < 10; round++) {
        struct text said = {NULL, 0, 0};

        assert_ended(run(count, NULL, &said));
        assert_counted(&said);
    }
    atomic_store(&is_over, true);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void wait_for_lock(void *context, int out)
{
    (void)out;
    pthread_mutex_lock((pthread_mutex_t *)context);
}

Test(isolate, a_lock_that_is_never_free_is_not_waited_for)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct text said = {NULL, 0, 0};

    if (!is_filtered())
        cr_skip_test("system calls are not filtered here");
    pthread_mutex_lock(&lock);
    cr_assert_eq(run(wait_for_lock, &lock, &said), ISOLATE_FAILED);
    pthread_mutex_unlock(&lock);
}
