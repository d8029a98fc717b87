/* SPDX-License-Identifier: BSD-2-Clause */
/* See session_events.h. */
#include "session_events.h"

#include <pthread.h>

#include "processes/proc_read.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add_mapping(struct process_table *table,
                        const struct fxt_sampler_event *event)
{
    process_table_map(table, &(struct file_mapping){
                                 .process = event->process,
                                 .start = event->start,
                                 .length = event->length,
                                 .offset = event->offset,
                                 .flags = event->flags,
                                 .identity = {event->device_major, event->device_minor,
                                              event->inode, event->inode_generation},
                                 .name = event->name,
                                 .build_id = event->build_id,
                                 .build_id_size = event->build_id_size,
                             });
}

void session_events_take(void *context, const struct fxt_sampler_event *event)
{
    struct process_table *table = context;

    pthread_mutex_lock(&lock);
    switch (event->kind) {
    case FXT_SAMPLER_NAMED:
    case FXT_SAMPLER_EXECUTED:
        process_table_rename(table, event->process, event->thread, event->name,
                             event->kind == FXT_SAMPLER_EXECUTED, event->time_ns);
        break;
    case FXT_SAMPLER_FORKED:
        process_table_fork(table,
                           (struct process_fork){event->process, event->thread,
                                                 event->parent, event->parent_thread},
                           event->time_ns);
        break;
    case FXT_SAMPLER_MAPPED:
        add_mapping(table, event);
        break;
    }
    pthread_mutex_unlock(&lock);
}

void session_events_read_process(struct process_table *table, pid_t process)
{
    pthread_mutex_lock(&lock);
    proc_read_process(table, process);
    pthread_mutex_unlock(&lock);
}

void session_events_read_system(struct process_table *table)
{
    pid_t *processes;
    size_t n = proc_read_list(&processes);

    for (size_t i = 0; i < n; i++)
        session_events_read_process(table, processes[i]);
    memory_release(processes);
}
