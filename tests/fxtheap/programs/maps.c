/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap_maps SEED STEPS THREADS: each thread makes, cuts, moves and replaces mappings in a
 * separate part of the address space, at random, and counts for each page what is
 * there. Prints how many bytes of private anonymous mappings there are, then `ready`, and
 * waits for a line; then a child does all that with other mappings, and both wait again.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 64, THREADS_MAX = 8, OTHER = MAP_SHARED | MAP_ANONYMOUS };
enum { COUNTED = MAP_PRIVATE | MAP_ANONYMOUS };

enum page { PAGE_NONE, PAGE_COUNTED, PAGE_OTHER };

struct window {
    char *base;
    unsigned random;
    int steps;
    enum page pages[PAGES];
};

static struct window windows[THREADS_MAX];
static size_t page_size;

static void check(bool is_right)
{
    if (!is_right)
        abort();
}

static int draw(struct window *w, int n)
{
    w->random = w->random * 1103515245 + 12345;
    return (int)(w->random >> 16) % n;
}

static void mark(struct window *w, int first, int n, enum page page)
{
    for (int i = first; i < first + n; i++)
        w->pages[i] = page;
}

static void map(struct window *w, int first, int n, int flags)
{
    void *at = w->base + (size_t)first * page_size;

    /* Not a whole page: the kernel rounds up. */
    check(mmap(at, (size_t)n * page_size - 1, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
               -1, 0) == at);
    mark(w, first, n, flags == COUNTED ? PAGE_COUNTED : PAGE_OTHER);
}

static void unmap(struct window *w, int first, int n)
{
    check(munmap(w->base + (size_t)first * page_size, (size_t)n * page_size) == 0);
    mark(w, first, n, PAGE_NONE);
}

static bool is_counted(const struct window *w, int first, int n)
{
    for (int i = first; i < first + n; i++) {
        if (w->pages[i] != PAGE_COUNTED)
            return false;
    }
    return true;
}

/* Moves pages, if they can be, over others. Pages that were mapped one by one may be one
 * mapping for the kernel or several, which it refuses to move. */
static void move(struct window *w, int first, int n, int to, int new_n)
{
    char *from = w->base + (size_t)first * page_size;
    char *at = w->base + (size_t)to * page_size;
    int limit = new_n > n ? new_n : n;

    if (!is_counted(w, first, n) || (first < to + limit && to < first + limit))
        return;
    map(w, first, n, COUNTED);
    check(mremap(from, (size_t)n * page_size, (size_t)new_n * page_size,
                 MREMAP_MAYMOVE | MREMAP_FIXED, at) == at);
    mark(w, first, n, PAGE_NONE);
    mark(w, to, new_n, PAGE_COUNTED);
}

static void resize(struct window *w, int first, int n, int new_n)
{
    char *from = w->base + (size_t)first * page_size;

    if (!is_counted(w, first, n))
        return;
    map(w, first, n, COUNTED);
    if (mremap(from, (size_t)n * page_size, (size_t)new_n * page_size, 0) == MAP_FAILED)
        return;
    mark(w, first, n, PAGE_NONE);
    mark(w, first, new_n, PAGE_COUNTED);
}

/* What fails changes nothing. */
static void fail(struct window *w, int first, int n)
{
    char *at = w->base + (size_t)first * page_size;

    check(munmap(at + 1, (size_t)n * page_size) != 0);
    check(munmap(at, 0) != 0);
    check(mremap(at, (size_t)n * page_size, 0, 0) == MAP_FAILED);
    check(mmap(at, (size_t)n * page_size, PROT_READ, COUNTED | MAP_FIXED, -1, 1) ==
          MAP_FAILED);
    check(mmap(NULL, 0, PROT_READ, COUNTED, -1, 0) == MAP_FAILED);
}

static void step(struct window *w)
{
    int n = 1 + draw(w, 8);
    int new_n = 1 + draw(w, 8);
    int first = draw(w, PAGES - 8);
    int to = draw(w, PAGES - 8);

    switch (draw(w, 8)) {
    case 0:
        map(w, first, n, OTHER);
        break;
    case 1:
    case 2:
        unmap(w, first, n);
        break;
    case 3:
        move(w, first, n, to, new_n);
        break;
    case 4:
        resize(w, first, n, new_n);
        break;
    case 5:
        fail(w, first, n);
        break;
    default:
        map(w, first, n, COUNTED);
        break;
    }
}

static void *run(void *window)
{
    struct window *w = (struct window *)window;

    for (int i = 0; i < w->steps; i++)
        step(w);
    return NULL;
}

static size_t count(int n_threads)
{
    size_t n = 0;

    for (int i = 0; i < n_threads; i++) {
        for (int j = 0; j < PAGES; j++)
            n += windows[i].pages[j] == PAGE_COUNTED;
    }
    return n * page_size;
}

static void work(int n_threads)
{
    pthread_t threads[THREADS_MAX];

    for (int i = 0; i < n_threads; i++)
        check(pthread_create(&threads[i], NULL, run, &windows[i]) == 0);
    for (int i = 0; i < n_threads; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

static void report(size_t bytes)
{
    char line[64];
    int n = snprintf(line, sizeof(line), "%zu\nready\n", bytes);

    check(write(STDOUT_FILENO, line, (size_t)n) == n);
    check(read(STDIN_FILENO, line, 1) == 1);
}

/* In a child: its parent's mappings do not count there. It unmaps some of them. */
static void work_as_child(int n_threads)
{
    char line[64];
    int n = snprintf(line, sizeof(line), "%d\n", (int)getpid());

    check(write(STDOUT_FILENO, line, (size_t)n) == n);
    for (int i = 0; i < n_threads; i++)
        mark(&windows[i], 0, PAGES, PAGE_OTHER);
    for (int i = 0; i < n_threads; i++)
        unmap(&windows[i], 0, PAGES / 4);
    for (int i = 0; i < n_threads; i++)
        windows[i].steps = 20;
    work(n_threads);
    report(count(n_threads));
    _exit(0);
}

int main(int argc, char **argv)
{
    int n_threads = argc == 4 ? atoi(argv[3]) : 0;
    size_t rest;
    int status;
    pid_t child;

    check(n_threads > 0 && n_threads <= THREADS_MAX);
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    /* Far from where the kernel maps what has no fixed address, so that nothing else
     * comes into the holes. */
    for (int i = 0; i < n_threads; i++) {
        windows[i] = (struct window){.base = (char *)0x2000000000 +
                                             (size_t)i * 2 * PAGES * page_size,
                                     .random = (unsigned)(atoi(argv[1]) + i * 1000),
                                     .steps = atoi(argv[2])};
    }
    work(n_threads);
    rest = count(n_threads);
    report(rest);
    child = fork();
    if (child == 0)
        work_as_child(n_threads);
    check(waitpid(child, &status, 0) == child && status == 0);
    return 0;
}
