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

struct embed_archive {
    char *path;
    /* See file_lock.h; -1 if it has none. */
    int lock;
};

/* All zero is an empty one. */
struct embed_queue {
    const struct record_options *options;
    /* Those that were not begun. */
    struct embed_archive *archives;
    size_t n;
    size_t capacity;
    /* 0 for none; and the archive that it is about. */
    pid_t child;
    struct embed_archive current;
    /* The CPU time of all children that have ended. */
    uint64_t used_ns;
    bool has_failed;
};

/* Adds an archive, which is complete, and has a lock until it has its symbols. */
void embed_queue_add(struct embed_queue *queue, const char *path);

/* Begins with the next archive, if there is no child. Never waits. */
void embed_queue_step(struct embed_queue *queue);

/* Waits until all archives have their symbols, or until one of these signals, which are
 * blocked, but for SIGCHLD. Returns false if any archive lacks its symbols, which was
 * reported. */
bool embed_queue_finish(struct embed_queue *queue, const sigset_t *signals);

/* Waits for the child, if there is one. */
void embed_queue_wait(struct embed_queue *queue);

/* ---- One archive ------------------------------------------------------------------- */

struct embed_settings {
    /* Of stacks where threads were switched out, too. */
    bool has_off_cpu;
    /* Request what is missing from debuginfod servers. */
    bool uses_debuginfod;
    /* The archive is compressed by zstd. */
    bool is_compressed;
    /* Report what was not found, and downloads. */
    bool reports_missing;
    /* The archive may be removed before this, which is no failure. */
    bool may_be_removed;
};

/* Adds to an archive, which is complete, the functions, source files, lines and inlined
 * calls at the addresses that it has, so that the recorded files are not needed to
 * understand it; if that fails, it stays as it was. Reports failures and returns
 * false. */
bool embed_symbols(const char *path, const struct embed_settings *settings);

#endif
