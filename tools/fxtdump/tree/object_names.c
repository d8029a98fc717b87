/* SPDX-License-Identifier: BSD-2-Clause */
/* See object_names.h. */
#include "object_names.h"

#include "common/base/memory.h"

static uint64_t hash_of(uint32_t type, uint64_t koid)
{
    return hash_word(hash_word(hash_start(), type), koid);
}

static struct object_name *look_up(const struct object_names *n, uint32_t type,
                                   uint64_t koid)
{
    struct table_probe probe = table_probe(&n->table, hash_of(type, koid));
    uint32_t number;

    while (table_next(&n->table, &probe, &number)) {
        if (n->names[number].koid == koid && n->names[number].type == type)
            return &n->names[number];
    }
    return NULL;
}

void object_names_take(struct object_names *n, const struct fxt_record *record)
{
    const struct fxt_kernel_object *object = &record->kernel_object;
    struct object_name *name;
    uint32_t string;

    if (record->type != FXT_RECORD_KERNEL_OBJECT || object->name.data == NULL ||
        object->name.size == 0)
        return;
    if (object->type != FXT_OBJECT_PROCESS && object->type != FXT_OBJECT_THREAD)
        return;
    string = string_table_add(&n->strings, object->name.data, object->name.size);
    name = look_up(n, object->type, object->koid);
    if (name != NULL) {
        name->name = string;
        return;
    }
    table_add(&n->table, hash_of(object->type, object->koid), n->n);
    MEMORY_ADD(n->names, n->n, n->capacity,
               (struct object_name){object->koid, object->type, string});
}

struct string object_names_find(const struct object_names *n, uint32_t type,
                                uint64_t koid)
{
    const struct object_name *name = look_up(n, type, koid);

    if (name == NULL)
        return (struct string){NULL, 0};
    return string_table_get(&n->strings, name->name);
}

void object_names_free(struct object_names *n)
{
    memory_release(n->names);
    table_free(&n->table);
    string_table_free(&n->strings);
}
