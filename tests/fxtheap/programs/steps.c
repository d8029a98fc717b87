/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small programs in one: steps FUNCTION. Each allocates something known, prints "ready",
 * and waits for a line on standard input, or does what its name says.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static void *volatile kept[64];

static void wait_for_reader(void)
{
    char line[16];

    if (write(STDOUT_FILENO, "ready\n", 6) != 6 ||
        read(STDIN_FILENO, line, sizeof(line)) < 0)
        _exit(1);
}

/* ---- Stacks ------------------------------------------------------------------------ */

NOINLINE static void *allocate_here(size_t size)
{
    void *block = malloc(size);

    /* Not the last thing that the function does, so that it is on the stack. */
    memset(block, 1, size);
    return block;
}

NOINLINE static void outer_function(int i, size_t size)
{
    kept[i] = allocate_here(size);
}

NOINLINE static void other_function(int i, size_t size)
{
    kept[i] = allocate_here(size);
}

static void stacks(void)
{
    outer_function(0, 1000);
    outer_function(1, 2000);
    other_function(2, 500000);
    free(kept[1]);
    kept[1] = NULL;
    wait_for_reader();
    outer_function(3, 1000000);
    free(kept[2]);
    wait_for_reader();
}

NOINLINE static void recurse(unsigned depth)
{
    if (depth == 0)
        kept[0] = allocate_here(777);
    else
        recurse(depth - 1);
    kept[1] = kept[0];
}

static void deep(void)
{
    recurse(1000);
    wait_for_reader();
}

typedef void *loaded_function(size_t size);

/* The library is beside the program. */
static void loaded(void)
{
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 100);
    loaded_function *function;
    void *found = NULL;

    if (size > 0) {
        path[size] = '\0';
        strcpy(strrchr(path, '/') + 1, "libheap_loaded.so");
        found = dlsym(dlopen(path, RTLD_NOW), "loaded_function");
    }
    memcpy(&function, &found, sizeof(function));
    kept[0] = function(2468);
    wait_for_reader();
}

/* ---- Threads ----------------------------------------------------------------------- */

static void *named_thread(void *name)
{
    prctl(PR_SET_NAME, name);
    kept[10] = allocate_here(4321);
    wait_for_reader();
    return NULL;
}

static void threads(void)
{
    pthread_t thread;
    static char name[] = "worker bee";

    pthread_create(&thread, NULL, named_thread, name);
    pthread_join(thread, NULL);
}

/* ---- Other stacks than a thread's own ---------------------------------------------- */

static ucontext_t main_context;
static ucontext_t other_context;

static void on_other_stack(void)
{
    outer_function(0, 1111);
    swapcontext(&other_context, &main_context);
}

static void coroutine(void)
{
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = malloc(1 << 16);
    other_context.uc_stack.ss_size = 1 << 16;
    makecontext(&other_context, on_other_stack, 0);
    swapcontext(&main_context, &other_context);
    wait_for_reader();
}

/* ---- Children ---------------------------------------------------------------------- */

static void be_child(void)
{
    free(kept[0]);
    kept[1] = allocate_here(3000);
    wait_for_reader();
    _exit(0);
}

static void child_of_fork(void)
{
    kept[0] = allocate_here(1000);
    if (fork() == 0)
        be_child();
    wait(NULL);
    wait_for_reader();
}

/* Without the C library, which might notify others. */
static void child_of_clone(void)
{
    kept[0] = allocate_here(1000);
    if (syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) == 0)
        be_child();
    wait(NULL);
    wait_for_reader();
}

static void child_of_vfork(void)
{
    pid_t child = vfork();

    if (child == 0)
        execl("/bin/true", "true", (char *)NULL);
    waitpid(child, NULL, 0);
    kept[0] = allocate_here(1000);
    wait_for_reader();
}

static void end_by_exit(void)
{
    kept[0] = allocate_here(1000);
    _exit(3);
}

/* ---- Signals ----------------------------------------------------------------------- */

static volatile uint64_t n_signals;

static void take_signal(int signal)
{
    void *block = malloc(100);

    (void)signal;
    free(block);
    n_signals++;
}

/* Under an allocator that allows it, handlers allocate during allocations. */
static void signals(void)
{
    struct itimerval timer = {{0, 100}, {0, 100}};
    struct sigaction action = {.sa_handler = take_signal, .sa_flags = SA_RESTART};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (n_signals < 500) {
        void *block = realloc(malloc(50), 200);

        free(block);
    }
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    kept[0] = allocate_here(1000);
    wait_for_reader();
}

/* ---- Samples ----------------------------------------------------------------------- */

/* 64 MiB in blocks of 1 KiB, and as much in blocks of 1 MiB, and twice as much that is
 * freed again. */
static void samples(void)
{
    for (int i = 0; i < 65536; i++)
        kept[0] = allocate_here(1024);
    for (int i = 0; i < 64; i++)
        kept[0] = malloc(1 << 20);
    for (int i = 0; i < 131072; i++)
        free(allocate_here(1024));
    wait_for_reader();
}

/* Blocks of which each begins in a separate page. */
static void far_apart(void)
{
    for (int i = 0; i < 20000; i++)
        kept[0] = malloc(60000);
    wait_for_reader();
}

/* ---- The first call ---------------------------------------------------------------- */

static void frees_first(void)
{
    free(kept[0]);
    wait_for_reader();
}

/* ---- Sizes ------------------------------------------------------------------------- */

/* One block grows and shrinks where it is; another one comes and goes after it. */
static void resizes(void)
{
    for (int i = 0; i < 300000; i++)
        kept[0] = malloc(24);
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    mallopt(M_TRIM_THRESHOLD, 1 << 25);
    kept[0] = malloc(100000);
    kept[1] = malloc(500000);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6)
        _exit(1);
    for (;;) {
        usleep(700);
        free(kept[1]);
        usleep(100);
        if (realloc(kept[0], 600000) != kept[0])
            _exit(1);
        usleep(700);
        if (realloc(kept[0], 100000) != kept[0])
            _exit(1);
        usleep(100);
        kept[1] = malloc(500000);
    }
}

/* ---- Temporary blocks -------------------------------------------------------------- */

static pthread_barrier_t turns;

NOINLINE static void freed_at_once(void)
{
    void *block = NULL;

    for (int i = 0; i < 1000; i++)
        free(allocate_here(100));
    free(calloc(10, 10));
    if (posix_memalign(&block, 64, 100) == 0)
        free(block);
    free(NULL);
}

/* Others are allocated, freed or resized in between. */
NOINLINE static void freed_later(void)
{
    void *first = malloc(100);
    void *second = malloc(100);

    free(first);
    free(second);
    first = malloc(100);
    kept[20] = realloc(kept[20], 90);
    free(first);
}

/* Of these a realloc is the end, or changes nothing. */
NOINLINE static void reallocated(void)
{
    void *block = malloc(100);

    kept[21] = malloc(100);
    kept[22] = realloc(malloc(200), 300000);
    block = realloc(block, 400000);
    free(realloc(malloc(100), 50));
    free(block);
}

NOINLINE static void *free_in_turn(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        void *block = malloc(100);

        pthread_barrier_wait(&turns);
        free(block);
        pthread_barrier_wait(&turns);
    }
    return NULL;
}

/* Both threads allocate before either of them frees. */
NOINLINE static void of_threads(void)
{
    pthread_t thread;

    pthread_barrier_init(&turns, NULL, 2);
    pthread_create(&thread, NULL, free_in_turn, NULL);
    free_in_turn(NULL);
    pthread_join(thread, NULL);
}

static void temporaries(void)
{
    kept[20] = malloc(100);
    freed_at_once();
    freed_later();
    reallocated();
    of_threads();
    wait_for_reader();
}

/* ---- Ends -------------------------------------------------------------------------- */

static void *wait_and_exit(void *unused)
{
    char path[64];
    char state[64] = "";

    (void)unused;
    snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", (long)getpid());
    while (strstr(state, ") Z ") == NULL) {
        FILE *file = fopen(path, "r");

        if (file == NULL || fgets(state, sizeof(state), file) == NULL)
            _exit(1);
        fclose(file);
    }
    kept[0] = allocate_here(1234);
    wait_for_reader();
    exit(0);
}

/* The first thread ends, and another one stays. */
static void first_thread_ends(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, wait_and_exit, NULL) == 0)
        pthread_exit(NULL);
}

static void hang(void)
{
    kept[0] = allocate_here(1234);
    if (write(STDOUT_FILENO, "ready\n", 6) == 6) {
        for (;;)
            kept[1] = kept[0];
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {
    {"child_of_clone", child_of_clone},
    {"child_of_fork", child_of_fork},
    {"child_of_vfork", child_of_vfork},
    {"coroutine", coroutine},
    {"deep", deep},
    {"end_by_exit", end_by_exit},
    {"first_thread_ends", first_thread_ends},
    {"frees_first", frees_first},
    {"hang", hang},
    {"loaded", loaded},
    {"resizes", resizes},
    {"samples", samples},
    {"far_apart", far_apart},
    {"signals", signals},
    {"stacks", stacks},
    {"temporaries", temporaries},
    {"threads", threads},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof(all) / sizeof(all[0]); i++) {
        if (strcmp(argv[1], all[i].name) == 0) {
            all[i].run();
            return 0;
        }
    }
    return 2;
}
