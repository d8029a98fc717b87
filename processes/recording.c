/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h: what is in the regions. */
#include "recording.h"

#include <sys/mman.h>

#include <fxt/sample.h>

/* The kernel's half of the addresses begins here. */
#define UPPER_HALF ((uint64_t)1 << 63)

struct region_survey {
    struct recording *recording;
    struct filled_region *region;
};

static int survey_record(void *context, const struct fxt_record *record)
{
    const struct region_survey *survey = context;
    struct process_table *table = &survey->recording->table;
    struct fxt_sample sample;
    struct process_entry *entry;

    survey->region->used = record->offset + record->size;
    if (fxt_sample_from_record(record, &sample) != FXT_SAMPLE_STACK)
        return 0;
    survey->region->n_samples++;
    entry = process_table_thread(table, (pid_t)sample.thread.thread);
    entry->is_sampled = true;
    entry->process = (pid_t)sample.thread.process;
    entry = process_table_process(table, (pid_t)sample.thread.process);
    entry->is_sampled = true;
    if (entry->jit_files != NULL && entry->jit_files->n > 0)
        sampled_code_add(&entry->jit_files->code, sample.pcs);
    entry->is_in_kernel =
        entry->is_in_kernel || fxt_words_get(sample.pcs, 0) >= UPPER_HALF;
    stack_ends_add(&survey->recording->ends, table, &sample);
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
    r->n_damaged +=
        region->n_reported != UINT64_MAX && region->n_reported != region->n_samples;
    r->n_samples += region->n_samples;
    r->n_dropped += region->dropped;
    r->n_lost += region->lost;
    r->n_unreported += region->is_unreported && filled_region_is_full(region);
}

static bool has_kernel_code(const struct process_table *table)
{
    for (size_t i = 0; i < table->processes.n; i++) {
        if (table->processes.all[i].is_in_kernel)
            return true;
    }
    return false;
}

/* The samples of all writers that have reported stand for the CPU time that was sampled,
 * and each for the same. */
static void find_period(struct recording *r)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->regions.n; i++) {
        const struct filled_region *region = &r->regions.all[i];

        if (!region->is_unreported)
            n += region->n_samples + region->dropped + region->lost;
    }
    r->period_ns = r->asked_period_ns;
    if (r->cpu_ns > 0 && n > 0)
        r->period_ns = (r->cpu_ns + n / 2) / n;
}

/* The last moment to look for files of processes that still run, whether or not they are
 * known to have code of a JIT compiler. */
static void prepare_names(struct process_table *table)
{
    for (size_t i = 0; i < table->processes.n; i++)
        process_table_expect_names(table, table->processes.all[i].id);
    process_table_look_for_all_names(table);
    for (size_t i = 0; i < table->processes.n; i++)
        sampled_code_free(&table->processes.all[i].jit_files->code);
}

static void read_names(struct process_table *table)
{
    for (size_t i = 0; i < table->processes.n; i++) {
        const struct process_entry *process = &table->processes.all[i];

        if (process->is_sampled && process->jit_files != NULL)
            jit_files_read(process->jit_files);
    }
}

void recording_survey(struct recording *r)
{
    r->n_samples = 0;
    r->n_damaged = 0;
    r->n_dropped = 0;
    r->n_lost = 0;
    r->n_unreported = 0;
    stack_ends_free(&r->ends);
    if (!r->is_remote)
        prepare_names(&r->table);
    for (size_t i = 0; i < r->regions.n; i++)
        survey_region(r, &r->regions.all[i]);
    find_period(r);
    if (r->is_remote)
        return;
    read_names(&r->table);
    process_table_need_files(&r->table);
    mapped_files_read(&r->table.files);
    if (r->kernel.n == 0 && has_kernel_code(&r->table))
        kernel_modules_read(&r->kernel, "");
}

void recording_free(struct recording *r)
{
    for (size_t i = 0; i < r->regions.n; i++) {
        const struct filled_region *region = &r->regions.all[i];

        if (region->is_mapped)
            munmap((void *)(uintptr_t)region->data, (size_t)region->size);
    }
    memory_release(r->regions.all);
    r->regions = (struct filled_regions){0};
    process_table_free(&r->table);
    kernel_modules_free(&r->kernel);
    stack_ends_free(&r->ends);
}
