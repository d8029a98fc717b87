/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The archives whose symbols are to be embedded. That takes seconds where programs are
 * large, and must not keep samples waiting: it is done by a child process, for one
 * archive after the other.
 */
#ifndef FXTRECORD_EMBED_QUEUE_H
#define FXTRECORD_EMBED_QUEUE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record_options.h"

/* All zero is an empty one. */
struct embed_queue {
    const struct record_options *options;
    /* Those that were not begun. */
    char **paths;
    size_t n;
    size_t capacity;
    /* 0 for none. */
    pid_t child;
    /* The CPU time of all children that have ended. */
    uint64_t used_ns;
    bool has_failed;
};

/* Adds an archive, which is complete. */
void embed_queue_add(struct embed_queue *queue, const char *path);

/* Begins with the next archive, if there is no child. Never waits. */
void embed_queue_step(struct embed_queue *queue);

/* Waits until all archives have their symbols, or until one of these signals, which are
 * blocked, but for SIGCHLD. Returns false if any archive lacks its symbols, which was
 * reported. */
bool embed_queue_finish(struct embed_queue *queue, const sigset_t *signals);

void embed_queue_free(struct embed_queue *queue);

#endif
