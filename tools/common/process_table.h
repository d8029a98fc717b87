/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of processes: their names, their threads' names, and what they have
 * mapped. From /proc for what was there before, from the session's events for what
 * happens meanwhile.
 */
#ifndef COMMON_PROCESS_TABLE_H
#define COMMON_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/sampler.h>

#include "images.h"

struct process_table_mapping {
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint32_t flags;
    uint32_t image;
};

/* A name, and since when; 0 where that is not known. */
struct process_table_name {
    char *name;
    uint64_t since_ns;
};

/* A thread, or a process, which is known by the id of its first thread. */
struct process_table_entry {
    pid_t id;
    /* Of a thread: its process. 0 where that is not known. */
    pid_t process;
    /* In the order of time. */
    struct process_table_name *names;
    size_t n_names;
    size_t name_capacity;
    /* It is in some sample, and so is kernel code of it. */
    bool is_sampled;
    bool is_in_kernel;
    /* Processes. */
    struct process_table_mapping *mappings;
    size_t n_mappings;
    size_t mapping_capacity;
};

struct process_table_list {
    struct process_table_entry *all;
    size_t n;
    size_t capacity;
    struct table table;
};

/* All zero is an empty one. */
struct process_table {
    struct process_table_list processes;
    struct process_table_list threads;
    struct images images;
};

/* What there is of that id; a new entry if there is none. Valid until the next one. */
struct process_table_entry *process_table_process(struct process_table *book, pid_t id);
struct process_table_entry *process_table_thread(struct process_table *book, pid_t id);

/* Names a thread, or a process: from a time on, or in place of the last name if that has
 * the same time. A process has the name of its program, whatever its first thread is
 * called. */
void process_table_name_thread(struct process_table *book, pid_t process, pid_t thread,
                               const char *name, uint64_t since_ns);
void process_table_name_process(struct process_table *book, pid_t process,
                                const char *name, uint64_t since_ns);

void process_table_map(struct process_table *book, const struct mapped *mapped);

/* An fxt_sampler_event_fn; the context is the book. It may be called while another thread
 * is in one of the functions below that read processes. */
void process_table_take_event(void *context, const struct fxt_sampler_event *event);

/* Adds what a line of /proc/PID/maps says of a process. The line is changed. */
void process_table_take_maps_line(struct process_table *book, pid_t process, char *line);

/* Adds what a file like /proc/PID/maps says of a process. False if it cannot be read. */
bool process_table_read_maps(struct process_table *book, pid_t process, const char *path);

/* Adds what /proc says of a process, its threads, and what it has mapped; and of all
 * processes. Threads that have a name have had the new one since they got that; a process
 * that has one keeps it. */
void process_table_read_process(struct process_table *book, pid_t process);
void process_table_read_system(struct process_table *book);

void process_table_free(struct process_table *book);

#endif
