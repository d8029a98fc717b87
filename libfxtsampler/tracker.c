/* SPDX-License-Identifier: BSD-2-Clause */
/* See tracker.h. */
#include "tracker.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/processes/proc_read.h"
#include "common/processes/proc_stat.h"

/* A JIT compiler maps code often, and the first time before it names any. */
enum { NS_BETWEEN_LOOKS = 20000000 };

struct tracker {
    pthread_mutex_t lock;
    struct memory_pool *pool;
    struct recording recording;
    bool has_failed;
};

struct tracker *tracker_create(uint64_t max_bytes)
{
    struct tracker *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->pool = memory_pool_create(max_bytes < SIZE_MAX ? (size_t)max_bytes : SIZE_MAX);
    if (t->pool == NULL) {
        free(t);
        return NULL;
    }
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void tracker_destroy(struct tracker *t)
{
    if (t == NULL)
        return;
    memory_pool_destroy(t->pool);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void tracker_forget(struct tracker *t)
{
    if (t == NULL)
        return;
    /* Another thread of the parent was changing it: what the child has of it cannot be
     * used, not even to free it. */
    if (pthread_mutex_trylock(&t->lock) != 0)
        return;
    pthread_mutex_unlock(&t->lock);
    tracker_destroy(t);
}

/* ---- Running ----------------------------------------------------------------------- */

struct tracker_call {
    tracker_fn *run;
    void *context;
    struct recording *recording;
};

static void run_call(void *context)
{
    const struct tracker_call *call = context;

    call->run(call->context, call->recording);
}

bool tracker_run(struct tracker *t, tracker_fn *run, void *context)
{
    struct tracker_call call = {run, context, &t->recording};
    bool good;

    pthread_mutex_lock(&t->lock);
    if (!t->has_failed)
        t->has_failed = memory_run(t->pool, run_call, &call) != NULL;
    good = !t->has_failed;
    pthread_mutex_unlock(&t->lock);
    return good;
}

/* ---- Events ------------------------------------------------------------------------ */

struct file_mapping tracker_mapping(const struct fxt_sampler_event *event)
{
    return (struct file_mapping){
        .process = event->process,
        .start = event->start,
        .length = event->length,
        .offset = event->offset,
        .flags = event->flags,
        .identity = {event->device_major, event->device_minor, event->inode,
                     event->inode_generation},
        .name = event->name,
        .build_id = event->build_id,
        .build_id_size = event->build_id_size,
        .since_ns = event->time_ns,
    };
}

static void add_event(void *context, struct recording *recording)
{
    const struct fxt_sampler_event *event = context;
    struct process_table *table = &recording->table;
    struct file_mapping mapping;

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
        mapping = tracker_mapping(event);
        process_table_map(table, &mapping);
        process_table_look_for_names(table, event->process, NS_BETWEEN_LOOKS);
        break;
    }
}

void tracker_take_event(struct tracker *t, const struct fxt_sampler_event *event)
{
    struct fxt_sampler_event copy = *event;

    tracker_run(t, add_event, &copy);
}

static void note_kernel(void *context, struct recording *recording)
{
    const pid_t *process = context;

    process_table_process(&recording->table, *process)->is_in_kernel = true;
}

void tracker_take_kernel(struct tracker *t, pid_t process)
{
    if (t != NULL)
        tracker_run(t, note_kernel, &process);
}

static void read_code(void *context, struct recording *recording)
{
    const pid_t *process = context;

    proc_read_code(&recording->table, *process);
}

void tracker_read_code(struct tracker *t, pid_t process)
{
    if (t != NULL)
        tracker_run(t, read_code, &process);
}

static void look_for_names(void *context, struct recording *recording)
{
    (void)context;
    process_table_look_for_all_names(&recording->table);
}

void tracker_look_for_names(struct tracker *t)
{
    if (t != NULL)
        tracker_run(t, look_for_names, NULL);
}

/* ---- /proc ------------------------------------------------------------------------- */

struct tracker_read {
    pid_t process;
    pid_t thread;
    pid_t *processes;
    size_t n;
};

static bool is_child(pid_t process)
{
    siginfo_t unused;

    return waitid(P_PID, (id_t)process, &unused, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* A child of this process that has not called exec is usually about to. What it is until
 * then, a copy of this process, is not recorded, unless it never does. */
static void read_process(void *context, struct recording *recording)
{
    const struct tracker_read *read = context;
    bool is_copy = is_child(read->process) && !proc_read_has_executed(read->process);

    process_table_process(&recording->table, read->process)->is_copy = is_copy;
    if (!is_copy)
        proc_read_process(&recording->table, read->process);
    /* Of all processes there may be more files than may be open. */
    mapped_files_read(&recording->table.files);
}

static void read_process_of_thread(void *context, struct recording *recording)
{
    const struct tracker_read *read = context;
    struct process_table *table = &recording->table;
    pid_t process = proc_status_process(read->thread);

    proc_read_thread(table, process, process);
    proc_read_thread(table, process, read->thread);
    proc_read_code(table, process);
}

static void read_thread(void *context, struct recording *recording)
{
    const struct tracker_read *read = context;

    proc_read_thread(&recording->table, read->process, read->thread);
}

static void list_processes(void *context, struct recording *recording)
{
    struct tracker_read *read = context;

    (void)recording;
    read->n = proc_read_list(&read->processes);
}

static void release_list(void *context, struct recording *recording)
{
    const struct tracker_read *read = context;

    (void)recording;
    memory_release(read->processes);
}

/* One after the other, so that events need not wait for all of them. */
static void read_system(struct tracker *t)
{
    struct tracker_read all = {0};

    if (!tracker_run(t, list_processes, &all))
        return;
    for (size_t i = 0; i < all.n; i++)
        tracker_run(t, read_process, &(struct tracker_read){.process = all.processes[i]});
    tracker_run(t, release_list, &all);
}

void tracker_read_target(struct tracker *t, enum fxt_sampler_target target, pid_t id)
{
    switch (target) {
    case FXT_SAMPLER_THREAD:
        tracker_run(t, read_process_of_thread, &(struct tracker_read){.thread = id});
        break;
    case FXT_SAMPLER_PROCESS:
        tracker_run(t, read_process, &(struct tracker_read){.process = id});
        break;
    case FXT_SAMPLER_SYSTEM:
    case FXT_SAMPLER_CGROUP:
        read_system(t);
        break;
    }
}

struct tracker_label {
    pid_t thread;
    const char *label;
    bool is_there;
};

static void label_thread(void *context, struct recording *recording)
{
    struct tracker_label *call = context;
    struct process_table *table = &recording->table;
    pid_t process = proc_status_process(call->thread);
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    char name[PROC_READ_NAME_SIZE];

    call->is_there = proc_read_name(process, call->thread, name);
    if (!call->is_there)
        return;
    process_table_label(table, process, call->thread, call->label, now);
    if (call->label == NULL)
        process_table_name_thread(table, process, call->thread, name, now);
}

bool tracker_label(struct tracker *t, pid_t thread, const char *label)
{
    struct tracker_label call = {thread, label, true};

    return tracker_run(t, label_thread, &call) && call.is_there;
}

static void complete_copies(void *context, struct recording *recording)
{
    struct process_table *table = &recording->table;
    pid_t self = getpid();

    (void)context;
    for (size_t i = 0; i < table->processes.n; i++) {
        if (table->processes.all[i].is_copy) {
            proc_read_process(table, self);
            process_table_complete_copies(table, self);
            return;
        }
    }
}

void tracker_complete(struct tracker *t)
{
    tracker_run(t, complete_copies, NULL);
}

void tracker_read_thread(struct tracker *t, pid_t process, pid_t thread)
{
    tracker_run(t, read_thread,
                &(struct tracker_read){.process = process, .thread = thread});
}
