/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that does little but allocate, for bench/heap.py:
 *
 *     heap_load keep N     a table of lists of strings, to which N times something is
 *                          added or taken from, as programs do that keep things
 *     heap_load pairs N    N times a small block is allocated and freed at once: nothing
 *                          but the allocator's fastest way
 *     heap_load live N     N small blocks, of which a third were freed and allocated
 *                          again in any order; then it waits until its input ends
 *
 * Prints its own CPU seconds and its peak of memory in KiB.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

enum { LISTS = 1 << 14 };

struct item {
    struct item *next;
    char *text;
};

static struct item *lists[LISTS];
static uint64_t state = 88172645463325252;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

NOINLINE static char *make_text(size_t size)
{
    char *text = malloc(size);

    memset(text, 'x', size);
    return text;
}

NOINLINE static void add(uint64_t list)
{
    struct item *item = malloc(sizeof(*item));

    item->text = make_text(8 + draw() % 200);
    item->next = lists[list];
    lists[list] = item;
}

NOINLINE static void take(uint64_t list)
{
    struct item *item = lists[list];

    lists[list] = item->next;
    free(item->text);
    free(item);
}

static void keep(uint64_t n)
{
    while (n-- > 0) {
        uint64_t list = draw() % LISTS;

        if (draw() % 2 == 0 || lists[list] == NULL)
            add(list);
        else
            take(list);
    }
}

static void make_pairs(uint64_t n)
{
    void *volatile block;

    while (n-- > 0) {
        block = malloc(64);
        free(block);
    }
}

static void fill(uint64_t n)
{
    char **all = malloc(n * sizeof(*all));

    for (uint64_t i = 0; i < n; i++)
        all[i] = make_text(8 + draw() % 100);
    for (uint64_t i = 0; i < n / 3; i++) {
        uint64_t at = draw() % n;

        free(all[at]);
        all[at] = make_text(8 + draw() % 100);
    }
    puts("ready");
    fflush(stdout);
    getchar();
}

int main(int argc, char **argv)
{
    struct timespec now;
    struct rusage usage;

    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "keep") == 0)
        keep(strtoull(argv[2], NULL, 10));
    else if (strcmp(argv[1], "live") == 0)
        fill(strtoull(argv[2], NULL, 10));
    else
        make_pairs(strtoull(argv[2], NULL, 10));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    getrusage(RUSAGE_SELF, &usage);
    printf("cpu %.6f memory %ld\n", (double)now.tv_sec + (double)now.tv_nsec * 1e-9,
           usage.ru_maxrss);
    return 0;
}
