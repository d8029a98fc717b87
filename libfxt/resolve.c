/* SPDX-License-Identifier: BSD-2-Clause */
/* See resolve.h. */
#include "resolve.h"

#include <stddef.h>

struct resolving {
    const struct tables *tables;
    struct resolve_result *result;
};

/* References are resolved from the record's last to its first, so that in the end the
 * result names the first that leads nowhere. */
static void resolve_string(struct resolving *r, struct fxt_string *string)
{
    if (string->data != NULL || tables_get_string(r->tables, string))
        return;
    r->result->string = FXT_E_STRING_UNKNOWN;
    r->result->string_index = string->ref;
}

static void resolve_thread(struct resolving *r, struct fxt_thread *thread)
{
    if (thread->known || tables_get_thread(r->tables, thread))
        return;
    r->result->thread = FXT_E_THREAD_UNKNOWN;
    r->result->thread_index = thread->ref;
}

static void resolve_args(struct resolving *r, struct fxt_arg *args, uint32_t n_args)
{
    for (uint32_t i = n_args; i-- > 0;) {
        if (args[i].type == FXT_ARG_STRING)
            resolve_string(r, &args[i].value.string);
        resolve_string(r, &args[i].name);
    }
}

static void say(struct resolve_result *result, enum fxt_code code, uint32_t registered)
{
    result->registration = code;
    result->registered = registered;
}

/* What changes the state of the stream is rare beside what refers to it; inlined, it
 * would make that slower. */
static FXT_NOINLINE void apply_metadata(struct providers *providers,
                                        const struct fxt_record *record,
                                        struct resolve_result *result)
{
    uint32_t id = record->metadata.provider_id;

    if (record->kind == FXT_METADATA_PROVIDER_INFO) {
        if (!providers_select(providers, id))
            say(result, providers->lost_because, id);
        providers_set_name(providers->current, record->metadata.name);
    } else if (record->kind == FXT_METADATA_PROVIDER_SECTION) {
        if (!providers_knows(providers, id))
            say(result, FXT_E_PROVIDER_UNKNOWN, id);
        if (!providers_select(providers, id))
            say(result, providers->lost_because, id);
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
                        struct resolve_result *result)
{
    if (!providers_keeps(providers))
        say(result, providers->lost_because, index);
    else if (!kept)
        say(result, providers->memory->refusal, index);
}

static FXT_NOINLINE void apply_string(struct providers *providers,
                                      const struct fxt_string_registration *s,
                                      bool borrow, struct resolve_result *result)
{
    bool kept;

    if (s->index == 0) {
        say(result, FXT_E_INDEX_ZERO, 0);
        return;
    }
    kept = providers_keeps(providers) &&
           tables_set_string(&providers->current->tables, providers->memory, s->index,
                             s->value.data, s->value.size, borrow);
    say_refusal(providers, kept, s->index, result);
}

static FXT_NOINLINE void apply_thread(struct providers *providers,
                                      const struct fxt_thread_registration *t,
                                      struct resolve_result *result)
{
    bool kept;

    if (t->index == 0) {
        say(result, FXT_E_INDEX_ZERO, 0);
        return;
    }
    kept = providers_keeps(providers) &&
           tables_set_thread(&providers->current->tables, providers->memory, t->index,
                             t->process, t->thread);
    say_refusal(providers, kept, t->index, result);
}

static void resolve_scheduling(struct resolving *r, struct fxt_record *record)
{
    if (record->kind != FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH)
        return;
    resolve_thread(r, &record->scheduling.incoming);
    resolve_thread(r, &record->scheduling.outgoing);
}

static void resolve_large_blob(struct resolving *r, struct fxt_large_blob *blob)
{
    resolve_string(r, &blob->name);
    resolve_string(r, &blob->category);
    if (blob->format == FXT_LARGE_BLOB_METADATA)
        resolve_thread(r, &blob->thread);
}

void resolve_record(struct providers *providers, struct fxt_record *record,
                    struct fxt_arg *args, bool borrow, struct resolve_result *result)
{
    struct resolving r = {&providers->current->tables, result};

    result->string = FXT_OK;
    result->thread = FXT_OK;
    result->registration = FXT_OK;
    if (record->n_args > 0)
        resolve_args(&r, args, record->n_args);
    switch (record->type) {
    case FXT_RECORD_METADATA:
        apply_metadata(providers, record, result);
        break;
    case FXT_RECORD_INITIALIZATION:
        apply_initialization(providers, &record->initialization);
        break;
    case FXT_RECORD_STRING:
        apply_string(providers, &record->string, borrow, result);
        break;
    case FXT_RECORD_THREAD:
        apply_thread(providers, &record->thread, result);
        break;
    case FXT_RECORD_EVENT:
        resolve_thread(&r, &record->event.thread);
        resolve_string(&r, &record->event.name);
        resolve_string(&r, &record->event.category);
        break;
    case FXT_RECORD_BLOB:
        resolve_string(&r, &record->blob.name);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        resolve_thread(&r, &record->userspace_object.process);
        resolve_string(&r, &record->userspace_object.name);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        resolve_string(&r, &record->kernel_object.name);
        break;
    case FXT_RECORD_SCHEDULING:
        resolve_scheduling(&r, record);
        break;
    case FXT_RECORD_LOG:
        resolve_thread(&r, &record->log.thread);
        break;
    case FXT_RECORD_PROFILER:
        if (!record->unknown)
            resolve_thread(&r, &record->profiler.thread);
        break;
    case FXT_RECORD_LARGE:
        if (!record->unknown)
            resolve_large_blob(&r, &record->large_blob);
        break;
    default:
        break;
    }
}

void resolve_unread(struct providers *providers, uint64_t header)
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
