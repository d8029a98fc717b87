/* SPDX-License-Identifier: BSD-2-Clause */
/* See archive_stream.h. */
#include "archive_stream.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fxt/fxt.h>

#include "code_names.h"
#include "recording.h"

/* Provider 1 is the recorder itself, and the CPUs follow. A piece is as small as a full
 * disk should waste, and as large as system calls should be. */
enum { OWN_PROVIDER = 1, FIRST_CPU_PROVIDER = 2, PIECE_BYTES = 1 << 14 };

/* What is given to the file at once. */
struct piece {
    size_t size;
    uint64_t n_samples;
};

struct archive_stream {
    struct memory_cleanup cleanup;
    struct recording *recording;
    struct fxt_writer *writer;
    bool has_samples;
    /* The provider whose records come next; 0 where that is not known. */
    uint32_t provider;
    /* The CPUs whose provider was described. */
    uint32_t *cpus;
    size_t n_cpus;
    size_t cpu_capacity;
    /* How stacks had ended before the archive began. */
    uint64_t ends_before[STACK_ENDS];
    /* What is to be written, and how many samples were added after the last piece. */
    struct text bytes;
    struct piece *pieces;
    size_t n_pieces;
    size_t piece_capacity;
    uint64_t piece_begin;
    uint64_t n_samples;
    uint64_t n_written;
    uint64_t n_unwritten;
    bool has_failed;
    bool lacks_memory;
};

/* ---- Pieces ------------------------------------------------------------------------ */

struct kept_bytes {
    struct archive_stream *stream;
    const void *data;
    size_t size;
};

static void add_bytes(void *context)
{
    const struct kept_bytes *kept = context;

    text_add(&kept->stream->bytes, kept->data, kept->size);
}

/* The writer must not be left in the middle, or it could not be freed. */
static int keep_bytes(void *context, const void *data, size_t size)
{
    struct archive_stream *s = context;
    struct kept_bytes kept = {s, data, size};

    s->lacks_memory = memory_run(NULL, add_bytes, &kept) != NULL;
    return s->lacks_memory;
}

static void end_piece(struct archive_stream *s)
{
    uint64_t offset = fxt_writer_offset(s->writer);

    if (offset == s->piece_begin)
        return;
    fxt_writer_flush(s->writer);
    if (s->lacks_memory)
        memory_fail(MEMORY_EXHAUSTED);
    MEMORY_ADD(s->pieces, s->n_pieces, s->piece_capacity,
               (struct piece){(size_t)(offset - s->piece_begin), s->n_samples});
    s->piece_begin = offset;
    s->n_samples = 0;
}

static void end_full_piece(struct archive_stream *s)
{
    if (fxt_writer_offset(s->writer) - s->piece_begin >= PIECE_BYTES)
        end_piece(s);
}

static void write_record(struct archive_stream *s, const struct fxt_record *record)
{
    fxt_writer_write(s->writer, record);
    end_full_piece(s);
}

bool archive_stream_write(struct archive_stream *s, fxt_write_fn *write, void *context)
{
    const char *data = s->bytes.data;

    for (size_t i = 0; i < s->n_pieces; i++) {
        const struct piece *piece = &s->pieces[i];

        if (!s->has_failed && write(context, data, piece->size) != 0)
            s->has_failed = true;
        if (s->has_failed)
            s->n_unwritten += piece->n_samples;
        else
            s->n_written += piece->n_samples;
        data += piece->size;
    }
    s->n_pieces = 0;
    s->bytes.size = 0;
    return !s->has_failed;
}

/* ---- Providers --------------------------------------------------------------------- */

static void select_provider(struct archive_stream *s, uint32_t id)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_SECTION};

    if (s->provider == id)
        return;
    record.metadata.provider_id = id;
    write_record(s, &record);
    s->provider = id;
}

static bool has_cpu(const struct archive_stream *s, uint32_t cpu)
{
    for (size_t i = 0; i < s->n_cpus; i++) {
        if (s->cpus[i] == cpu)
            return true;
    }
    return false;
}

static void select_cpu(struct archive_stream *s, uint32_t cpu)
{
    char name[16];

    if (has_cpu(s, cpu)) {
        select_provider(s, FIRST_CPU_PROVIDER + cpu);
        return;
    }
    snprintf(name, sizeof(name), "cpu%u", (unsigned)cpu);
    process_records_provider(s->writer, FIRST_CPU_PROVIDER + cpu, name,
                             s->recording->start);
    s->provider = FIRST_CPU_PROVIDER + cpu;
    MEMORY_ADD(s->cpus, s->n_cpus, s->cpu_capacity, cpu);
}

/* ---- What is needed ---------------------------------------------------------------- */

/* It is not known at which address the kernel was linked: its modules' own addresses are
 * taken to be those at which they run. */
static void write_kernel(struct archive_stream *s, struct module_writer *modules,
                         struct process_entry *process)
{
    const struct kernel_modules *kernel = &s->recording->kernel;

    for (size_t i = process->n_kernel_written; i < kernel->n; i++) {
        const struct kernel_module *part = &kernel->all[i];

        process_records_module(modules, &part->file);
        process_records_mapping(
            modules, (struct module_mapping){part->start, part->length, part->start,
                                             FXT_MAPPING_READ | FXT_MAPPING_EXECUTE, 0});
    }
    process->n_kernel_written = kernel->n;
}

static void write_modules(struct archive_stream *s)
{
    const struct process_list *processes = &s->recording->table.processes;

    for (size_t i = 0; i < processes->n; i++) {
        struct process_entry *process = &processes->all[i];
        struct module_writer modules = {s->writer, process->id,
                                        s->recording->start.monotonic_ns,
                                        process->last_module};

        if (!process->is_sampled)
            continue;
        process_records_mappings(&modules, &s->recording->table, process);
        if (process->is_in_kernel)
            write_kernel(s, &modules, process);
        process->last_module = modules.last_id;
        end_full_piece(s);
    }
}

/* How much of a source could not be understood is known at the end. */
static void write_symbols(struct archive_stream *s, bool is_end)
{
    const struct process_list *processes = &s->recording->table.processes;

    for (size_t i = 0; i < processes->n; i++) {
        const struct process_entry *process = &processes->all[i];

        if (!process->is_sampled || process->jit_files == NULL)
            continue;
        for (size_t j = 0; j < process->jit_files->n; j++) {
            struct jit_file *file = &process->jit_files->all[j];

            if (!is_end)
                file->names.n_malformed = 0;
            symbol_records_write(s->writer, process->id, s->recording->start.monotonic_ns,
                                 file->path, &file->names);
            code_names_free(&file->names);
            end_full_piece(s);
        }
    }
}

static void write_needed(struct archive_stream *s, bool is_end)
{
    select_provider(s, OWN_PROVIDER);
    process_records_names(s->writer, &s->recording->table);
    end_full_piece(s);
    write_modules(s);
    write_symbols(s, is_end);
    kernel_names_write(&s->recording->kernel_names, s->writer,
                       s->recording->start.monotonic_ns);
    end_full_piece(s);
}

/* ---- Samples ----------------------------------------------------------------------- */

static int copy_record(void *context, const struct fxt_record *record)
{
    struct archive_stream *s = context;
    struct fxt_sample sample;

    s->n_samples += fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK;
    write_record(s, record);
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
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_UINT64};

    if (value <= UINT32_MAX) {
        arg.type = FXT_ARG_UINT32;
        arg.value.uint32 = (uint32_t)value;
    } else {
        arg.value.uint64 = value;
    }
    return arg;
}

/* In the form that fxt_sample_from_record recognises. */
static void write_drops(struct archive_stream *s, const struct filled_region *region)
{
    struct fxt_arg args[8] = {
        make_count("num_records",
                   region->dropped + region->others_dropped + region->lost),
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
    write_record(s, &record);
}

static void write_buffer_full(struct archive_stream *s, uint32_t provider)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_EVENT};

    record.metadata.provider_id = provider;
    record.metadata.event = FXT_PROVIDER_BUFFER_FULL;
    write_record(s, &record);
}

static void write_region(struct archive_stream *s, const struct filled_region *region)
{
    bool has_records = s->has_samples && region->used > 0;

    if (!has_records && region->dropped + region->others_dropped + region->lost == 0)
        return;
    select_cpu(s, region->cpu);
    if (has_records)
        filled_region_read(region, copy_record, ignore_error, s);
    if (region->dropped + region->others_dropped + region->lost > 0)
        write_drops(s, region);
    if (region->dropped + region->others_dropped > 0)
        write_buffer_full(s, FIRST_CPU_PROVIDER + region->cpu);
}

/* ---- The archive ------------------------------------------------------------------- */

static void release_writer(void *context)
{
    const struct archive_stream *s = context;

    fxt_writer_destroy(s->writer);
}

struct archive_stream *archive_stream_begin(struct recording *recording, bool has_samples)
{
    struct archive_stream *s = memory_allocate(sizeof(*s));
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = keep_bytes,
                                         .context = s,
                                         .threads = FXT_REFERENCES_IN_LINE};

    s->recording = recording;
    s->has_samples = has_samples;
    if (fxt_writer_create(&options, &s->writer) != FXT_OK)
        memory_fail(MEMORY_EXHAUSTED);
    memory_cleanup_add(&s->cleanup, release_writer, s);
    memcpy(s->ends_before, recording->ends.counts, sizeof(s->ends_before));
    recording_start_archive(recording);
    fxt_writer_start_archive(s->writer, 0);
    process_records_provider(s->writer, OWN_PROVIDER, recording->recorder,
                             recording->start);
    s->provider = OWN_PROVIDER;
    recording_write_start(s->writer, recording);
    end_piece(s);
    return s;
}

void archive_stream_add(struct archive_stream *s, const struct filled_regions *block)
{
    if (s->has_failed || block->n == 0)
        return;
    write_needed(s, false);
    for (size_t i = 0; i < block->n; i++)
        write_region(s, &block->all[i]);
    end_piece(s);
}

/* What was discarded may have selected another provider. */
void archive_stream_end(struct archive_stream *s)
{
    struct recording_end end = {.n_samples = s->n_written, .n_unwritten = s->n_unwritten};

    if (s->has_failed)
        s->provider = 0;
    for (size_t i = 0; i < s->n_pieces; i++)
        end.n_samples += s->pieces[i].n_samples;
    for (unsigned i = 0; i < STACK_ENDS; i++)
        end.ends[i] = s->recording->ends.counts[i] - s->ends_before[i];
    recording_read_names(s->recording, true);
    if (!s->has_failed)
        write_needed(s, true);
    select_provider(s, OWN_PROVIDER);
    recording_write_end(s->writer, s->recording, &end);
    end_piece(s);
    /* This may fit where samples did not. */
    s->has_failed = false;
}

uint64_t archive_stream_samples(const struct archive_stream *s)
{
    return s->n_written;
}

enum fxt_code archive_stream_code(const struct archive_stream *s)
{
    return fxt_writer_finish(s->writer);
}

void archive_stream_free(struct archive_stream *s)
{
    if (s == NULL)
        return;
    memory_cleanup_remove(&s->cleanup);
    release_writer(s);
    memory_release(s->cpus);
    text_free(&s->bytes);
    memory_release(s->pieces);
    memory_release(s);
}
