/* SPDX-License-Identifier: BSD-2-Clause */
/* See process_records.h. */
#include "process_records.h"

void process_table_write_provider(struct fxt_writer *writer, uint32_t id,
                                  const char *name, struct process_table_moment moment)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_INFO};

    record.metadata.provider_id = id;
    record.metadata.name = fxt_string_from(name);
    fxt_writer_write(writer, &record);
    record = (struct fxt_record){.type = FXT_RECORD_INITIALIZATION};
    record.initialization.ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND;
    record.initialization.has_base = true;
    record.initialization.base_ticks = moment.monotonic_ns;
    record.initialization.base_wall_ns = moment.wall_ns;
    fxt_writer_write(writer, &record);
}

/* ---- Processes and threads --------------------------------------------------------- */

/* Writes an object with one of its names; the first one has it from the start. */
static void put_object(struct fxt_writer *writer, uint32_t type,
                       const struct process_table_entry *entry, size_t i)
{
    struct fxt_record record = {.type = FXT_RECORD_KERNEL_OBJECT};
    struct fxt_arg args[2];

    record.kernel_object.type = type;
    record.kernel_object.koid = (uint64_t)entry->id;
    record.kernel_object.name =
        fxt_string_from(i < entry->n_names ? entry->names[i].name : "");
    record.args = args;
    if (type == FXT_OBJECT_THREAD) {
        args[record.n_args] =
            (struct fxt_arg){.name = fxt_string_from("process"), .type = FXT_ARG_KOID};
        args[record.n_args++].value.koid = (uint64_t)entry->process;
    }
    if (i > 0) {
        args[record.n_args] =
            (struct fxt_arg){.name = fxt_string_from("since"), .type = FXT_ARG_UINT64};
        args[record.n_args++].value.uint64 = entry->names[i].since_ns;
    }
    fxt_writer_write(writer, &record);
}

static void put_objects(struct fxt_writer *writer, uint32_t type,
                        const struct process_table_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct process_table_entry *entry = &list->all[i];

        if (!entry->is_sampled)
            continue;
        put_object(writer, type, entry, 0);
        for (size_t j = 1; j < entry->n_names; j++)
            put_object(writer, type, entry, j);
    }
}

void process_table_write_objects(struct fxt_writer *writer,
                                 const struct process_table *book)
{
    put_objects(writer, FXT_OBJECT_PROCESS, &book->processes);
    put_objects(writer, FXT_OBJECT_THREAD, &book->threads);
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

void process_table_write_module(struct process_table_modules *modules,
                                const struct image *image)
{
    struct fxt_record record = {.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_MODULE};

    modules->id = (modules->id + 1) & UINT16_MAX;
    record.profiler.timestamp = modules->time_ns;
    record.profiler.thread = fxt_thread_from((uint64_t)modules->process, 0);
    record.profiler.module_id = modules->id;
    record.profiler.name = module_name(image);
    record.profiler.build_id = (struct fxt_bytes){image->build_id, image->build_id_size};
    fxt_writer_write(modules->writer, &record);
}

void process_table_write_mapping(const struct process_table_modules *modules,
                                 struct process_table_placed placed)
{
    struct fxt_record record = {.type = FXT_RECORD_PROFILER,
                                .kind = FXT_PROFILER_MAPPING};

    record.profiler.timestamp = modules->time_ns;
    record.profiler.thread = fxt_thread_from((uint64_t)modules->process, 0);
    record.profiler.module_id = modules->id;
    record.profiler.start = placed.start;
    record.profiler.length = placed.length;
    record.profiler.vaddr = placed.vaddr;
    record.profiler.flags = placed.flags;
    fxt_writer_write(modules->writer, &record);
}

/* Each mapping announces its module anew where another one had the number: a process has
 * rarely as many mappings as there are numbers. */
void process_table_write_mappings(struct process_table_modules *modules,
                                  const struct process_table *book,
                                  const struct process_table_entry *process)
{
    uint32_t last = UINT32_MAX;

    for (size_t i = 0; i < process->n_mappings; i++) {
        const struct process_table_mapping *mapping = &process->mappings[i];
        const struct image *image = &book->images.all[mapping->image];

        if (mapping->image != last)
            process_table_write_module(modules, image);
        last = mapping->image;
        process_table_write_mapping(
            modules, (struct process_table_placed){mapping->start, mapping->length,
                                                   images_address(image, mapping->offset),
                                                   mapping->flags});
    }
}
