/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of processes: their names, their threads' names, and what they have
 * mapped. From /proc for what was there before, from the session's events for what
 * happens meanwhile.
 */
#ifndef FXTRECORD_BOOK_H
#define FXTRECORD_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/sampler.h>

#include "images.h"

struct book_mapping {
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint32_t flags;
    uint32_t image;
};

/* A name, and since when; 0 where that is not known. */
struct book_name {
    char *name;
    uint64_t since_ns;
};

/* A thread, or a process, which is known by the id of its first thread. */
struct book_entry {
    pid_t id;
    /* Of a thread: its process. 0 where that is not known. */
    pid_t process;
    /* In the order of time. */
    struct book_name *names;
    size_t n_names;
    size_t name_capacity;
    /* It is in some sample, and so is kernel code of it. */
    bool is_sampled;
    bool is_in_kernel;
    /* Processes. */
    struct book_mapping *mappings;
    size_t n_mappings;
    size_t mapping_capacity;
};

struct book_list {
    struct book_entry *all;
    size_t n;
    size_t capacity;
    struct table table;
};

/* All zero is an empty one. */
struct book {
    struct book_list processes;
    struct book_list threads;
    struct images images;
};

/* What there is of that id; a new entry if there is none. Valid until the next one. */
struct book_entry *book_process(struct book *book, pid_t id);
struct book_entry *book_thread(struct book *book, pid_t id);

/* Names a thread, or a process: from a time on, or in place of the last name if that has
 * the same time. A process has the name of its program, whatever its first thread is
 * called. */
void book_name_thread(struct book *book, pid_t process, pid_t thread, const char *name,
                      uint64_t since_ns);
void book_name_process(struct book *book, pid_t process, const char *name,
                       uint64_t since_ns);

void book_map(struct book *book, const struct mapped *mapped);

/* An fxt_sampler_event_fn; the context is the book. It may be called while another thread
 * is in one of the functions below that read processes. */
void book_take_event(void *context, const struct fxt_sampler_event *event);

/* Adds what a line of /proc/PID/maps says of a process. The line is changed. */
void book_take_maps_line(struct book *book, pid_t process, char *line);

/* Adds what a file like /proc/PID/maps says of a process. False if it cannot be read. */
bool book_read_maps(struct book *book, pid_t process, const char *path);

/* Adds what /proc says of a process, its threads, and what it has mapped; and of all
 * processes. Threads that have a name have had the new one since they got that; a process
 * that has one keeps it. */
void book_read_process(struct book *book, pid_t process);
void book_read_system(struct book *book);

void book_free(struct book *book);

#endif
