/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that knows its heap: several threads allocate, resize and free in all ways
 * that there are, and at many moments all stand still while the program says what is
 * live, and waits to be looked at.
 *
 *     exact SEED THREADS MOMENTS FILE
 *
 * At each moment FILE holds, for each block, four words: address, size, thread, and a
 * number for how it came to be; then a line goes to standard output, and one is awaited
 * on standard input. Nothing that happens in between allocates.
 */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS_MAX = 8, BLOCKS = 512, STEPS = 2000 };

enum how {
    CALLOC,
    MALLOC,
    REALLOC,
    REALLOCARRAY,
    ALIGNED,
    POSIX,
    MEMALIGN,
    VALLOC,
    HOWS
};

struct block {
    void *address;
    uint64_t size;
    uint64_t thread;
    uint64_t how;
};

struct worker {
    struct block blocks[BLOCKS];
    uint64_t random;
    int number;
};

static struct worker workers[THREADS_MAX];
static pthread_barrier_t begins;
static pthread_barrier_t ends;
static int n_threads;
static int n_moments;

static uint64_t draw(struct worker *w, uint64_t limit)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return w->random % limit;
}

static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "exact: %s\n", what);
    exit(1);
}

static uint64_t own_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

/* Mostly small ones, some of many pages, and some of nothing at all. */
static size_t draw_size(struct worker *w)
{
    switch (draw(w, 16)) {
    case 0:
        return (size_t)draw(w, 400000);
    case 1:
        return 0;
    default:
        return (size_t)draw(w, 2000);
    }
}

static void *allocate(struct worker *w, enum how how, size_t size)
{
    size_t alignment = (size_t)16 << draw(w, 9);
    void *address = NULL;

    switch (how) {
    case MALLOC:
    case REALLOC:
        return malloc(size);
    case CALLOC:
        return calloc(size, 1);
    case REALLOCARRAY:
        return reallocarray(NULL, size, 1);
    case ALIGNED:
        return aligned_alloc(alignment, size);
    case POSIX:
        require(posix_memalign(&address, alignment, size) == 0, "posix_memalign");
        return address;
    case MEMALIGN:
        return memalign(alignment, size);
    case VALLOC:
    case HOWS:
        break;
    }
    return valloc(size);
}

static void make(struct worker *w, struct block *block)
{
    enum how how = (enum how)draw(w, HOWS);
    size_t size = draw_size(w);

    /* What realloc starts with is another size. */
    block->address = how == REALLOC ? realloc(NULL, size) : allocate(w, how, size);
    require(block->address != NULL, "no memory");
    require(malloc_usable_size(block->address) >= size, "a block is too small");
    memset(block->address, 0x55, size);
    block->size = size;
    block->thread = own_id();
    block->how = how;
}

/* A block that moves belongs to the thread that moved it; the others keep their owner. */
static void resize(struct worker *w, struct block *block)
{
    size_t size = draw_size(w) + 1;
    uintptr_t before = (uintptr_t)block->address;
    void *address = draw(w, 2) == 0 ? realloc(block->address, size)
                                    : reallocarray(block->address, size, 1);

    require(address != NULL, "no memory");
    if ((uintptr_t)address != before)
        block->thread = own_id();
    block->address = address;
    block->size = size;
}

/* Impossible requests leave everything as it was. */
static void fail_to_resize(struct block *block)
{
    volatile size_t huge = SIZE_MAX / 4;

    require(realloc(block->address, huge) == NULL, "there was so much memory");
    require(reallocarray(block->address, huge, 16) == NULL, "there was so much memory");
    require(malloc(huge) == NULL && calloc(huge, 16) == NULL, "there was so much memory");
}

static void take_step(struct worker *w)
{
    struct block *block = &w->blocks[draw(w, BLOCKS)];
    uint64_t choice = draw(w, 16);

    if (block->address == NULL) {
        make(w, block);
    } else if (choice == 0) {
        fail_to_resize(block);
    } else if (choice < 6) {
        resize(w, block);
    } else if (choice == 6) {
        require(realloc(block->address, 0) == NULL, "realloc to nothing");
        block->address = NULL;
    } else {
        free(block->address);
        block->address = NULL;
    }
}

static void *work(void *context)
{
    struct worker *w = context;

    for (int moment = 0; moment < n_moments; moment++) {
        /* Each works on the blocks of another one, too: the thread that frees need not be
         * the one that allocated. */
        struct worker *other = &workers[(w->number + moment) % n_threads];

        pthread_barrier_wait(&begins);
        for (int i = 0; i < STEPS; i++)
            take_step(other);
        pthread_barrier_wait(&ends);
    }
    return NULL;
}

static void write_blocks(int file)
{
    require(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0, "file");
    for (int i = 0; i < n_threads; i++) {
        for (int j = 0; j < BLOCKS; j++) {
            const struct block *block = &workers[i].blocks[j];

            if (block->address != NULL)
                require(write(file, block, sizeof(*block)) == sizeof(*block), "file");
        }
    }
}

static void wait_for_reader(int file)
{
    char line[16];

    write_blocks(file);
    require(write(STDOUT_FILENO, "ready\n", 6) == 6, "standard output");
    require(read(STDIN_FILENO, line, sizeof(line)) > 0, "standard input");
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];
    int file;

    require(argc == 5, "exact SEED THREADS MOMENTS FILE");
    n_threads = atoi(argv[2]);
    n_moments = atoi(argv[3]);
    file = open(argv[4], O_RDWR | O_CREAT | O_TRUNC, 0600);
    require(n_threads > 0 && n_threads <= THREADS_MAX && file >= 0, "arguments");
    pthread_barrier_init(&begins, NULL, (unsigned)n_threads + 1);
    pthread_barrier_init(&ends, NULL, (unsigned)n_threads + 1);
    for (int i = 0; i < n_threads; i++) {
        workers[i].random = (uint64_t)atoi(argv[1]) * 1000003 + (uint64_t)i + 1;
        workers[i].number = i;
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    wait_for_reader(file);
    for (int moment = 0; moment < n_moments; moment++) {
        pthread_barrier_wait(&begins);
        pthread_barrier_wait(&ends);
        wait_for_reader(file);
    }
    for (int i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
