/* SPDX-License-Identifier: BSD-2-Clause */
/* See providers.h. */
#include "providers.h"

#include "clock.h"
#include "common/base/memory.h"
#include "common/base/table_items.h"

enum { PROVIDER_NAME_MAX = 255 };

/* Returns false if the number was given before. */
static bool take_number(struct merged_providers *p, uint32_t number)
{
    struct provider_number item = {number};
    size_t n = p->n_numbers;

    TABLE_PUT(&p->numbers_table, p->numbers, p->n_numbers, p->numbers_capacity, &item,
              number);
    return p->n_numbers > n;
}

static uint32_t choose_number(struct merged_providers *p, uint32_t id)
{
    if (take_number(p, id))
        return id;
    while (!take_number(p, ++p->next_number))
        continue;
    return p->next_number;
}

static void set_base(struct merged_provider *to, const struct fxt_provider *from)
{
    bool cut = false;

    to->base_ticks = clock_add(from->base_ticks, to->shift_ticks, &cut);
    to->base_wall_ns = from->base_wall_ns;
    to->has_base = from->has_base && !cut;
}

size_t merged_providers_add(struct merged_providers *p, size_t machine,
                            const struct fxt_provider *provider, int64_t shift_ticks,
                            int64_t shift_ns)
{
    struct merged_provider added = {
        .machine = machine,
        .id = provider->id,
        .name = string_table_add(&p->names, provider->name.data, provider->name.size),
        .ticks_per_second = provider->ticks_per_second,
        .shift_ticks = shift_ticks,
        .shift_ns = shift_ns,
    };
    size_t n = p->n;
    size_t index = TABLE_PUT(&p->table, p->all, p->n, p->capacity, &added, machine, id,
                             name, ticks_per_second, shift_ticks);

    if (p->n > n)
        p->all[index].number = choose_number(p, provider->id);
    if (!p->all[index].announced && !p->all[index].has_base)
        set_base(&p->all[index], provider);
    return index;
}

/* ---- Writing ----------------------------------------------------------------------- */

/* Records that no provider was announced for stay without one. */
static bool is_nameless(const struct merged_providers *p, const struct merged_provider *m)
{
    return m->number == 0 && !m->has_base &&
           m->ticks_per_second == FXT_DEFAULT_TICKS_PER_SECOND &&
           string_table_get(&p->names, (uint32_t)m->name).size == 0;
}

static void write_info(const struct merged_providers *p, const struct merged_provider *m,
                       const struct machines *machines, struct fxt_writer *writer)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_INFO};
    struct string name = string_table_get(&p->names, (uint32_t)m->name);
    struct text text = {NULL, 0, 0};

    if (machines->n > 1)
        text_printf(&text, "%s%s", machines->all[m->machine].name,
                    name.size > 0 ? ": " : "");
    text_add(&text, name.data, name.size);
    record.metadata.provider_id = m->number;
    record.metadata.name = fxt_string_at(
        text.size > 0 ? text.data : "",
        text.size < PROVIDER_NAME_MAX ? (uint32_t)text.size : PROVIDER_NAME_MAX);
    fxt_writer_write(writer, &record);
    text_free(&text);
}

static void write_initialization(const struct merged_provider *m,
                                 struct fxt_writer *writer)
{
    struct fxt_record record = {.type = FXT_RECORD_INITIALIZATION};

    record.initialization.ticks_per_second = m->ticks_per_second;
    record.initialization.has_base = m->has_base;
    record.initialization.base_ticks = m->base_ticks;
    record.initialization.base_wall_ns = m->base_wall_ns;
    fxt_writer_write(writer, &record);
}

void merged_providers_switch(struct merged_providers *p, size_t index,
                             const struct machines *machines, struct fxt_writer *writer)
{
    struct merged_provider *m = &p->all[index];
    struct fxt_record section = {.type = FXT_RECORD_METADATA,
                                 .kind = FXT_METADATA_PROVIDER_SECTION};

    section.metadata.provider_id = m->number;
    if (!m->announced && !is_nameless(p, m)) {
        write_info(p, m, machines, writer);
        write_initialization(m, writer);
    } else if (m->number != p->current) {
        fxt_writer_write(writer, &section);
    }
    m->announced = true;
    p->current = m->number;
}

void merged_providers_free(struct merged_providers *p)
{
    memory_release(p->all);
    memory_release(p->numbers);
    table_free(&p->table);
    table_free(&p->numbers_table);
    string_table_free(&p->names);
}
