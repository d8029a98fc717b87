/* SPDX-License-Identifier: BSD-2-Clause */
/* See description.h. */
#include "description.h"

#include <string.h>

#include <fxt/compiler.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"

/* ---- What they are about ----------------------------------------------------------- */

/* Whether a record has addresses of code, and in which process. */
static bool has_code(const struct fxt_record *record, uint64_t *process)
{
    const struct fxt_thread *thread = NULL;

    if (record->type == FXT_RECORD_PROFILER && record->kind == FXT_PROFILER_BACKTRACE)
        thread = &record->profiler.thread;
    else if (record->type == FXT_RECORD_LARGE && !record->unknown &&
             record->large_blob.format == FXT_LARGE_BLOB_METADATA)
        thread = &record->large_blob.thread;
    if (thread == NULL || description_is_of_symbols(record))
        return false;
    *process = thread->process;
    return true;
}

static struct described *find_described(struct described_set *set, uint64_t koid)
{
    const struct described made = {.koid = koid};
    uint32_t number =
        TABLE_PUT(&set->table, set->items, set->n, set->capacity, &made, koid);

    return &set->items[number];
}

static uint64_t process_of_object(const struct fxt_record *record)
{
    const struct fxt_arg *process = fxt_record_arg(record, "process");

    return process != NULL && process->type == FXT_ARG_KOID ? process->value.koid : 0;
}

static struct described *find_subject(struct descriptions *d,
                                      const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_KERNEL_OBJECT:
        return find_described(&d->objects, record->kernel_object.koid);
    case FXT_RECORD_USERSPACE_OBJECT:
        return find_described(&d->user_objects, record->userspace_object.pointer);
    case FXT_RECORD_PROFILER:
        return find_described(&d->objects, record->profiler.thread.process);
    case FXT_RECORD_LARGE:
        return find_described(&d->objects, record->large_blob.thread.process);
    default:
        return find_described(&d->objects, fxt_string_is(record->event.category, "heap")
                                               ? record->event.thread.process
                                               : 0);
    }
}

/* ---- Taking ------------------------------------------------------------------------ */

static uint32_t object_type(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_KERNEL_OBJECT ? record->kernel_object.type : 0;
}

static uint64_t object_process(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_KERNEL_OBJECT
               ? process_of_object(record)
               : record->userspace_object.process.process;
}

/* It is written after the others: readers take the last name, whichever provider gave it.
 */
static struct held_description *move_to_end(struct description_list *list, size_t i)
{
    struct held_description *last = &list->descriptions[list->n - 1];
    struct held_description moved = list->descriptions[i];

    memmove(&list->descriptions[i], &list->descriptions[i + 1],
            (list->n - 1 - i) * sizeof(*last));
    *last = moved;
    return last;
}

/* A name replaces an earlier one of the same provider; all records of code are kept. */
static struct held_description *place_for(struct description_list *list,
                                          const struct trace_source *source,
                                          const struct fxt_record *record, bool is_code)
{
    struct held_description made = {.type = is_code ? record->type : object_type(record),
                                    .process = is_code ? 0 : object_process(record)};

    for (size_t i = 0; i < list->n && !is_code; i++) {
        struct held_description *old = &list->descriptions[i];

        if (old->held.source == source && old->type == made.type &&
            (record->type == FXT_RECORD_KERNEL_OBJECT || old->process == made.process)) {
            old->process = made.process;
            return move_to_end(list, i);
        }
    }
    MEMORY_ADD(list->descriptions, list->n, list->capacity, made);
    return &list->descriptions[list->n - 1];
}

static void write_description(struct output_part *part,
                              struct held_description *description)
{
    if (description->part == part->number)
        return;
    description->part = part->number;
    part_write_held(part, &description->held);
}

void descriptions_take(struct descriptions *d, struct output_part *part,
                       struct trace_source *source, const struct fxt_record *record,
                       bool is_written)
{
    bool is_code = description_is_of_code(record);
    struct described *subject = find_subject(d, record);
    struct description_list *list = is_code ? &subject->code : &subject->names;
    struct held_description *description;

    if (record->size > DESCRIPTIONS_MAX_BYTES - d->n_bytes) {
        d->n_lost += !is_written;
        return;
    }
    description = place_for(list, source, record, is_code);
    d->n_bytes += record->size - description->held.size;
    held_set(&description->held, source, record);
    description->part = is_written ? part->number : 0;
    if (part->number == (is_code ? subject->code_part : subject->names_part))
        write_description(part, description);
}

/* ---- Writing ----------------------------------------------------------------------- */

static void write_list(struct output_part *part, struct description_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        write_description(part, &list->descriptions[i]);
}

static void write_process(struct descriptions *d, struct output_part *part, uint64_t koid)
{
    struct described *process = find_described(&d->objects, koid);

    if (process->names_part == part->number)
        return;
    process->names_part = part->number;
    write_list(part, &process->names);
}

/* The names of an object, and those of the processes that it is in. */
static void find_names(struct descriptions *d, struct output_part *part, uint64_t koid)
{
    struct described *object = find_described(&d->objects, koid);
    size_t number = (size_t)(object - d->objects.items);

    if (object->names_part == part->number)
        return;
    object->names_part = part->number;
    for (size_t i = 0; i < d->objects.items[number].names.n; i++) {
        struct held_description *name = &d->objects.items[number].names.descriptions[i];

        if (name->process != 0)
            write_process(d, part, name->process);
        /* A process is another item, and may have moved all of them. */
        write_description(part, &d->objects.items[number].names.descriptions[i]);
    }
}

static FXT_NOINLINE void write_names(struct descriptions *d, struct output_part *part,
                                     uint64_t koid)
{
    /* No object has the place of the next one. */
    if (d->named_part != part->number) {
        for (uint64_t i = 0; i < NAMED_RECENTLY; i++)
            d->named[i] = i + 1;
    }
    d->named_part = part->number;
    find_names(d, part, koid);
    d->named[koid % NAMED_RECENTLY] = koid;
}

/* Most records are about what another one was about shortly before. */
static inline void write_object(struct descriptions *d, struct output_part *part,
                                uint64_t koid)
{
    if (d->named_part != part->number || d->named[koid % NAMED_RECENTLY] != koid)
        write_names(d, part, koid);
}

void descriptions_write_thread(struct descriptions *d, struct output_part *part,
                               const struct fxt_thread *thread)
{
    if (!thread->known)
        return;
    write_object(d, part, thread->process);
    write_object(d, part, thread->thread);
}

static void write_code(struct output_part *part, struct described *process)
{
    if (process->code_part == part->number)
        return;
    process->code_part = part->number;
    write_list(part, &process->code);
}

static void write_user_object(struct descriptions *d, struct output_part *part,
                              uint64_t pointer, uint64_t process)
{
    const struct described key = {.koid = pointer};
    uint32_t number =
        TABLE_FIND(&d->user_objects.table, d->user_objects.items, &key, koid);
    struct description_list *list;

    if (number == TABLE_NONE)
        return;
    list = &d->user_objects.items[number].names;
    for (size_t i = 0; i < list->n; i++) {
        if (list->descriptions[i].process == process)
            write_description(part, &list->descriptions[i]);
    }
}

static void write_of_args(struct descriptions *d, struct output_part *part,
                          const struct fxt_record *record,
                          const struct fxt_thread *thread)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        if (arg->type == FXT_ARG_KOID)
            write_object(d, part, arg->value.koid);
        else if (arg->type == FXT_ARG_POINTER && d->user_objects.n > 0 && thread != NULL)
            write_user_object(d, part, arg->value.pointer, thread->process);
    }
}

static void write_of_scheduling(struct descriptions *d, struct output_part *part,
                                const struct fxt_record *record)
{
    if (record->unknown)
        return;
    if (record->kind == FXT_SCHEDULING_THREAD_WAKEUP) {
        write_object(d, part, record->scheduling.waking_thread);
        return;
    }
    descriptions_write_thread(d, part, &record->scheduling.outgoing);
    descriptions_write_thread(d, part, &record->scheduling.incoming);
}

void descriptions_write(struct descriptions *d, struct output_part *part,
                        const struct fxt_record *record)
{
    const struct fxt_thread *thread = fxt_record_thread(record);
    uint64_t process;

    if (record->type == FXT_RECORD_SCHEDULING)
        write_of_scheduling(d, part, record);
    else if (thread != NULL)
        descriptions_write_thread(d, part, thread);
    write_of_args(d, part, record, thread);
    if (!description_may_have_code(record))
        return;
    /* Records of code stay in their order: mappings are of the module before them. */
    if (description_is_of_code(record))
        write_code(part, find_subject(d, record));
    if (!has_code(record, &process))
        return;
    /* That stands for all processes, and for the kernel. */
    write_code(part, find_described(&d->objects, 0));
    write_code(part, find_described(&d->objects, process));
}

/* ---- The end ----------------------------------------------------------------------- */

static void free_list(struct description_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        held_free(&list->descriptions[i].held);
    memory_release(list->descriptions);
}

static void free_set(struct described_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free_list(&set->items[i].names);
        free_list(&set->items[i].code);
    }
    memory_release(set->items);
    table_free(&set->table);
}

void descriptions_free(struct descriptions *d)
{
    free_set(&d->objects);
    free_set(&d->user_objects);
}
