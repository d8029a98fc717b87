/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which processes and threads a session samples, if its events are those of CPUs: they
 * sample everything, and what belongs to no target is dropped. Children of the processes
 * are added as the kernel reports forks.
 */
#ifndef LIBFXTSAMPLER_PERF_TREE_H
#define LIBFXTSAMPLER_PERF_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fxt/sampler.h>

struct perf_tree_entry {
    /* Of a process or a thread; 0 is an empty slot. */
    pid_t id;
    /* A process that is sampled with all its threads. */
    bool is_process;
    /* A thread that is sampled individually. */
    bool is_thread;
    /* How many such threads a process has: what it maps has to be known. */
    uint32_t n_threads;
    /* The main thread of the process has ended; others may still run. */
    bool has_no_leader;
};

/* All zero is empty. */
struct perf_tree {
    struct perf_tree_entry *slots;
    /* A power of two. */
    size_t n_slots;
    size_t n_used;
};

/* These return false if there is no memory. */
bool perf_tree_add_process(struct perf_tree *tree, pid_t process);
bool perf_tree_add_thread(struct perf_tree *tree, pid_t process, pid_t thread);

void perf_tree_remove_process(struct perf_tree *tree, pid_t process);
void perf_tree_remove_thread(struct perf_tree *tree, pid_t process, pid_t thread);

/* Whether a process belongs to it with all its threads; whether samples of a thread are
 * wanted; and events of a process. */
bool perf_tree_has_process(const struct perf_tree *tree, pid_t process);
bool perf_tree_has(const struct perf_tree *tree, pid_t process, pid_t thread);
bool perf_tree_observes(const struct perf_tree *tree, pid_t process);

/* Takes a FORK record: a process belongs to the tree if its parent does, even if an older
 * one with the same id did not. Returns false if there is no memory. */
bool perf_tree_fork(struct perf_tree *tree, const struct fxt_sampler_event *fork);

/* Takes an EXIT record. */
void perf_tree_exit(struct perf_tree *tree, pid_t process, pid_t thread);

/* Adds children that its processes have now: forks may have been lost. Returns false if
 * there is no memory. */
bool perf_tree_read(struct perf_tree *tree);

/* Removes processes that have ended: while only the tree's own forks are reported, their
 * ids may be used again unnoticed. */
void perf_tree_remove_ended(struct perf_tree *tree);

void perf_tree_free(struct perf_tree *tree);

#endif
