/* SPDX-License-Identifier: BSD-2-Clause */
/* See process_records.h. */
#include "process_records.h"

void process_records_provider(struct fxt_writer *writer, uint32_t id, const char *name,
                              struct clock_readings readings)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_INFO};

    record.metadata.provider_id = id;
    record.metadata.name = fxt_string_from(name);
    fxt_writer_write(writer, &record);
    record = (struct fxt_record){.type = FXT_RECORD_INITIALIZATION};
    record.initialization.ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND;
    record.initialization.has_base = true;
    record.initialization.base_ticks = readings.monotonic_ns;
    record.initialization.base_wall_ns = readings.wall_ns;
    fxt_writer_write(writer, &record);
}

/* ---- Processes and threads --------------------------------------------------------- */

/* Writes an object with one of its names; it has the first one from the start. */
/* perf has -1, in 32 bits, for a thread that has ended but for its last instructions. */
static uint64_t koid_of(pid_t id)
{
    return (uint32_t)id;
}

static void write_name(struct fxt_writer *writer, uint32_t type,
                       const struct process_entry *entry, size_t i)
{
    struct fxt_record record = {.type = FXT_RECORD_KERNEL_OBJECT};
    struct fxt_arg args[2];

    record.kernel_object.type = type;
    record.kernel_object.koid = koid_of(entry->id);
    record.kernel_object.name =
        fxt_string_from(i < entry->n_names ? entry->names[i].name : "");
    record.args = args;
    if (type == FXT_OBJECT_THREAD) {
        args[record.n_args] =
            (struct fxt_arg){.name = fxt_string_from("process"), .type = FXT_ARG_KOID};
        args[record.n_args++].value.koid = koid_of(entry->process);
    }
    if (i > 0) {
        args[record.n_args] =
            (struct fxt_arg){.name = fxt_string_from("since"), .type = FXT_ARG_UINT64};
        args[record.n_args++].value.uint64 = entry->names[i].since_ns;
    }
    fxt_writer_write(writer, &record);
}

static void write_names(struct fxt_writer *writer, uint32_t type,
                        struct process_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        struct process_entry *entry = &list->all[i];

        if (!entry->is_sampled && !entry->is_named)
            continue;
        if (entry->n_names == 0 && !entry->is_described)
            write_name(writer, type, entry, 0);
        for (; entry->n_names_written < entry->n_names; entry->n_names_written++)
            write_name(writer, type, entry, entry->n_names_written);
        entry->is_described = true;
    }
}

void process_records_names(struct fxt_writer *writer, struct process_table *table)
{
    write_names(writer, FXT_OBJECT_PROCESS, &table->processes);
    write_names(writer, FXT_OBJECT_THREAD, &table->threads);
}

/* ---- Modules ----------------------------------------------------------------------- */

/* Of a long path the end is kept, which has the file's name. */
static struct fxt_string module_name(const struct mapped_file *file)
{
    struct fxt_string name = fxt_string_from(file->name);

    if (name.size > FXT_PROVIDER_NAME_SIZE_MAX) {
        name.data += name.size - FXT_PROVIDER_NAME_SIZE_MAX;
        name.size = FXT_PROVIDER_NAME_SIZE_MAX;
    }
    return name;
}

void process_records_module(struct module_writer *modules, const struct mapped_file *file)
{
    struct fxt_record record = {.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_MODULE};

    modules->last_id = (modules->last_id + 1) & UINT16_MAX;
    record.profiler.timestamp = modules->time_ns;
    record.profiler.thread = fxt_thread_from(koid_of(modules->process), 0);
    record.profiler.module_id = modules->last_id;
    record.profiler.name = module_name(file);
    record.profiler.build_id = (struct fxt_bytes){file->build_id, file->build_id_size};
    fxt_writer_write(modules->writer, &record);
}

void process_records_mapping(const struct module_writer *modules,
                             struct module_mapping mapping)
{
    struct fxt_record record = {.type = FXT_RECORD_PROFILER,
                                .kind = FXT_PROFILER_MAPPING};

    record.profiler.timestamp =
        mapping.since_ns > 0 ? mapping.since_ns : modules->time_ns;
    record.profiler.thread = fxt_thread_from(koid_of(modules->process), 0);
    record.profiler.module_id = modules->last_id;
    record.profiler.start = mapping.start;
    record.profiler.length = mapping.length;
    record.profiler.vaddr = mapping.vaddr;
    record.profiler.flags = mapping.flags;
    fxt_writer_write(modules->writer, &record);
}

/* A mapping of another module than the one before writes that module again, with a new
 * id: few processes have as many mappings as there are ids. */
void process_records_mappings(struct module_writer *modules,
                              const struct process_table *table,
                              struct process_entry *process)
{
    uint32_t last = UINT32_MAX;

    for (; process->n_mappings_written < process->n_mappings;
         process->n_mappings_written++) {
        const struct process_mapping *mapping =
            &process->mappings[process->n_mappings_written];
        const struct mapped_file *file = &table->files.all[mapping->file];

        if (mapping->file != last)
            process_records_module(modules, file);
        last = mapping->file;
        process_records_mapping(
            modules, (struct module_mapping){mapping->start, mapping->length,
                                             mapped_file_address(file, mapping->offset),
                                             mapping->flags, mapping->since_ns});
    }
}
