/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heaps that are largest at a known time.
 *
 *     peak phases                a thousand small blocks and ten large ones; then less,
 *                                and more again, but never as much
 *     peak grow                  100 blocks, and none is freed
 *     peak resize                a block that realloc makes larger, and smaller again
 *     peak threads N FILE        N threads that allocate and free blocks in waves, until
 *                                there were 40 waves, or for ever if the file's name
 *                                ends in a dash. FILE has two words: what is live now,
 *                                and the most that was, in bytes
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { SMALL = 1000, SMALL_SIZE = 100, LARGE = 10, LARGE_SIZE = 1000000 };
enum { BLOCKS = 3000, WAVES = 40, THREADS_MAX = 16 };

NOINLINE static void *peak_small(size_t size)
{
    return malloc(size);
}

NOINLINE static void *peak_large(size_t size)
{
    return malloc(size);
}

static void go_through_phases(void)
{
    void *small[SMALL];
    void *large[LARGE];

    for (int i = 0; i < SMALL; i++)
        small[i] = peak_small(SMALL_SIZE);
    for (int i = 0; i < LARGE; i++)
        large[i] = peak_large(LARGE_SIZE);
    for (int i = 0; i < LARGE; i++)
        free(large[i]);
    for (int i = 0; i < SMALL / 2; i++)
        free(small[i]);
    for (int i = 0; i < LARGE / 2; i++)
        large[i] = peak_large(LARGE_SIZE);
    for (int i = 0; i < LARGE / 4; i++)
        free(large[i]);
}

static void grow(void)
{
    for (int i = 0; i < 100; i++)
        peak_small(SMALL_SIZE);
}

static void resize(void)
{
    char *block = peak_large(LARGE_SIZE);

    for (int i = 2; i <= 8; i++)
        block = realloc(block, (size_t)i * LARGE_SIZE);
    block = realloc(block, LARGE_SIZE);
    free(block);
}

/* ---- Threads ----------------------------------------------------------------------- */

static struct {
    uint64_t live;
    uint64_t most;
} * amounts;
static int n_waves;

static void add(uint64_t size)
{
    uint64_t live = __atomic_add_fetch(&amounts->live, size, __ATOMIC_RELAXED);
    uint64_t most = __atomic_load_n(&amounts->most, __ATOMIC_RELAXED);

    while (live > most &&
           !__atomic_compare_exchange_n(&amounts->most, &most, live, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static void *work(void *context)
{
    uint64_t random = (uintptr_t)context + 1;
    void *blocks[BLOCKS] = {NULL};
    uint64_t sizes[BLOCKS];

    for (int wave = 0; wave < n_waves || n_waves == 0; wave++) {
        int n =
            (int)((random = random * 6364136223846793005 + 1442695040888963407) >> 33) %
            BLOCKS;

        for (int i = 0; i < n; i++) {
            if (blocks[i] != NULL)
                continue;
            sizes[i] = 64 + (random = random * 6364136223846793005 + 1) % 4000;
            blocks[i] = i % 2 == 0 ? peak_small(sizes[i]) : peak_large(sizes[i]);
            add(sizes[i]);
        }
        for (int i = n; i-- > n / 3;) {
            __atomic_sub_fetch(&amounts->live, sizes[i], __ATOMIC_RELAXED);
            free(blocks[i]);
            blocks[i] = NULL;
        }
    }
    return NULL;
}

static int run_threads(int n, const char *name)
{
    pthread_t threads[THREADS_MAX];
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

    if (n < 1 || n > THREADS_MAX || file < 0 || ftruncate(file, sizeof(*amounts)) != 0)
        return 1;
    n_waves = name[strlen(name) - 1] == '-' ? 0 : WAVES;
    amounts = mmap(NULL, sizeof(*amounts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (amounts == MAP_FAILED)
        return 1;
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
    puts("ready");
    fflush(stdout);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "threads") == 0 && argc == 4)
        return run_threads(atoi(argv[2]), argv[3]);
    if (strcmp(what, "phases") == 0)
        go_through_phases();
    else if (strcmp(what, "grow") == 0)
        grow();
    else if (strcmp(what, "resize") == 0)
        resize();
    else
        return 2;
    return 0;
}
