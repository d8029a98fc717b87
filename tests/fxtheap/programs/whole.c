/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program without frame pointers, whose stacks test_heap_stacks.py knows:
 *
 *     heap_whole calls                  from functions of many kinds
 *     heap_whole paths N                from 2 to the power of N stacks
 *     heap_whole storm N PLUGIN PLUGIN  from libraries that are loaded and unloaded N
 *                                       times, while threads allocate, too
 *     heap_whole forks N                in N children of fork, while threads allocate
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

/* The compiler must not know that blocks are never used. */
static void *volatile kept;

NOINLINE static void *allocate_here(size_t size)
{
    void *block = malloc(size);

    memset(block, 1, size);
    kept = block;
    return block;
}

static void wait_for_go(void)
{
    puts("ready");
    fflush(stdout);
    if (getchar() == EOF)
        exit(1);
}

/* ---- Calls ------------------------------------------------------------------------- */

NOINLINE static void with_array(size_t size)
{
    volatile char array[40000];

    array[size] = 1;
    allocate_here(size);
    array[0] = array[size];
}

NOINLINE static void with_alloca(size_t size)
{
    volatile char *array = alloca(size * 3);

    array[size] = 1;
    allocate_here(size);
    array[0] = array[size];
}

NOINLINE static void realigned(size_t size)
{
    _Alignas(128) volatile char array[256];

    array[size % 256] = 1;
    allocate_here(size);
    array[0] = array[size % 256];
}

static int compare(const void *a, const void *b)
{
    if (kept == NULL)
        allocate_here(1004);
    return *(const int *)a - *(const int *)b;
}

static void handle(int number)
{
    allocate_here(number == SIGUSR1 ? 1005 : 1006);
}

NOINLINE static void call_in_handlers(void)
{
    static char room[65536];
    stack_t alternate = {.ss_sp = room, .ss_size = sizeof(room)};
    struct sigaction action = {.sa_handler = handle};

    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaltstack(&alternate, NULL);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
}

NOINLINE static void *thread_main(void *unused)
{
    with_array(1007);
    return unused;
}

NOINLINE static void make_calls(void)
{
    int numbers[] = {3, 1, 2};
    pthread_t thread;

    with_array(1001);
    with_alloca(1002);
    realigned(1003);
    kept = NULL;
    qsort(numbers, 3, sizeof(*numbers), compare);
    call_in_handlers();
    pthread_create(&thread, NULL, thread_main, NULL);
    pthread_join(thread, NULL);
    wait_for_go();
}

/* ---- Paths ------------------------------------------------------------------------- */

NOINLINE static void go_right(unsigned depth, unsigned path);

NOINLINE static void go_left(unsigned depth, unsigned path)
{
    if (depth == 0)
        allocate_here(16);
    else if (path & 1)
        go_right(depth - 1, path >> 1);
    else
        go_left(depth - 1, path >> 1);
    kept = NULL;
}

NOINLINE static void go_right(unsigned depth, unsigned path)
{
    if (depth == 0)
        allocate_here(16);
    else if (path & 1)
        go_right(depth - 1, path >> 1);
    else
        go_left(depth - 1, path >> 1);
    kept = NULL;
}

static void make_paths(unsigned depth)
{
    for (unsigned path = 0; path < 1u << depth; path++)
        go_left(depth, path);
    wait_for_go();
}

/* ---- Storms ------------------------------------------------------------------------ */

enum { THREADS = 2 };

static bool is_over;

static void *allocate_all_the_time(void *unused)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        free(allocate_here(64));
    return unused;
}

static void start_threads(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, allocate_all_the_time, NULL);
}

static void end_threads(const pthread_t *threads)
{
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

typedef void *allocate_function(size_t size);
typedef void *plugin_function(size_t size, allocate_function *allocate);

NOINLINE static void use_plugin(const char *path, size_t size)
{
    void *library = dlopen(path, RTLD_NOW);
    void *symbol = library != NULL ? dlsym(library, "plugin_allocate") : NULL;
    plugin_function *function;

    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(&function, &symbol, sizeof(function));
    function(size, allocate_here);
    dlclose(library);
}

static void make_storm(unsigned n, char **plugins)
{
    pthread_t threads[THREADS];

    start_threads(threads);
    for (unsigned i = 0; i < n; i++)
        use_plugin(plugins[i % 2], 2000 + i % 2);
    end_threads(threads);
    wait_for_go();
}

static void make_forks(unsigned n)
{
    pthread_t threads[THREADS];
    int status;

    start_threads(threads);
    for (unsigned i = 0; i < n; i++) {
        pid_t child = fork();

        if (child == 0) {
            with_array(3000);
            with_alloca(3001);
            _exit(7);
        }
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 7)
            exit(1);
    }
    end_threads(threads);
    wait_for_go();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

    if (strcmp(mode, "calls") == 0)
        make_calls();
    else if (strcmp(mode, "paths") == 0)
        make_paths(n);
    else if (strcmp(mode, "storm") == 0 && argc == 5)
        make_storm(n, argv + 3);
    else if (strcmp(mode, "forks") == 0)
        make_forks(n);
    else
        return 2;
    return 0;
}
