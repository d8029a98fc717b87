/* SPDX-License-Identifier: BSD-2-Clause */
/* See who.h. */
#include "who.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/format.h>

static struct who_entry *find(const struct who *who, uint64_t koid)
{
    struct table_probe probe = table_probe(&who->table, hash_word(hash_start(), koid));
    uint32_t number;

    while (table_next(&who->table, &probe, &number)) {
        if (who->entries[number].koid == koid)
            return &who->entries[number];
    }
    return NULL;
}

static struct who_entry *find_or_add(struct who *who, uint64_t koid)
{
    struct who_entry *entry = find(who, koid);

    if (entry != NULL)
        return entry;
    who->entries = (struct who_entry *)must_grow(who->entries, who->n, &who->capacity,
                                                 sizeof(*who->entries));
    table_add(&who->table, hash_word(hash_start(), koid), who->n);
    entry = &who->entries[who->n++];
    *entry = (struct who_entry){koid, 0, strings_add(&who->names, "", 0)};
    return entry;
}

void who_add_name(struct who *who, uint64_t koid, const char *name, size_t size)
{
    struct who_entry *entry = find_or_add(who, koid);
    struct string new = {name, size};
    struct string old = strings_get(&who->names, entry->name);

    if (new.size > old.size || (new.size == old.size &&string_compare(new, old) < 0))
        entry->name = strings_add(&who->names, name, size);
}

void who_add_process(struct who *who, uint64_t thread, uint64_t process)
{
    struct who_entry *entry = find_or_add(who, thread);

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

void who_take(struct who *who, const struct fxt_record *record)
{
    const struct fxt_kernel_object *object = &record->kernel_object;

    if (object->type != FXT_OBJECT_PROCESS && object->type != FXT_OBJECT_THREAD)
        return;
    if (object->name.data != NULL && object->name.size > 0)
        who_add_name(who, object->koid, object->name.data, object->name.size);
    if (object->type != FXT_OBJECT_THREAD)
        return;
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (record->args[i].type == FXT_ARG_KOID && is_named(&record->args[i], "process"))
            who_add_process(who, object->koid, record->args[i].value.koid);
    }
}

struct string who_name(const struct who *who, uint64_t koid)
{
    const struct who_entry *entry = find(who, koid);

    return entry != NULL ? strings_get(&who->names, entry->name) : (struct string){"", 0};
}

void who_describe(const struct who *who, uint64_t koid, const char *kind,
                  struct text *text)
{
    struct string name = who_name(who, koid);

    if (name.size > 0)
        text_add(text, name.data, name.size);
    else
        text_str(text, kind);
    text_char(text, '[');
    text_u64(text, koid);
    text_char(text, ']');
}

uint64_t who_process(const struct who *who, uint64_t thread)
{
    const struct who_entry *entry = find(who, thread);

    return entry != NULL ? entry->process : 0;
}

void who_free(struct who *who)
{
    free(who->entries);
    table_free(&who->table);
    strings_free(&who->names);
    *who = (struct who){.n = 0};
}
