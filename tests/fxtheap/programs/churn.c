/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that allocate and free as fast as they can, and publish how far they are, so
 * so that an observer knows how many blocks there can be.
 *
 *     churn THREADS ALLOCATIONS BLOCKS FILE
 *
 * Each of the threads makes ALLOCATIONS blocks, of which up to BLOCKS are live at a time.
 * FILE holds, for each thread, eight words: its id, blocks that it has begun and done to
 * allocate, begun and done to free, and bytes that it has done to allocate and begun to
 * free. The size of a block, less one, is a multiple of 64, plus the number of its
 * thread. With ALLOCATIONS 0 it continues for ever.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS_MAX = 16 };

struct progress {
    uint64_t thread;
    uint64_t begun;
    uint64_t done;
    uint64_t free_begun;
    uint64_t free_done;
    uint64_t bytes_done;
    uint64_t bytes_free_begun;
    uint64_t unused;
};

static struct progress *progress;
static uint64_t n_allocations;
static uint64_t n_blocks;
static pthread_barrier_t barrier;

/* In the order in which this thread does it. */
static void publish(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static void *work(void *context)
{
    struct progress *p = context;
    uint64_t number = (uint64_t)(p - progress);
    void **blocks = mmap(NULL, n_blocks * sizeof(*blocks), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t *sizes = mmap(NULL, n_blocks * sizeof(*sizes), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t random = number + 1;

    publish(&p->thread, (uint64_t)syscall(SYS_gettid));
    pthread_barrier_wait(&barrier);
    for (uint64_t i = 0; i < n_allocations || n_allocations == 0; i++) {
        uint64_t at = (random = random * 6364136223846793005 + 1) >> 33;
        uint64_t size = at % 8 * 64 + number + 1;

        at %= n_blocks;
        if (blocks[at] != NULL) {
            publish(&p->bytes_free_begun, p->bytes_free_begun + sizes[at]);
            publish(&p->free_begun, p->free_begun + 1);
            free(blocks[at]);
            publish(&p->free_done, p->free_done + 1);
        }
        publish(&p->begun, p->begun + 1);
        blocks[at] = malloc(size);
        sizes[at] = size;
        publish(&p->done, p->done + 1);
        publish(&p->bytes_done, p->bytes_done + size);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];
    unsigned n_threads = argc == 5 ? (unsigned)atoi(argv[1]) : 0;
    char line[16];
    int file;

    if (n_threads == 0 || n_threads > THREADS_MAX)
        return 2;
    n_allocations = strtoull(argv[2], NULL, 10);
    n_blocks = strtoull(argv[3], NULL, 10);
    file = open(argv[4], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, THREADS_MAX * sizeof(*progress)) != 0)
        return 1;
    progress = mmap(NULL, THREADS_MAX * sizeof(*progress), PROT_READ | PROT_WRITE,
                    MAP_SHARED, file, 0);
    pthread_barrier_init(&barrier, NULL, n_threads + 1);
    for (unsigned i = 0; i < n_threads; i++)
        pthread_create(&threads[i], NULL, work, &progress[i]);
    pthread_barrier_wait(&barrier);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6)
        return 1;
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    if (write(STDOUT_FILENO, "done\n", 5) != 5 ||
        read(STDIN_FILENO, line, sizeof(line)) < 0)
        return 1;
    return 0;
}
