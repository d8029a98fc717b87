/* SPDX-License-Identifier: BSD-2-Clause */
/* See apply.h. */
#include "apply.h"

#include <stddef.h>

static void say(struct apply_result *result, enum fxt_code code, uint32_t value)
{
    result->code = code;
    result->value = value;
}

static void apply_metadata(struct providers *providers, const struct fxt_record *record,
                           struct apply_result *result)
{
    uint32_t id = record->metadata.provider_id;

    if (record->kind == FXT_METADATA_PROVIDER_INFO) {
        if (!providers_select(providers, id))
            say(result, FXT_E_KEPT_LIMIT, id);
        providers_set_name(providers->current, record->metadata.name);
    } else if (record->kind == FXT_METADATA_PROVIDER_SECTION) {
        if (providers_find(providers, id) == NULL)
            say(result, FXT_E_PROVIDER_UNKNOWN, id);
        if (!providers_select(providers, id))
            say(result, FXT_E_KEPT_LIMIT, id);
    }
}

static void apply_initialization(struct providers *providers,
                                 const struct fxt_initialization *init)
{
    struct fxt_provider *shown = &providers->current->shown;

    shown->ticks_per_second = init->ticks_per_second;
    shown->has_base = init->has_base;
    shown->base_ticks = init->base_ticks;
    shown->base_wall_ns = init->base_wall_ns;
}

static void apply_string(struct providers *providers,
                         const struct fxt_string_registration *s, bool borrow,
                         struct apply_result *result)
{
    if (s->index == 0)
        say(result, FXT_E_INDEX_ZERO, 0);
    else if (!providers_keeps(providers) ||
             !tables_set_string(&providers->current->tables, providers->memory, s->index,
                                s->value.data, s->value.size, borrow))
        say(result, FXT_E_KEPT_LIMIT, s->index);
}

static void apply_thread(struct providers *providers,
                         const struct fxt_thread_registration *t,
                         struct apply_result *result)
{
    if (t->index == 0)
        say(result, FXT_E_INDEX_ZERO, 0);
    else if (!providers_keeps(providers) ||
             !tables_set_thread(&providers->current->tables, providers->memory, t->index,
                                t->process, t->thread))
        say(result, FXT_E_KEPT_LIMIT, t->index);
}

struct apply_result apply_record(struct providers *providers,
                                 const struct fxt_record *record, bool borrow)
{
    struct apply_result result = {FXT_OK, 0};

    switch (record->type) {
    case FXT_RECORD_METADATA:
        apply_metadata(providers, record, &result);
        break;
    case FXT_RECORD_INITIALIZATION:
        apply_initialization(providers, &record->initialization);
        break;
    case FXT_RECORD_STRING:
        apply_string(providers, &record->string, borrow, &result);
        break;
    case FXT_RECORD_THREAD:
        apply_thread(providers, &record->thread, &result);
        break;
    default:
        break;
    }
    return result;
}

void apply_damaged(struct providers *providers, const struct fxt_record *record)
{
    struct tables *tables = &providers->current->tables;

    if (record->type == FXT_RECORD_METADATA && record->kind == FXT_METADATA_PROVIDER_INFO)
        providers_select(providers, record->metadata.provider_id);
    else if (record->type == FXT_RECORD_STRING && record->string.index != 0)
        tables_forget_string(tables, record->string.index);
    else if (record->type == FXT_RECORD_THREAD && record->thread.index != 0)
        tables_forget_thread(tables, record->thread.index);
}
