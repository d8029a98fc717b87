/* SPDX-License-Identifier: BSD-2-Clause */
/* See archive.h. */
#include "archive.h"

#include <string.h>
#include <unistd.h>

#include <fxt/fxt.h>

#include "output.h"

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

/* From here on, what is written is this provider's, whose clock is the monotonic one. */
static void put_provider(struct archive *a, uint32_t id, const char *name)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_INFO};

    record.metadata.provider_id = id;
    record.metadata.name = fxt_string_from(name);
    put(a, &record);
    record = (struct fxt_record){.type = FXT_RECORD_INITIALIZATION};
    record.initialization.ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND;
    record.initialization.has_base = true;
    record.initialization.base_ticks = a->recording->start_monotonic_ns;
    record.initialization.base_wall_ns = a->recording->start_wall_ns;
    put(a, &record);
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

static void put_recording(struct archive *a)
{
    const struct recording *r = a->recording;
    struct fxt_arg args[] = {
        string_arg("command_line", r->command_line),
        number_arg("start_unix_ns", r->start_wall_ns),
        number_arg("period_ns", r->period_ns),
        number_arg("asked_period_ns", r->asked_period_ns),
        string_arg("method", r->method),
        string_arg("fxtrecord", fxt_version()),
    };
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};

    record.event.timestamp = r->start_monotonic_ns;
    record.event.thread = fxt_thread_from((uint64_t)getpid(), (uint64_t)getpid());
    record.event.category = fxt_string_from("fxtrecord");
    record.event.name = fxt_string_from("recording");
    record.n_args = sizeof(args) / sizeof(args[0]);
    record.args = args;
    put(a, &record);
}

/* ---- Processes and threads --------------------------------------------------------- */

static void put_object(struct archive *a, uint32_t type, const struct book_entry *entry)
{
    struct fxt_arg process = {.name = fxt_string_from("process"), .type = FXT_ARG_KOID};
    struct fxt_record record = {.type = FXT_RECORD_KERNEL_OBJECT};

    record.kernel_object.type = type;
    record.kernel_object.koid = (uint64_t)entry->id;
    record.kernel_object.name = fxt_string_from(entry->name != NULL ? entry->name : "");
    if (type == FXT_OBJECT_THREAD) {
        process.value.koid = (uint64_t)entry->process;
        record.n_args = 1;
        record.args = &process;
    }
    put(a, &record);
}

static void put_objects(struct archive *a, uint32_t type, const struct book_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->all[i].is_sampled)
            put_object(a, type, &list->all[i]);
    }
}

/* ---- Modules ----------------------------------------------------------------------- */

/* The end of a path says more than its beginning. */
static struct fxt_string module_name(const struct image *image)
{
    struct fxt_string name = fxt_string_from(image->name);

    if (name.size > FXT_PROVIDER_NAME_SIZE_MAX) {
        name.data += name.size - FXT_PROVIDER_NAME_SIZE_MAX;
        name.size = FXT_PROVIDER_NAME_SIZE_MAX;
    }
    return name;
}

struct placed {
    uint64_t start;
    uint64_t length;
    uint64_t vaddr;
    uint32_t flags;
};

static void put_module(struct archive *a, pid_t process, uint32_t id,
                       const struct image *image)
{
    struct fxt_record record = {.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_MODULE};

    record.profiler.timestamp = a->recording->start_monotonic_ns;
    record.profiler.thread = fxt_thread_from((uint64_t)process, 0);
    record.profiler.module_id = id;
    record.profiler.name = module_name(image);
    record.profiler.build_id = (struct fxt_bytes){image->build_id, image->build_id_size};
    put(a, &record);
}

static void put_mapping(struct archive *a, pid_t process, uint32_t id,
                        struct placed placed)
{
    struct fxt_record record = {.type = FXT_RECORD_PROFILER,
                                .kind = FXT_PROFILER_MAPPING};

    record.profiler.timestamp = a->recording->start_monotonic_ns;
    record.profiler.thread = fxt_thread_from((uint64_t)process, 0);
    record.profiler.module_id = id;
    record.profiler.start = placed.start;
    record.profiler.length = placed.length;
    record.profiler.vaddr = placed.vaddr;
    record.profiler.flags = placed.flags;
    put(a, &record);
}

/* Each mapping announces its module anew where another one had the number: a process has
 * rarely as many mappings as there are numbers. */
static void put_mappings(struct archive *a, const struct book_entry *process,
                         uint32_t *id)
{
    const struct images *images = &a->recording->book.images;
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < process->n_mappings; i++) {
        const struct book_mapping *mapping = &process->mappings[i];
        const struct image *image = &images->all[mapping->image];

        if (mapping->image != last) {
            *id = (*id + 1) & UINT16_MAX;
            put_module(a, process->id, *id, image);
        }
        last = mapping->image;
        put_mapping(a, process->id, *id,
                    (struct placed){mapping->start, mapping->length,
                                    images_address(image, mapping->offset),
                                    mapping->flags});
    }
}

/* Which address the kernel was linked at is not known, so that its own addresses are
 * taken for those at which it runs. */
static void put_kernel(struct archive *a, pid_t process, uint32_t *id)
{
    const struct kernel *kernel = &a->recording->kernel;

    for (size_t i = 0; i < kernel->n; i++) {
        const struct kernel_part *part = &kernel->parts[i];

        *id = (*id + 1) & UINT16_MAX;
        put_module(a, process, *id, &part->image);
        put_mapping(a, process, *id,
                    (struct placed){part->start, part->length, part->start,
                                    FXT_MAPPING_READ | FXT_MAPPING_EXECUTE});
    }
}

static void put_modules(struct archive *a)
{
    const struct book_list *processes = &a->recording->book.processes;

    for (size_t i = 0; i < processes->n; i++) {
        const struct book_entry *process = &processes->all[i];
        uint32_t id = 0;

        if (!process->is_sampled)
            continue;
        put_mappings(a, process, &id);
        if (process->is_in_kernel)
            put_kernel(a, process->id, &id);
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
static void put_drops(struct archive *a, const struct piece *piece)
{
    struct fxt_arg args[] = {
        count_arg("num_records", piece->dropped + piece->lost),
        count_arg("num_bytes", piece->dropped_bytes),
    };
    struct fxt_record record = {.type = FXT_RECORD_EVENT,
                                .kind = FXT_EVENT_DURATION_COMPLETE};

    record.event.timestamp = piece->first_drop;
    record.event.end_timestamp = piece->last_drop;
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

static void put_piece(struct archive *a, const struct piece *piece, bool has_samples)
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
    const struct pieces *pieces = &a->recording->pieces;

    for (size_t i = 0; i < pieces->n; i++) {
        uint32_t cpu = pieces->all[i].cpu;
        struct text name = {NULL, 0, 0};

        if (!pieces_is_first(pieces, i))
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
    const struct book *book = &a->recording->book;

    fxt_writer_start_archive(a->writer, 0);
    put_provider(a, OWN_PROVIDER, "fxtrecord");
    put_recording(a);
    put_objects(a, FXT_OBJECT_PROCESS, &book->processes);
    put_objects(a, FXT_OBJECT_THREAD, &book->threads);
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
        must_allocate(SIZE_MAX);
    code = put_all(&a, has_samples);
    fxt_writer_destroy(a.writer);
    good = output_close(a.output, code == FXT_OK, why);
    if (good && code != FXT_OK)
        text_str(why, fxt_code_message(code));
    return good && code == FXT_OK;
}
