/* SPDX-License-Identifier: BSD-2-Clause */
/* See walk.h. */
#include "walk.h"

#include <string.h>

static void number(const struct walker *w, const char *field, uint64_t value)
{
    if (w->number != NULL)
        w->number(w->context, field, value);
}

static void string(const struct walker *w, const char *field, const struct fxt_string *s)
{
    if (w->string != NULL)
        w->string(w->context, field, s);
}

static void thread(const struct walker *w, const char *field, const struct fxt_thread *t)
{
    if (w->thread != NULL)
        w->thread(w->context, field, t);
}

static void bytes(const struct walker *w, const char *field, struct fxt_bytes b)
{
    if (w->bytes != NULL)
        w->bytes(w->context, field, b.data, b.size);
}

static void words(const struct walker *w, const char *field, struct fxt_words found)
{
    if (w->words != NULL)
        w->words(w->context, field, found);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void walk_arg(const struct walker *w, const struct fxt_arg *arg)
{
    string(w, "arg", &arg->name);
    number(w, "type", arg->type);
    switch (arg->type) {
    case FXT_ARG_NULL:
        break;
    case FXT_ARG_INT32:
        number(w, "value", (uint64_t)(int64_t)arg->value.int32);
        break;
    case FXT_ARG_UINT32:
        number(w, "value", arg->value.uint32);
        break;
    case FXT_ARG_INT64:
        number(w, "value", (uint64_t)arg->value.int64);
        break;
    case FXT_ARG_UINT64:
        number(w, "value", arg->value.uint64);
        break;
    case FXT_ARG_DOUBLE:
        number(w, "bits", bits_of(arg->value.float64));
        break;
    case FXT_ARG_STRING:
        string(w, "value", &arg->value.string);
        break;
    case FXT_ARG_POINTER:
        number(w, "value", arg->value.pointer);
        break;
    case FXT_ARG_KOID:
        number(w, "value", arg->value.koid);
        break;
    case FXT_ARG_BOOL:
        number(w, "value", arg->value.boolean);
        break;
    case FXT_ARG_BLOB:
        bytes(w, "value", arg->value.blob);
        break;
    default:
        words(w, "value", arg->value.unknown);
    }
}

static void walk_metadata(const struct walker *w, const struct fxt_metadata *m)
{
    number(w, "provider", m->provider_id);
    string(w, "name", &m->name);
    number(w, "event", m->event);
    number(w, "info", m->trace_info);
    number(w, "magic", m->magic);
}

static void walk_event(const struct walker *w, const struct fxt_event *e)
{
    number(w, "timestamp", e->timestamp);
    thread(w, "thread", &e->thread);
    string(w, "category", &e->category);
    string(w, "name", &e->name);
    number(w, "id", e->id);
    number(w, "end", e->end_timestamp);
    number(w, "scope", e->scope);
}

static void walk_scheduling(const struct walker *w, const struct fxt_scheduling *s)
{
    number(w, "timestamp", s->timestamp);
    number(w, "cpu", s->cpu);
    number(w, "state", s->outgoing_state);
    thread(w, "outgoing", &s->outgoing);
    thread(w, "incoming", &s->incoming);
    number(w, "priorities", s->outgoing_priority);
    number(w, "and", s->incoming_priority);
    number(w, "waking", s->waking_thread);
}

static void walk_profiler(const struct walker *w, const struct fxt_profiler *p)
{
    number(w, "timestamp", p->timestamp);
    thread(w, "thread", &p->thread);
    number(w, "module", p->module_id);
    string(w, "name", &p->name);
    bytes(w, "build_id", p->build_id);
    number(w, "hex", p->build_id_is_hex);
    number(w, "start", p->start);
    number(w, "length", p->length);
    number(w, "vaddr", p->vaddr);
    number(w, "flags", p->flags);
    words(w, "pcs", p->pcs);
}

static void walk_large_blob(const struct walker *w, const struct fxt_large_blob *b)
{
    number(w, "format", b->format);
    number(w, "timestamp", b->timestamp);
    thread(w, "thread", &b->thread);
    string(w, "category", &b->category);
    string(w, "name", &b->name);
    bytes(w, "payload", b->payload);
}

/* The record types of a few fields each. */
static void walk_small(const struct walker *w, const struct fxt_record *r)
{
    switch (r->type) {
    case FXT_RECORD_INITIALIZATION:
        number(w, "rate", r->initialization.ticks_per_second);
        number(w, "has_base", r->initialization.has_base);
        number(w, "base_ticks", r->initialization.base_ticks);
        number(w, "base_wall_ns", r->initialization.base_wall_ns);
        break;
    case FXT_RECORD_STRING:
        number(w, "index", r->string.index);
        string(w, "value", &r->string.value);
        break;
    case FXT_RECORD_THREAD:
        number(w, "index", r->thread.index);
        number(w, "process", r->thread.process);
        number(w, "thread", r->thread.thread);
        break;
    case FXT_RECORD_BLOB:
        string(w, "name", &r->blob.name);
        number(w, "of_type", r->blob.type);
        bytes(w, "payload", r->blob.payload);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        number(w, "pointer", r->userspace_object.pointer);
        thread(w, "process", &r->userspace_object.process);
        string(w, "name", &r->userspace_object.name);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        number(w, "of_type", r->kernel_object.type);
        number(w, "koid", r->kernel_object.koid);
        string(w, "name", &r->kernel_object.name);
        break;
    case FXT_RECORD_LOG:
        number(w, "timestamp", r->log.timestamp);
        thread(w, "thread", &r->log.thread);
        string(w, "message", &r->log.message);
        break;
    default:
        break;
    }
}

/* Of unknown records, events alone have fields. */
static void walk_fields(const struct walker *w, const struct fxt_record *r)
{
    if (r->type == FXT_RECORD_EVENT)
        walk_event(w, &r->event);
    else if (r->unknown)
        return;
    else if (r->type == FXT_RECORD_METADATA)
        walk_metadata(w, &r->metadata);
    else if (r->type == FXT_RECORD_SCHEDULING)
        walk_scheduling(w, &r->scheduling);
    else if (r->type == FXT_RECORD_PROFILER)
        walk_profiler(w, &r->profiler);
    else if (r->type == FXT_RECORD_LARGE)
        walk_large_blob(w, &r->large_blob);
    else
        walk_small(w, r);
}

void walk_content(const struct walker *w, const struct fxt_record *r)
{
    number(w, "type", r->type);
    number(w, "kind", r->kind);
    walk_fields(w, r);
    for (uint32_t i = 0; i < r->n_args; i++)
        walk_arg(w, &r->args[i]);
    if (r->unknown)
        words(w, "unknown", r->body);
}

void walk_frame(const struct walker *w, const struct fxt_record *r)
{
    number(w, "offset", r->offset);
    number(w, "size", r->size);
    number(w, "header", r->header);
    number(w, "swapped", r->swapped);
    bytes(w, "data", (struct fxt_bytes){r->data, r->size});
    number(w, "provider", r->provider->id);
    string(w, "named", &r->provider->name);
    number(w, "rate", r->provider->ticks_per_second);
    number(w, "has_base", r->provider->has_base);
    number(w, "base_ticks", r->provider->base_ticks);
    number(w, "base_wall_ns", r->provider->base_wall_ns);
}

void walk_error(const struct walker *w, const struct fxt_error *e)
{
    number(w, "code", e->code);
    number(w, "severity", e->severity);
    number(w, "offset", e->offset);
    number(w, "byte", e->byte);
    number(w, "skipped", e->skipped);
    number(w, "value", e->value);
    number(w, "header", e->header);
    number(w, "provider", e->provider_id);
}
