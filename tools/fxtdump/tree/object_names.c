/* SPDX-License-Identifier: BSD-2-Clause */
/* See object_names.h. */
#include "object_names.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"

void object_names_take(struct object_names *n, const struct fxt_record *record)
{
    const struct fxt_kernel_object *object = &record->kernel_object;
    struct object_name name = {object->koid, object->type, 0};
    uint32_t number;

    if (record->type != FXT_RECORD_KERNEL_OBJECT || object->name.data == NULL ||
        object->name.size == 0)
        return;
    if (object->type != FXT_OBJECT_PROCESS && object->type != FXT_OBJECT_THREAD)
        return;
    number = TABLE_PUT(&n->table, n->names, n->n, n->capacity, &name, koid, type);
    n->names[number].name =
        string_table_add(&n->strings, object->name.data, object->name.size);
}

struct string object_names_find(const struct object_names *n, uint32_t type,
                                uint64_t koid)
{
    struct object_name key = {koid, type, 0};
    uint32_t number = TABLE_FIND(&n->table, n->names, &key, koid, type);

    if (number == TABLE_NONE)
        return (struct string){NULL, 0};
    return string_table_get(&n->strings, n->names[number].name);
}

void object_names_free(struct object_names *n)
{
    memory_release(n->names);
    table_free(&n->table);
    string_table_free(&n->strings);
}
