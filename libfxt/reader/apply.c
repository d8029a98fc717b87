/* SPDX-License-Identifier: BSD-2-Clause */
/* See framing.h: what records do to the state of the stream: providers become current,
 * get a name and a clock rate, and register strings and threads. */
#include "framing.h"

static void report_fault(struct apply_result *result, enum fxt_code code, uint32_t value)
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
            report_fault(result, providers->lost_because, id);
        providers_set_name(providers->current, record->metadata.name);
    } else if (record->kind == FXT_METADATA_PROVIDER_SECTION) {
        if (!providers_knows(providers, id))
            report_fault(result, FXT_E_PROVIDER_UNKNOWN, id);
        if (!providers_select(providers, id))
            report_fault(result, providers->lost_because, id);
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

/* Says why a registration of the current provider was not kept, in case it was not. */
static void say_refusal(const struct providers *providers, bool kept, uint32_t index,
                        struct apply_result *result)
{
    if (!providers_keeps(providers))
        report_fault(result, providers->lost_because, index);
    else if (!kept)
        report_fault(result, providers->memory->refusal, index);
}

static void apply_string(struct providers *providers,
                         const struct fxt_string_registration *s, bool borrow,
                         struct apply_result *result)
{
    bool kept;

    if (s->index == 0) {
        report_fault(result, FXT_E_INDEX_ZERO, 0);
        return;
    }
    kept = providers_keeps(providers) &&
           tables_set_string(&providers->current->tables, providers->memory, s->index,
                             s->value.data, s->value.size, borrow);
    say_refusal(providers, kept, s->index, result);
}

static void apply_thread(struct providers *providers,
                         const struct fxt_thread_registration *t,
                         struct apply_result *result)
{
    bool kept;

    if (t->index == 0) {
        report_fault(result, FXT_E_INDEX_ZERO, 0);
        return;
    }
    kept = providers_keeps(providers) &&
           tables_set_thread(&providers->current->tables, providers->memory, t->index,
                             t->process, t->thread);
    say_refusal(providers, kept, t->index, result);
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

void apply_unread(struct providers *providers, uint64_t header)
{
    struct tables *tables = &providers->current->tables;

    switch (FXT_GET(header, RECORD_TYPE)) {
    case FXT_RECORD_METADATA:
        if (FXT_GET(header, METADATA_TYPE) == FXT_METADATA_PROVIDER_INFO)
            providers_select(providers, (uint32_t)FXT_GET(header, PROVIDER_ID));
        break;
    case FXT_RECORD_STRING:
        tables_forget_string(tables, (uint32_t)FXT_GET(header, STRING_INDEX));
        break;
    case FXT_RECORD_THREAD:
        tables_forget_thread(tables, (uint32_t)FXT_GET(header, THREAD_INDEX));
        break;
    default:
        break;
    }
}
