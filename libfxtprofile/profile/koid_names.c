/* SPDX-License-Identifier: BSD-2-Clause */
/* See koid_names.h. */
#include "koid_names.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/format.h>

static struct koid_names_entry *find(const struct koid_names *who, uint64_t koid)
{
    struct table_probe probe = table_probe(&who->table, hash_word(hash_start(), koid));
    uint32_t number;

    while (table_next(&who->table, &probe, &number)) {
        if (who->entries[number].koid == koid)
            return &who->entries[number];
    }
    return NULL;
}

static struct koid_names_entry *find_or_add(struct koid_names *who, uint64_t koid)
{
    struct koid_names_entry *entry = find(who, koid);

    if (entry != NULL)
        return entry;
    who->entries = (struct koid_names_entry *)memory_grow(
        who->entries, who->n, &who->capacity, sizeof(*who->entries));
    table_add(&who->table, hash_word(hash_start(), koid), who->n);
    entry = &who->entries[who->n++];
    *entry = (struct koid_names_entry){koid, 0, string_table_add(&who->names, "", 0)};
    return entry;
}

void koid_names_add_name(struct koid_names *who, uint64_t koid, const char *name,
                         size_t size)
{
    struct koid_names_entry *entry = find_or_add(who, koid);
    struct string new = {name, size};
    struct string old = string_table_get(&who->names, entry->name);

    if (new.size > old.size || (new.size == old.size &&string_compare(new, old) < 0))
        entry->name = string_table_add(&who->names, name, size);
}

void koid_names_add_process(struct koid_names *who, uint64_t thread, uint64_t process)
{
    struct koid_names_entry *entry = find_or_add(who, thread);

    /* No two records should differ here. Where they do, any choice will do that does not
     * depend on which came first. */
    if (process > entry->process)
        entry->process = process;
}

static bool is_named(const struct fxt_arg *arg, const char *name)
{
    return arg->name.data != NULL && arg->name.size == strlen(name) &&
           memcmp(arg->name.data, name, arg->name.size) == 0;
}

void koid_names_take(struct koid_names *who, const struct fxt_record *record)
{
    const struct fxt_kernel_object *object = &record->kernel_object;

    if (object->type != FXT_OBJECT_PROCESS && object->type != FXT_OBJECT_THREAD)
        return;
    if (object->name.data != NULL && object->name.size > 0)
        koid_names_add_name(who, object->koid, object->name.data, object->name.size);
    if (object->type != FXT_OBJECT_THREAD)
        return;
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (record->args[i].type == FXT_ARG_KOID && is_named(&record->args[i], "process"))
            koid_names_add_process(who, object->koid, record->args[i].value.koid);
    }
}

struct string koid_names_name(const struct koid_names *who, uint64_t koid)
{
    const struct koid_names_entry *entry = find(who, koid);

    return entry != NULL ? string_table_get(&who->names, entry->name)
                         : (struct string){"", 0};
}

void koid_names_describe(const struct koid_names *who, uint64_t koid, const char *kind,
                         struct text *text)
{
    struct string name = koid_names_name(who, koid);

    if (name.size > 0)
        text_add(text, name.data, name.size);
    else
        text_str(text, kind);
    text_char(text, '[');
    text_u64(text, koid);
    text_char(text, ']');
}

uint64_t koid_names_process(const struct koid_names *who, uint64_t thread)
{
    const struct koid_names_entry *entry = find(who, thread);

    return entry != NULL ? entry->process : 0;
}

void koid_names_free(struct koid_names *who)
{
    memory_release(who->entries);
    table_free(&who->table);
    string_table_free(&who->names);
    *who = (struct koid_names){.n = 0};
}
