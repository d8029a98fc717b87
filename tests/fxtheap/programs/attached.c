/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs to be attached to, which check all that they do, and exit with 0 if it was
 * right:
 *
 *     heap_attached storm THREADS    threads allocate, free and compute all the time
 *     heap_attached wait KIND        the only thread waits again and again
 *     heap_attached load PLUGIN      loads a module at the first line of standard input
 *
 * Each prints "ready". A storm ends its blocks when it reads a line, has its threads
 * allocate some that stay, and prints how many blocks and bytes these are; the next line,
 * or the end of standard input, ends it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "await_line.h"

/* ---- Computing --------------------------------------------------------------------- */

struct result {
    uint64_t whole;
    double real;
    double wide[8];
    long double extended;
};

/* All kinds of registers have something in them all the time. */
#if defined(__x86_64__)
__attribute__((target("avx2"), noinline))
#else
__attribute__((noinline))
#endif
static struct result
compute(unsigned rounds)
{
    struct result r = {.whole = 1, .real = 1, .extended = 1};

    for (int i = 0; i < 8; i++)
        r.wide[i] = i;
    for (unsigned round = 0; round < rounds; round++) {
        r.whole = r.whole * 6364136223846793005 + 1442695040888963407;
        r.real = r.real * 0.999 + (double)(r.whole >> 40);
        r.extended = r.extended * 0.5L + (long double)(r.whole & 0xff);
        for (int i = 0; i < 8; i++)
            r.wide[i] = r.wide[i] * 0.25 + r.real;
    }
    return r;
}

static int are_same(const struct result *a, const struct result *b)
{
    return a->whole == b->whole && a->real == b->real && a->extended == b->extended &&
           memcmp(a->wide, b->wide, sizeof(a->wide)) == 0;
}

static struct result expected;

enum { ROUNDS = 300 };

static void check_computing(void)
{
    struct result r;

    errno = ENOTTY;
    r = compute(ROUNDS);
    if (errno != ENOTTY)
        fail("errno has changed");
    if (!are_same(&r, &expected))
        fail("a computation went wrong");
}

/* ---- A storm ----------------------------------------------------------------------- */

enum { N_BLOCKS = 500, N_KEPT = 1000 };

static int ends;
static pthread_barrier_t barrier;

struct block {
    unsigned char *bytes;
    size_t size;
    unsigned char mark;
};

static void check_block(const struct block *b)
{
    if (b->bytes != NULL &&
        (b->bytes[0] != b->mark || b->bytes[b->size - 1] != (unsigned char)~b->mark))
        fail("a block has other contents");
}

static void mark_block(struct block *b, size_t size, unsigned char mark)
{
    if (b->bytes == NULL)
        fail("no memory");
    b->size = size;
    b->mark = mark;
    b->bytes[0] = mark;
    b->bytes[size - 1] = (unsigned char)~mark;
}

static void *allocate(uint64_t kind, size_t size)
{
    void *(*volatile allocator)(size_t) = malloc;
    void *block = NULL;

    switch (kind % 4) {
    case 0:
        return calloc(2, size / 2);
    case 1:
        if (posix_memalign(&block, 64, size) != 0)
            fail("no memory");
        return block;
    case 2:
        return realloc(NULL, size);
    default:
        return allocator(size);
    }
}

static void change_block(struct block *b, uint64_t random)
{
    size_t size = 2 + (random >> 33) % 2000 / 2 * 2;

    check_block(b);
    if (b->bytes != NULL && random % 3 == 0) {
        b->bytes = realloc(b->bytes, size);
    } else {
        free(b->bytes);
        b->bytes = allocate(random >> 20, size);
    }
    mark_block(b, size, (unsigned char)(random >> 50));
}

static void free_all(struct block *blocks)
{
    for (int i = 0; i < N_BLOCKS; i++) {
        check_block(&blocks[i]);
        free(blocks[i].bytes);
    }
}

static void **kept;

__attribute__((noinline)) static void keep_blocks(size_t thread)
{
    for (size_t i = 0; i < N_KEPT; i++)
        kept[thread * N_KEPT + i] = malloc(10 + i);
}

static void *run_thread(void *argument)
{
    size_t thread = (size_t)argument;
    struct block blocks[N_BLOCKS];
    uint64_t random = thread + 1;

    memset(blocks, 0, sizeof(blocks));
    while (!__atomic_load_n(&ends, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 1000; i++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            change_block(&blocks[(random >> 40) % N_BLOCKS], random);
        }
        check_computing();
    }
    free_all(blocks);
    keep_blocks(thread);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void run_storm(size_t n)
{
    pthread_t threads[64];
    size_t bytes = 0;

    kept = malloc(n * N_KEPT * sizeof(*kept));
    pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
    for (size_t i = 0; i < n; i++) {
        if (pthread_create(&threads[i], NULL, run_thread, (void *)i) != 0)
            fail("no thread");
    }
    puts("ready");
    await_line();
    __atomic_store_n(&ends, 1, __ATOMIC_RELAXED);
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < N_KEPT; i++)
        bytes += n * (10 + i);
    printf("%zu %zu\n", n * N_KEPT, bytes);
    await_line();
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Waiting ----------------------------------------------------------------------- */

enum { WAIT_MS = 20 };

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static volatile sig_atomic_t n_signals;

static void count_signal(int number)
{
    (void)number;
    n_signals++;
}

static void handle_alarm(int flags)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = count_signal;
    action.sa_flags = flags;
    sigaction(SIGALRM, &action, NULL);
}

static void set_timer(int is_periodic)
{
    struct itimerval timer;

    memset(&timer, 0, sizeof(timer));
    timer.it_value.tv_usec = is_periodic ? 1000 : WAIT_MS * 1000;
    timer.it_interval.tv_usec = is_periodic ? 1000 : 0;
    setitimer(ITIMER_REAL, &timer, NULL);
}

static int pipe_ends[2];

static void *write_numbers(void *argument)
{
    for (uint64_t i = 0;; i++) {
        usleep(WAIT_MS * 1000);
        if (write(pipe_ends[1], &i, sizeof(i)) != sizeof(i))
            return argument;
    }
}

/* What another process writes, so that there is no other thread here. */
static void start_writer(void)
{
    if (pipe(pipe_ends) != 0)
        fail("no pipe");
    if (fork() == 0) {
        close(pipe_ends[0]);
        signal(SIGPIPE, SIG_DFL);
        write_numbers(NULL);
        _exit(0);
    }
    close(pipe_ends[1]);
}

static void wait_in_read(void)
{
    static uint64_t next;
    uint64_t number;

    if (read(pipe_ends[0], &number, sizeof(number)) != sizeof(number))
        fail("read did not wait");
    if (number != next++)
        fail("read has lost something");
}

static void wait_in_nanosleep(void)
{
    const struct timespec time = {0, WAIT_MS * 1000000};

    if (nanosleep(&time, NULL) != 0)
        fail("nanosleep was interrupted");
}

/* Signals interrupt this; nothing else may, and it says how much is left. */
static void wait_in_interrupted_nanosleep(void)
{
    struct timespec time = {0, WAIT_MS * 1000000};

    while (nanosleep(&time, &time) != 0) {
        /* What is left may be more than the whole by the slack of the timer. */
        if (errno != EINTR || time.tv_nsec > 2 * WAIT_MS * 1000000)
            fail("nanosleep failed");
    }
}

static void wait_in_poll(void)
{
    struct pollfd none = {.fd = -1};

    if (poll(&none, 1, WAIT_MS) != 0)
        fail("poll did not wait");
}

/* For a signal that comes once. */
static void wait_in_pause(void)
{
    sig_atomic_t before = n_signals;

    set_timer(0);
    if (pause() != -1 || errno != EINTR || n_signals == before)
        fail("pause did not wait for the signal");
}

static void wait_in_sigsuspend(void)
{
    sig_atomic_t before = n_signals;
    sigset_t set;
    sigset_t old;

    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, &old);
    set_timer(0);
    sigdelset(&old, SIGALRM);
    if (sigsuspend(&old) != -1 || errno != EINTR || n_signals != before + 1)
        fail("sigsuspend did not wait for the signal");
    sigprocmask(SIG_BLOCK, NULL, &old);
    if (!sigismember(&old, SIGALRM))
        fail("the signal mask has changed");
}

static void wait_in_epoll(void)
{
    static int file = -1;
    struct epoll_event event;
    int n;

    if (file < 0)
        file = epoll_create1(0);
    n = epoll_wait(file, &event, 1, WAIT_MS);
    /* The kernel does not restart it even after a stop. */
    if (n != 0 && errno != EINTR)
        fail("epoll_wait failed");
}

static void wait_in_futex(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += WAIT_MS * 1000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    if (pthread_cond_timedwait(&condition, &mutex, &end) != ETIMEDOUT)
        fail("pthread_cond_timedwait did not wait");
    pthread_mutex_unlock(&mutex);
}

static void wait_in_computing(void)
{
    uint64_t end = now_us() + WAIT_MS * 1000;

    while (now_us() < end)
        check_computing();
}

static void wait_in_malloc(void)
{
    uint64_t end = now_us() + WAIT_MS * 1000;

    while (now_us() < end) {
        for (int i = 0; i < 100; i++)
            free(malloc(100));
    }
}

static const struct kind {
    const char *name;
    void (*wait)(void);
    int has_writer;
    int has_alarms;
    int is_shorter;
} kinds[] = {
    {"read", wait_in_read, 1, 0, 1},
    {"interrupted-read", wait_in_read, 1, 1, 1},
    {"nanosleep", wait_in_nanosleep, 0, 0, 0},
    {"interrupted-nanosleep", wait_in_interrupted_nanosleep, 0, 1, 0},
    {"poll", wait_in_poll, 0, 0, 0},
    {"pause", wait_in_pause, 0, 0, 0},
    {"sigsuspend", wait_in_sigsuspend, 0, 0, 0},
    {"epoll", wait_in_epoll, 0, 0, 1},
    {"futex", wait_in_futex, 0, 0, 1},
    {"computing", wait_in_computing, 0, 0, 0},
    {"interrupted-computing", wait_in_computing, 0, 1, 0},
    {"malloc", wait_in_malloc, 0, 0, 0},
    {"interrupted-malloc", wait_in_malloc, 0, 1, 0},
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    }
    fail("which kind");
    return NULL;
}

static int is_over(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&input, 1, 0) > 0;
}

static void run_waits(const char *name)
{
    const struct kind *kind = find_kind(name);

    handle_alarm(SA_RESTART);
    if (kind->has_writer)
        start_writer();
    if (kind->has_alarms)
        set_timer(1);
    puts("ready");
    while (!is_over()) {
        uint64_t start = now_us();

        kind->wait();
        if (!kind->is_shorter && now_us() - start < WAIT_MS * 1000)
            fail("it did not wait long enough");
        if (now_us() - start > 20 * 1000000)
            fail("it waited too long");
        check_computing();
    }
}

/* ---- Loading ----------------------------------------------------------------------- */

static void run_loader(const char *path)
{
    void *(*make)(size_t size);
    void *function;
    void *module;

    puts("ready");
    await_line();
    module = dlopen(path, RTLD_NOW);
    function = module != NULL ? dlsym(module, "loaded_function") : NULL;
    if (function == NULL)
        fail("the module cannot be loaded");
    memcpy(&make, &function, sizeof(make));
    for (size_t i = 0; i < 7; i++) {
        if (make(1000 + i) == NULL)
            fail("no memory");
    }
    puts("loaded");
    await_line();
}

int main(int argc, char **argv)
{
    expected = compute(ROUNDS);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 3)
        fail("heap_attached MODE ARGUMENT");
    if (strcmp(argv[1], "storm") == 0)
        run_storm((size_t)atoi(argv[2]));
    else if (strcmp(argv[1], "wait") == 0)
        run_waits(argv[2]);
    else
        run_loader(argv[2]);
    return 0;
}
