/* SPDX-License-Identifier: BSD-2-Clause */
/* See span_keys.h. */
#include "span_keys.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"

/* ---- Threads ----------------------------------------------------------------------- */

uint32_t span_thread_set_put(struct span_thread_set *t, const struct span_thread *thread)
{
    return TABLE_PUT(&t->table, t->threads, t->n, t->capacity, thread, stream,
                     unknown_ref, process, thread);
}

void span_thread_set_free(struct span_thread_set *t)
{
    memory_release(t->threads);
    table_free(&t->table);
}

/* ---- Asynchronous operations and flows --------------------------------------------- */

uint32_t async_groups_find(struct async_groups *g, const struct async_group *group)
{
    return TABLE_PUT(&g->table, g->groups, g->n, g->capacity, group, process, id, stream,
                     name, category);
}

uint32_t async_groups_known(const struct async_groups *g, const struct async_group *group)
{
    return TABLE_FIND(&g->table, g->groups, group, process, id, stream, name, category);
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
