/* SPDX-License-Identifier: BSD-2-Clause */
/* See archive.h. */
#include "archive.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fxt/fxt.h>

#include "processes/process_records.h"
#include "base/io/output.h"

/* Provider 1 is the recorder itself, and the CPUs follow. */
enum { OWN_PROVIDER = 1, FIRST_CPU_PROVIDER = 2, COMMAND_LINE_MAX = 16000 };

struct archive {
    const struct recording *recording;
    struct fxt_writer *writer;
    struct output *output;
};

/* ---- What stands at the beginning -------------------------------------------------- */

static void put(struct archive *a, const struct fxt_record *record)
{
    fxt_writer_write(a->writer, record);
}

static void put_provider(struct archive *a, uint32_t id, const char *name)
{
    process_records_provider(a->writer, id, name,
                             (struct clock_readings){a->recording->start_monotonic_ns,
                                                     a->recording->start_wall_ns});
}

static struct fxt_arg string_arg(const char *name, const char *value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_STRING};

    arg.value.string = fxt_string_from(value);
    if (arg.value.string.size > COMMAND_LINE_MAX)
        arg.value.string.size = COMMAND_LINE_MAX;
    return arg;
}

static struct fxt_arg number_arg(const char *name, uint64_t value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_UINT64};

    arg.value.uint64 = value;
    return arg;
}

/* What tells this boot of this machine from any other; empty if it is not known. */
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

static void put_recording(struct archive *a)
{
    const struct recording *r = a->recording;
    char boot_id[64] = "";
    struct fxt_arg args[9] = {
        string_arg("command_line", r->command_line),
        number_arg("start_unix_ns", r->start_wall_ns),
        number_arg("period_ns", r->period_ns),
        number_arg("asked_period_ns", r->asked_period_ns),
        string_arg("method", r->method),
        string_arg("fxtrecord", fxt_version()),
    };
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};

    record.n_args = 6;
    if (!r->is_remote)
        read_boot_id(boot_id, sizeof(boot_id));
    if (boot_id[0] != '\0')
        args[record.n_args++] = string_arg("boot_id", boot_id);
    if (r->period_cycles > 0)
        args[record.n_args++] = number_arg("period_cycles", r->period_cycles);
    if (r->counts.throttled > 0)
        args[record.n_args++] = number_arg("throttled", r->counts.throttled);
    record.event.timestamp = r->start_monotonic_ns;
    record.event.thread = fxt_thread_from((uint64_t)getpid(), (uint64_t)getpid());
    record.event.category = fxt_string_from("fxtrecord");
    record.event.name = fxt_string_from("recording");
    record.args = args;
    put(a, &record);
}

/* How the stacks ended, by reason: nothing where the sampler does not say. */
static void put_stack_ends(struct archive *a)
{
    const struct recording *r = a->recording;
    struct fxt_arg args[STACK_ENDS];
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};

    record.n_args = (uint32_t)stack_ends_args(&r->ends, args);
    if (record.n_args == 0 ||
        (record.n_args == 1 && r->ends.counts[FXT_STACK_END_UNKNOWN] > 0))
        return;
    record.event.timestamp = r->start_monotonic_ns;
    record.event.thread = fxt_thread_from((uint64_t)getpid(), (uint64_t)getpid());
    record.event.category = fxt_string_from("fxtrecord");
    record.event.name = fxt_string_from("stack_ends");
    record.args = args;
    put(a, &record);
}

/* ---- Modules ----------------------------------------------------------------------- */

/* Which address the kernel was linked at is not known, so that its own addresses are
 * taken for those at which it runs. */
static void put_kernel(struct archive *a, struct module_writer *modules)
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

static void put_modules(struct archive *a)
{
    const struct process_list *processes = &a->recording->table.processes;

    for (size_t i = 0; i < processes->n; i++) {
        const struct process_entry *process = &processes->all[i];
        struct module_writer modules = {a->writer, process->id,
                                        a->recording->start_monotonic_ns, 0};

        if (!process->is_sampled)
            continue;
        process_records_mappings(&modules, &a->recording->table, process);
        if (process->is_in_kernel)
            put_kernel(a, &modules);
    }
}

/* ---- Samples ----------------------------------------------------------------------- */

static int copy_record(void *context, const struct fxt_record *record)
{
    put(context, record);
    return 0;
}

static int ignore_error(void *context, const struct fxt_error *error)
{
    (void)context;
    (void)error;
    return 0;
}

static struct fxt_arg count_arg(const char *name, uint64_t value)
{
    struct fxt_arg arg = number_arg(name, value);

    if (value <= UINT32_MAX) {
        arg.type = FXT_ARG_UINT32;
        arg.value.uint32 = (uint32_t)value;
    }
    return arg;
}

/* In the shape that fxt_sample_from_record knows. */
static void put_drops(struct archive *a, const struct filled_region *piece)
{
    struct fxt_arg args[8] = {
        count_arg("num_records", piece->dropped + piece->lost),
        count_arg("num_bytes", piece->dropped_bytes),
    };
    struct fxt_record record = {.type = FXT_RECORD_EVENT,
                                .kind = FXT_EVENT_DURATION_COMPLETE};

    record.event.timestamp = piece->first_drop;
    /* Both are numbers of another process, which can be anything. */
    record.event.end_timestamp =
        piece->last_drop > piece->first_drop ? piece->last_drop : piece->first_drop;
    record.event.thread = fxt_thread_from(0, piece->cpu);
    record.event.category = fxt_string_from("kernel:meta");
    record.event.name = fxt_string_from("drop_stats");
    record.n_args = 2;
    record.args = args;
    put(a, &record);
}

static void put_buffer_full(struct archive *a, uint32_t provider)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_EVENT};

    record.metadata.provider_id = provider;
    record.metadata.event = FXT_PROVIDER_BUFFER_FULL;
    put(a, &record);
}

static void put_piece(struct archive *a, const struct filled_region *piece,
                      bool has_samples)
{
    if (has_samples)
        piece_read(piece, copy_record, ignore_error, a);
    if (piece->dropped + piece->lost > 0)
        put_drops(a, piece);
    if (piece->dropped > 0)
        put_buffer_full(a, FIRST_CPU_PROVIDER + piece->cpu);
}

/* One provider for each CPU, whose region may be in several pieces. */
static void put_cpus(struct archive *a, bool has_samples)
{
    const struct filled_regions *pieces = &a->recording->pieces;

    for (size_t i = 0; i < pieces->n; i++) {
        uint32_t cpu = pieces->all[i].cpu;
        struct text name = {NULL, 0, 0};

        if (!filled_regions_is_first(pieces, i))
            continue;
        text_printf(&name, "cpu%u", (unsigned)cpu);
        text_char(&name, '\0');
        put_provider(a, FIRST_CPU_PROVIDER + cpu, name.data);
        text_free(&name);
        for (size_t j = i; j < pieces->n; j++) {
            if (pieces->all[j].cpu == cpu)
                put_piece(a, &pieces->all[j], has_samples);
        }
    }
}

/* ---- The whole --------------------------------------------------------------------- */

static int write_bytes(void *context, const void *data, size_t size)
{
    struct output *output = context;

    output_write(output, data, size);
    return output_failed(output);
}

static enum fxt_code put_all(struct archive *a, bool has_samples)
{
    const struct process_table *table = &a->recording->table;

    fxt_writer_start_archive(a->writer, 0);
    put_provider(a, OWN_PROVIDER, "fxtrecord");
    put_recording(a);
    put_stack_ends(a);
    process_records_names(a->writer, table);
    put_modules(a);
    put_cpus(a, has_samples);
    return fxt_writer_finish(a->writer);
}

bool archive_write(const struct recording *recording, const char *name, bool has_samples,
                   struct text *why)
{
    struct archive a = {.recording = recording};
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = write_bytes, .threads = FXT_REFERENCES_IN_LINE};
    enum fxt_code code;
    bool good;

    a.output = output_open(name, true, why);
    if (a.output == NULL)
        return false;
    options.context = a.output;
    if (fxt_writer_create(&options, &a.writer) != FXT_OK)
        memory_allocate(SIZE_MAX);
    code = put_all(&a, has_samples);
    fxt_writer_destroy(a.writer);
    good = output_close(a.output, code == FXT_OK, why);
    if (good && code != FXT_OK)
        text_str(why, fxt_code_message(code));
    return good && code == FXT_OK;
}
