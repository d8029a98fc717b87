/* SPDX-License-Identifier: BSD-2-Clause */
/* See read_ahead.h. */
#include "read_ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/parallel.h"

/* Large enough that waking a thread for each costs nothing, and few enough that they stay
 * in a processor's cache until they are taken. */
enum { PIECE = 1 << 17, N_PIECES = 4 };

struct ahead_piece {
    /* Less than it could be in the last one only. */
    size_t size;
    unsigned char bytes[PIECE];
};

struct read_ahead {
    read_ahead_fn *read;
    void *context;
    pthread_t thread;
    /* Guards the counts and is_stopped. A piece belongs to the thread that reads until it
     * is counted as read, and to it again when it is counted as taken. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t n_read;
    size_t n_taken;
    bool is_stopped;
    /* How much of the next piece was taken. */
    size_t pos;
    struct ahead_piece pieces[N_PIECES];
};

static void count_one(struct read_ahead *ahead, size_t *count)
{
    pthread_mutex_lock(&ahead->lock);
    ++*count;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
}

static bool await_room(struct read_ahead *ahead)
{
    bool has_room;

    pthread_mutex_lock(&ahead->lock);
    while (ahead->n_read - ahead->n_taken == N_PIECES && !ahead->is_stopped)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    has_room = !ahead->is_stopped;
    pthread_mutex_unlock(&ahead->lock);
    return has_room;
}

static void await_piece(struct read_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    while (ahead->n_read == ahead->n_taken)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
}

static void fill_piece(const struct read_ahead *ahead, struct ahead_piece *piece)
{
    size_t n = 1;

    piece->size = 0;
    while (n > 0 && piece->size < PIECE) {
        n = ahead->read(ahead->context, piece->bytes + piece->size, PIECE - piece->size);
        piece->size += n;
    }
}

static void *read_pieces(void *argument)
{
    struct read_ahead *ahead = argument;
    size_t size = PIECE;

    while (size == PIECE && await_room(ahead)) {
        struct ahead_piece *piece = &ahead->pieces[ahead->n_read % N_PIECES];

        fill_piece(ahead, piece);
        size = piece->size;
        count_one(ahead, &ahead->n_read);
    }
    return NULL;
}

static void release_ahead(struct read_ahead *ahead)
{
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    memory_release(ahead);
}

struct read_ahead *read_ahead_start(read_ahead_fn *read, void *context)
{
    struct read_ahead *ahead = memory_reserve(sizeof(*ahead));

    ahead->read = read;
    ahead->context = context;
    ahead->n_read = 0;
    ahead->n_taken = 0;
    ahead->is_stopped = false;
    ahead->pos = 0;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    if (parallel_start(&ahead->thread, read_pieces, ahead))
        return ahead;
    release_ahead(ahead);
    return NULL;
}

void read_ahead_stop(struct read_ahead *ahead)
{
    if (ahead == NULL)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->is_stopped = true;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    release_ahead(ahead);
}

size_t read_ahead_read(struct read_ahead *ahead, void *to, size_t size)
{
    const struct ahead_piece *piece = &ahead->pieces[ahead->n_taken % N_PIECES];
    size_t n;

    await_piece(ahead);
    n = piece->size - ahead->pos < size ? piece->size - ahead->pos : size;
    memcpy(to, piece->bytes + ahead->pos, n);
    ahead->pos += n;
    /* The last one stays, and is the end. */
    if (ahead->pos == PIECE) {
        ahead->pos = 0;
        count_one(ahead, &ahead->n_taken);
    }
    return n;
}
