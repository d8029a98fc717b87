/* SPDX-License-Identifier: BSD-2-Clause */
/* See span_keys.h. */
#include "span_keys.h"

#include "common/base/memory.h"

/* ---- Threads ----------------------------------------------------------------------- */

static uint32_t find_thread(struct span_thread_set *t, const struct span_thread *thread)
{
    uint64_t hash = span_thread_hash(thread);
    struct table_probe probe = table_probe(&t->table, hash);
    uint32_t number;

    while (table_next(&t->table, &probe, &number)) {
        if (span_thread_is(&t->threads[number], thread))
            return number;
    }
    table_add(&t->table, hash, t->n);
    MEMORY_ADD(t->threads, t->n, t->capacity, *thread);
    return (uint32_t)(t->n - 1);
}

uint32_t span_thread_set_find(struct span_thread_set *t, const struct span_thread *thread)
{
    if (t->n == 0 || !span_thread_is(&t->threads[t->last], thread))
        t->last = find_thread(t, thread);
    return t->last;
}

void span_thread_set_free(struct span_thread_set *t)
{
    memory_release(t->threads);
    table_free(&t->table);
}

/* ---- Asynchronous operations and flows --------------------------------------------- */

static bool group_is(const struct async_group *a, const struct async_group *b)
{
    return a->id == b->id && a->name == b->name && a->category == b->category &&
           a->process == b->process && a->stream == b->stream;
}

uint32_t async_groups_find(struct async_groups *g, const struct async_group *group)
{
    uint64_t hash = hash_word(hash_word(hash_start(), group->id), group->process);
    struct table_probe probe;
    uint32_t number;

    hash = hash_word(hash, (uint64_t)group->stream << 32 | group->name);
    hash = hash_word(hash, group->category);
    probe = table_probe(&g->table, hash);
    while (table_next(&g->table, &probe, &number)) {
        if (group_is(&g->groups[number], group))
            return number;
    }
    table_add(&g->table, hash, g->n);
    MEMORY_ADD(g->groups, g->n, g->capacity, *group);
    return (uint32_t)(g->n - 1);
}

void async_groups_free(struct async_groups *g)
{
    memory_release(g->groups);
    table_free(&g->table);
}

/* ---- Names ------------------------------------------------------------------------- */

uint32_t span_add_name(struct string_table *names, struct text *room,
                       const struct fxt_event *event)
{
    struct fxt_string name = event->name;

    if (name.data != NULL && name.size == 0)
        name = event->category;
    room->size = 0;
    if (name.data == NULL)
        text_printf(room, "string[%u]", name.ref);
    else if (name.size == 0)
        text_str(room, "(no name)");
    else
        return string_table_add(names, name.data, name.size);
    return string_table_add(names, room->data, room->size);
}
