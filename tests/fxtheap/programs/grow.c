/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap that changes in steps, of which a file has a line each: when it began and when it
 * was done, by the monotonic clock in nanoseconds, and what was live and what had ever been
 * allocated by then, in bytes and blocks.
 *
 *     grow STEPS MILLISECONDS FILE
 *
 * In step i, blocks of 1000 bytes are added, i of them; in every third step those of the
 * step before are freed; and one block of 300 bytes comes and goes. The steps are so many
 * milliseconds apart.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { STEPS_MAX = 200, SIZE = 1000, SHORT_SIZE = 300 };

struct state {
    uint64_t bytes;
    uint64_t blocks;
    uint64_t alloc_bytes;
    uint64_t alloc_blocks;
};

static void *blocks[STEPS_MAX + 1][STEPS_MAX];

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

NOINLINE static void *grow_block(void)
{
    return memset(malloc(SIZE), 1, SIZE);
}

NOINLINE static void *grow_short(void)
{
    return memset(malloc(SHORT_SIZE), 1, SHORT_SIZE);
}

static void take_step(int step, struct state *s)
{
    for (int i = 0; i < step; i++)
        blocks[step][i] = grow_block();
    s->blocks += (uint64_t)step;
    s->alloc_blocks += (uint64_t)step + 1;
    free(grow_short());
    s->alloc_bytes += (uint64_t)step * SIZE + SHORT_SIZE;
    if (step % 3 == 0) {
        for (int i = 0; i < step - 1; i++)
            free(blocks[step - 1][i]);
        s->blocks -= (uint64_t)step - 1;
    }
    s->bytes = s->blocks * SIZE;
}

/* Without the C library's buffers, which would be in the heap. */
static void print(int file, uint64_t begin, uint64_t end, const struct state *s)
{
    char line[160];
    int size = snprintf(line, sizeof(line), "%llu %llu %llu %llu %llu %llu\n",
                        (unsigned long long)begin, (unsigned long long)end,
                        (unsigned long long)s->bytes, (unsigned long long)s->blocks,
                        (unsigned long long)s->alloc_bytes,
                        (unsigned long long)s->alloc_blocks);

    if (write(file, line, (size_t)size) != size)
        _exit(1);
}

int main(int argc, char **argv)
{
    struct state state = {0, 0, 0, 0};
    int steps = argc == 4 ? atoi(argv[1]) : 0;
    int file = argc == 4 ? open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

    if (file < 0 || steps < 1 || steps > STEPS_MAX)
        return 2;
    for (int step = 1; step <= steps; step++) {
        uint64_t begin = now();

        take_step(step, &state);
        print(file, begin, now(), &state);
        usleep((useconds_t)atoi(argv[2]) * 1000);
    }
    return 0;
}
