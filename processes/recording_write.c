/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h: the records of an archive. */
#include "recording.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fxt/fxt.h>

/* Provider 1 is the recorder itself, and the CPUs follow. */
enum { OWN_PROVIDER = 1, FIRST_CPU_PROVIDER = 2, COMMAND_LINE_MAX = 16000 };

struct archive {
    struct memory_cleanup cleanup;
    const struct recording *recording;
    struct fxt_writer *writer;
};

/* ---- The recording ----------------------------------------------------------------- */

static void write_record(struct archive *a, const struct fxt_record *record)
{
    fxt_writer_write(a->writer, record);
}

static void write_provider(struct archive *a, uint32_t id, const char *name)
{
    process_records_provider(a->writer, id, name, a->recording->start);
}

static struct fxt_arg make_string(const char *name, const char *value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_STRING};

    arg.value.string = fxt_string_from(value);
    if (arg.value.string.size > COMMAND_LINE_MAX)
        arg.value.string.size = COMMAND_LINE_MAX;
    return arg;
}

static struct fxt_arg make_number(const char *name, uint64_t value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_UINT64};

    arg.value.uint64 = value;
    return arg;
}

/* Identifies this boot of this machine; empty if it is not known. */
static void read_boot_id(char *id, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    id[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(id, (int)size, file) == NULL)
        id[0] = '\0';
    id[strcspn(id, "\n")] = '\0';
    fclose(file);
}

static void write_recording(struct archive *a)
{
    const struct recording *r = a->recording;
    char boot_id[64] = "";
    struct fxt_arg args[9];
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};

    if (r->command_line != NULL)
        args[record.n_args++] = make_string("command_line", r->command_line);
    args[record.n_args++] = make_number("start_unix_ns", r->start.wall_ns);
    args[record.n_args++] = make_number("period_ns", r->period_ns);
    args[record.n_args++] = make_number("asked_period_ns", r->asked_period_ns);
    args[record.n_args++] = make_string("method", r->method);
    args[record.n_args++] = make_string("fxtrecord", fxt_version());
    if (!r->is_remote)
        read_boot_id(boot_id, sizeof(boot_id));
    if (boot_id[0] != '\0')
        args[record.n_args++] = make_string("boot_id", boot_id);
    if (r->period_cycles > 0)
        args[record.n_args++] = make_number("period_cycles", r->period_cycles);
    if (r->n_throttled > 0)
        args[record.n_args++] = make_number("throttled", r->n_throttled);
    record.event.timestamp = r->start.monotonic_ns;
    record.event.thread = fxt_thread_from((uint64_t)getpid(), (uint64_t)getpid());
    record.event.category = fxt_string_from("fxtrecord");
    record.event.name = fxt_string_from("recording");
    record.args = args;
    write_record(a, &record);
}

/* How the stacks ended, by reason: nothing where no sampler reports it. */
static void write_stack_ends(struct archive *a)
{
    const struct recording *r = a->recording;
    struct fxt_arg args[STACK_ENDS];
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};

    record.n_args = (uint32_t)stack_ends_args(&r->ends, args);
    if (record.n_args == 0 ||
        (record.n_args == 1 && r->ends.counts[FXT_STACK_END_UNKNOWN] > 0))
        return;
    record.event.timestamp = r->start.monotonic_ns;
    record.event.thread = fxt_thread_from((uint64_t)getpid(), (uint64_t)getpid());
    record.event.category = fxt_string_from("fxtrecord");
    record.event.name = fxt_string_from("stack_ends");
    record.args = args;
    write_record(a, &record);
}

/* ---- Modules ----------------------------------------------------------------------- */

/* It is not known at which address the kernel was linked: its modules' own addresses are
 * taken to be those at which they run. */
static void write_kernel(struct archive *a, struct module_writer *modules)
{
    const struct kernel_modules *kernel = &a->recording->kernel;

    for (size_t i = 0; i < kernel->n; i++) {
        const struct kernel_module *part = &kernel->all[i];

        process_records_module(modules, &part->file);
        process_records_mapping(
            modules, (struct module_mapping){part->start, part->length, part->start,
                                             FXT_MAPPING_READ | FXT_MAPPING_EXECUTE});
    }
}

static void write_modules(struct archive *a)
{
    const struct process_list *processes = &a->recording->table.processes;

    for (size_t i = 0; i < processes->n; i++) {
        const struct process_entry *process = &processes->all[i];
        struct module_writer modules = {a->writer, process->id,
                                        a->recording->start.monotonic_ns, 0};

        if (!process->is_sampled)
            continue;
        process_records_mappings(&modules, &a->recording->table, process);
        if (process->is_in_kernel)
            write_kernel(a, &modules);
    }
}

/* ---- Samples ----------------------------------------------------------------------- */

static int copy_record(void *context, const struct fxt_record *record)
{
    write_record(context, record);
    return 0;
}

static int ignore_error(void *context, const struct fxt_error *error)
{
    (void)context;
    (void)error;
    return 0;
}

static struct fxt_arg make_count(const char *name, uint64_t value)
{
    struct fxt_arg arg = make_number(name, value);

    if (value <= UINT32_MAX) {
        arg.type = FXT_ARG_UINT32;
        arg.value.uint32 = (uint32_t)value;
    }
    return arg;
}

/* In the form that fxt_sample_from_record recognises. */
static void write_drops(struct archive *a, const struct filled_region *region)
{
    struct fxt_arg args[8] = {
        make_count("num_records", region->dropped + region->lost),
        make_count("num_bytes", region->dropped_bytes),
    };
    struct fxt_record record = {.type = FXT_RECORD_EVENT,
                                .kind = FXT_EVENT_DURATION_COMPLETE};

    record.event.timestamp = region->first_drop;
    /* Both may come from another process, and be any numbers. */
    record.event.end_timestamp =
        region->last_drop > region->first_drop ? region->last_drop : region->first_drop;
    record.event.thread = fxt_thread_from(0, region->cpu);
    record.event.category = fxt_string_from("kernel:meta");
    record.event.name = fxt_string_from("drop_stats");
    record.n_args = 2;
    record.args = args;
    write_record(a, &record);
}

static void write_buffer_full(struct archive *a, uint32_t provider)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_EVENT};

    record.metadata.provider_id = provider;
    record.metadata.event = FXT_PROVIDER_BUFFER_FULL;
    write_record(a, &record);
}

static void write_region(struct archive *a, const struct filled_region *region,
                         bool has_samples)
{
    if (has_samples)
        filled_region_read(region, copy_record, ignore_error, a);
    if (region->dropped + region->lost > 0)
        write_drops(a, region);
    if (region->dropped > 0)
        write_buffer_full(a, FIRST_CPU_PROVIDER + region->cpu);
}

/* One provider for each CPU, whose region may be in several regions. */
static void write_cpus(struct archive *a, bool has_samples)
{
    const struct filled_regions *regions = &a->recording->regions;

    for (size_t i = 0; i < regions->n; i++) {
        uint32_t cpu = regions->all[i].cpu;
        char name[16];

        if (!filled_regions_is_first(regions, i))
            continue;
        snprintf(name, sizeof(name), "cpu%u", (unsigned)cpu);
        write_provider(a, FIRST_CPU_PROVIDER + cpu, name);
        for (size_t j = i; j < regions->n; j++) {
            if (regions->all[j].cpu == cpu)
                write_region(a, &regions->all[j], has_samples);
        }
    }
}

/* ---- The whole --------------------------------------------------------------------- */

static void write_all(struct archive *a, bool has_samples)
{
    fxt_writer_start_archive(a->writer, 0);
    write_provider(a, OWN_PROVIDER, a->recording->recorder);
    write_recording(a);
    write_stack_ends(a);
    process_records_names(a->writer, &a->recording->table);
    write_modules(a);
    write_cpus(a, has_samples);
}

static void release_writer(void *context)
{
    const struct archive *a = context;

    fxt_writer_destroy(a->writer);
}

enum fxt_code recording_write(const struct recording *recording, bool has_samples,
                              fxt_write_fn *write, void *context)
{
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = write,
                                         .context = context,
                                         .threads = FXT_REFERENCES_IN_LINE};
    struct archive *a = memory_allocate(sizeof(*a));
    enum fxt_code code;

    a->recording = recording;
    if (fxt_writer_create(&options, &a->writer) != FXT_OK)
        memory_fail(MEMORY_EXHAUSTED);
    memory_cleanup_add(&a->cleanup, release_writer, a);
    write_all(a, has_samples);
    code = fxt_writer_finish(a->writer);
    memory_cleanup_remove(&a->cleanup);
    release_writer(a);
    memory_release(a);
    return code;
}
