/* SPDX-License-Identifier: BSD-2-Clause */
/* See thread_names.h. */
#include "thread_names.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/table_items.h"

static struct thread_name *look_up(const struct thread_names *t, uint64_t koid)
{
    struct thread_name key = {.koid = koid};
    uint32_t number = TABLE_FIND(&t->table, t->names, &key, koid);

    return number != TABLE_NONE ? &t->names[number] : NULL;
}

/* NULL if there is no room. */
static struct thread_name *find(struct thread_names *t, uint64_t koid)
{
    struct thread_name name = {.koid = koid};
    uint32_t number;

    if (t->n == THREAD_NAMES_MAX)
        return look_up(t, koid);
    number = TABLE_PUT(&t->table, t->names, t->n, t->capacity, &name, koid);
    return &t->names[number];
}

static void set_name(struct thread_names *t, struct thread_name *name,
                     const struct fxt_string *string)
{
    size_t size = string->data != NULL ? string->size : 0;

    if (size > name->size) {
        if (size > THREAD_NAMES_BYTES_MAX - t->bytes.size)
            return;
        name->offset = t->bytes.size;
        text_add(&t->bytes, string->data, size);
    } else if (size > 0) {
        memcpy(t->bytes.data + name->offset, string->data, size);
    }
    if (size > 0)
        name->size = size;
}

static void take_object(struct thread_names *t, const struct fxt_record *record)
{
    struct thread_name *name = find(t, record->kernel_object.koid);

    if (name == NULL)
        return;
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        if (arg->type == FXT_ARG_KOID && arg->name.data != NULL && arg->name.size == 7 &&
            memcmp(arg->name.data, "process", 7) == 0)
            name->process = arg->value.koid;
    }
    set_name(t, name, &record->kernel_object.name);
}

static void take_thread(struct thread_names *t, const struct fxt_thread *thread)
{
    struct thread_name *name;

    if (!thread->known || thread->process == 0)
        return;
    name = find(t, thread->thread);
    if (name != NULL)
        name->process = thread->process;
}

void thread_names_take(struct thread_names *t, const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_KERNEL_OBJECT &&
        record->kernel_object.type == FXT_OBJECT_THREAD)
        take_object(t, record);
    if (record->type == FXT_RECORD_SCHEDULING && !record->unknown &&
        record->kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH) {
        take_thread(t, &record->scheduling.outgoing);
        take_thread(t, &record->scheduling.incoming);
    }
}

struct fxt_string thread_names_find(const struct thread_names *t, uint64_t koid,
                                    uint64_t *process)
{
    const struct thread_name *name = look_up(t, koid);

    *process = name != NULL ? name->process : 0;
    if (name == NULL || name->size == 0)
        return (struct fxt_string){"", 0, 0};
    return (struct fxt_string){t->bytes.data + name->offset, (uint32_t)name->size, 0};
}
