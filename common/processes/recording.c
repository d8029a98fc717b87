/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. */
#include "recording.h"

#include <string.h>
#include <time.h>

#include <fxt/fxt.h>
#include <fxt/sample.h>

#include "common/base/clock.h"
#include "process_forget.h"
#include "proc_read.h"
#include "proc_stat.h"

/* The kernel's half of the addresses begins here. */
#define UPPER_HALF ((uint64_t)1 << 63)

/* How often files of JIT compilers are looked for; how often there is a look at what can
 * be forgotten, and how long samples may take to get here. */
#define LOOK_NS ((uint64_t)500000000)
#define FORGET_NS ((uint64_t)5000000000)

/* ---- Code in no file --------------------------------------------------------------- */

static bool is_in_file(const struct process_table *table,
                       const struct process_entry *process, uint64_t pc)
{
    for (size_t i = process->n_mappings; i > 0; i--) {
        const struct process_mapping *mapping = &process->mappings[i - 1];

        if (pc - mapping->start < mapping->length)
            return table->files.all[mapping->file].n_code > 0;
    }
    return false;
}

/* Keeps the PCs that a JIT compiler may have names for: all, if it is known to name any.
 */
static void take_code(struct process_table *table, struct process_entry *process,
                      struct fxt_words pcs)
{
    if (process->jit_files != NULL && process->jit_files->n > 0) {
        sampled_code_add(&process->jit_files->code, pcs);
        return;
    }
    for (uint64_t i = 0; i < pcs.count; i++) {
        uint64_t pc = fxt_words_get(pcs, i);

        if (pc < UPPER_HALF && !is_in_file(table, process, pc))
            sampled_code_add_pc(&jit_files_of(&process->jit_files, process->id)->code,
                                pc);
    }
}

static void look_for_names(struct process_table *table)
{
    for (size_t i = 0; i < table->processes.n; i++)
        process_table_look_for_names(table, table->processes.all[i].id, LOOK_NS);
}

void recording_read_names(struct recording *r, bool all)
{
    struct process_table *table = &r->table;

    if (r->is_remote)
        return;
    kernel_names_find(&r->kernel_names, "", clock_ns(CLOCK_MONOTONIC), all);
    if (all)
        process_table_look_for_all_names(table);
    for (size_t i = 0; i < table->processes.n; i++) {
        struct jit_files *files = table->processes.all[i].jit_files;
        uint64_t now = clock_ns(CLOCK_MONOTONIC);

        if (!table->processes.all[i].is_sampled || files == NULL ||
            !(all || jit_files_are_due(files, now)))
            continue;
        jit_files_read(files);
        jit_files_set_read(files, now, clock_ns(CLOCK_MONOTONIC));
    }
}

/* ---- Scheduling -------------------------------------------------------------------- */

/* One that was never seen before is of a process that is not recorded, but may have woken
 * one that is. The idle thread has no name. */
static void take_thread(struct process_table *table, uint64_t id, bool is_remote)
{
    struct process_entry *thread;
    pid_t process;

    if (id == 0 || id > INT32_MAX)
        return;
    thread = process_table_thread(table, (pid_t)id);
    if (thread->is_named)
        return;
    thread->is_named = true;
    process = thread->process;
    if (process == 0 && !is_remote) {
        process = proc_status_process((pid_t)id);
        proc_read_thread(table, process, process);
        proc_read_thread(table, process, (pid_t)id);
        process_table_thread(table, (pid_t)id)->process = process;
    }
    if (process != 0)
        process_table_process(table, process)->is_named = true;
}

static void take_waker(struct process_table *table, const struct fxt_record *record,
                       bool is_remote)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (record->args[i].type == FXT_ARG_KOID)
            take_thread(table, record->args[i].value.koid, is_remote);
    }
}

static struct process_entry *take_stack(struct process_table *table,
                                        const struct fxt_record *record)
{
    struct fxt_thread ids = record->large_blob.thread;
    struct process_entry *thread = process_table_thread(table, (pid_t)ids.thread);
    struct process_entry *process;

    thread->process = (pid_t)ids.process;
    thread->is_sampled = true;
    process = process_table_process(table, (pid_t)ids.process);
    process->is_sampled = true;
    return process;
}

static bool is_text(struct fxt_string string, const char *text)
{
    return string.size == strlen(text) && memcmp(string.data, text, string.size) == 0;
}

static bool is_stack(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_LARGE && !record->unknown &&
           is_text(record->large_blob.category, "sched") &&
           (is_text(record->large_blob.name, "switch_out") ||
            is_text(record->large_blob.name, "waiting"));
}

/* Takes a record, if it is one of scheduling: its threads are to have names. If it is the
 * stack of a thread that is switched out, or waits, which needs all that a sample does,
 * returns its process, and stores its PCs; else returns NULL. */
static struct process_entry *take_scheduling(struct process_table *table,
                                             const struct fxt_record *record,
                                             bool is_remote, struct fxt_words *pcs)
{
    const struct fxt_bytes *payload = &record->large_blob.payload;

    if (record->type == FXT_RECORD_SCHEDULING &&
        record->kind == FXT_SCHEDULING_CONTEXT_SWITCH) {
        take_thread(table, record->scheduling.outgoing.thread, is_remote);
        take_thread(table, record->scheduling.incoming.thread, is_remote);
    } else if (record->type == FXT_RECORD_SCHEDULING &&
               record->kind == FXT_SCHEDULING_THREAD_WAKEUP) {
        take_thread(table, record->scheduling.waking_thread, is_remote);
        take_waker(table, record, is_remote);
    }
    if (!is_stack(record))
        return NULL;
    take_waker(table, record, is_remote);
    /* A thread that waits may have none. */
    if (payload->size == 0) {
        take_thread(table, record->large_blob.thread.thread, is_remote);
        return NULL;
    }
    *pcs = (struct fxt_words){.data = payload->data,
                              .count = payload->size / FXT_WORD_BYTES,
                              .swapped = record->swapped};
    return take_stack(table, record);
}

/* ---- Samples ----------------------------------------------------------------------- */

struct region_survey {
    struct recording *recording;
    struct filled_region *region;
};

static int survey_record(void *context, const struct fxt_record *record)
{
    const struct region_survey *survey = context;
    struct recording *r = survey->recording;
    struct process_table *table = &r->table;
    struct fxt_sample sample;
    struct fxt_words pcs;
    struct process_entry *entry;

    survey->region->used = record->offset + record->size;
    if (fxt_sample_from_record(record, &sample) != FXT_SAMPLE_STACK) {
        entry = take_scheduling(table, record, r->is_remote, &pcs);
        if (entry != NULL && !r->is_remote) {
            take_code(table, entry, pcs);
            kernel_names_take(&r->kernel_names, pcs);
        }
        return 0;
    }
    survey->region->n_samples++;
    entry = process_table_thread(table, (pid_t)sample.thread.thread);
    entry->is_sampled = true;
    entry->process = (pid_t)sample.thread.process;
    entry = process_table_process(table, (pid_t)sample.thread.process);
    entry->is_sampled = true;
    entry->is_in_kernel |= r->is_remote && r->kernel.n > 0;
    if (!r->is_remote)
        take_code(table, entry, sample.pcs);
    if (!r->is_remote || r->kernel.n > 0)
        kernel_names_take(&r->kernel_names, sample.pcs);
    stack_ends_add(&r->ends, table, &sample);
    return 0;
}

static int survey_error(void *context, const struct fxt_error *error)
{
    const struct region_survey *survey = context;

    survey->recording->n_damaged += error->severity >= FXT_ERROR;
    return 0;
}

static void survey_region(struct recording *r, struct filled_region *region)
{
    struct region_survey survey = {r, region};

    region->used = 0;
    region->n_samples = 0;
    filled_region_read(region, survey_record, survey_error, &survey);
    region->size = region->used;
    r->n_damaged +=
        region->n_reported != UINT64_MAX && region->n_reported != region->n_samples;
    r->n_samples += region->n_samples;
}

static bool has_kernel_code(const struct process_table *table)
{
    for (size_t i = 0; i < table->processes.n; i++) {
        if (table->processes.all[i].is_in_kernel)
            return true;
    }
    return false;
}

void recording_read_kernel(struct recording *r)
{
    r->has_read_kernel = true;
    kernel_modules_read(&r->kernel, "");
    kernel_names_read(&r->kernel_names, "", clock_ns(CLOCK_MONOTONIC));
}

void recording_add_block(struct recording *r, struct filled_regions *block)
{
    if (!r->is_remote)
        mapped_files_read(&r->table.files);
    for (size_t i = 0; i < block->n; i++)
        survey_region(r, &block->all[i]);
    if (r->is_remote)
        kernel_names_look_up(&r->kernel_names);
    if (r->is_remote || block->n == 0)
        return;
    look_for_names(&r->table);
    if (!r->has_read_kernel && has_kernel_code(&r->table))
        recording_read_kernel(r);
    recording_read_names(r, false);
}

void recording_start_archive(struct recording *r)
{
    process_table_start_archive(&r->table);
    kernel_names_start_archive(&r->kernel_names);
}

void recording_restart(struct recording *r)
{
    r->n_samples = 0;
    r->n_damaged = 0;
    stack_ends_free(&r->ends);
}

void recording_forget(struct recording *r, uint64_t keep_ns)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);

    if (r->is_remote || now - r->forgot_ns < FORGET_NS)
        return;
    r->forgot_ns = now;
    process_table_forget(&r->table, &r->ends, now, now - FORGET_NS - keep_ns);
}

/* ---- The whole --------------------------------------------------------------------- */

uint64_t recording_period(const struct recording *r)
{
    if (r->cpu_ns == 0 || r->n_of_cpu_ns == 0)
        return r->asked_period_ns;
    return (r->cpu_ns + r->n_of_cpu_ns / 2) / r->n_of_cpu_ns;
}
