/* SPDX-License-Identifier: BSD-2-Clause */
/* See maker.h. */
#include "maker.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

uint64_t maker_below(struct maker *m, uint64_t n)
{
    return random_next(&m->state) % n;
}

static bool chance(struct maker *m, uint64_t one_in)
{
    return maker_below(m, one_in) == 0;
}

void maker_start(struct maker *m, uint64_t seed)
{
    m->state = seed;
    m->unknown = false;
    m->n_names = 200;
    m->n_threads = 40;
    m->provider = 0;
    for (uint32_t i = 0; i < MAKER_POOL; i++)
        m->pool[i] = (char)random_next(&m->state);
    for (uint32_t i = 0; i < MAKER_WORDS; i++)
        m->words[i] = random_next(&m->state);
    for (uint32_t i = 0; i < MAKER_PROVIDERS; i++) {
        m->announced[i] = false;
        m->providers[i] = (struct fxt_provider){
            .id = i == 4 ? UINT32_MAX : i,
            .ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND,
        };
    }
}

/* ---- What records are made of ------------------------------------------------------ */

static uint64_t number(struct maker *m)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     0x7fffffff,
                                     0x80000000,
                                     UINT32_MAX,
                                     INT64_MAX,
                                     (uint64_t)INT64_MAX + 1,
                                     UINT64_MAX};

    if (chance(m, 3))
        return edges[maker_below(m, sizeof(edges) / sizeof(edges[0]))];
    return random_next(&m->state) >> maker_below(m, 64);
}

/* A field's value: often small, now and then the largest. */
static uint32_t field(struct maker *m, uint64_t max)
{
    return (uint32_t)(chance(m, 5) ? max : maker_below(m, max + 1));
}

static struct fxt_string slice(struct maker *m, uint32_t at, uint32_t size)
{
    return (struct fxt_string){m->pool + at % (MAKER_POOL - size), size, 0};
}

/* Most are names that come again; some come once; a few are empty or very long. */
static struct fxt_string string(struct maker *m)
{
    uint32_t at;

    switch (maker_below(m, 40)) {
    case 0:
        return (struct fxt_string){"", 0, 0};
    case 1:
        return (struct fxt_string){NULL, 0, 0};
    case 2:
        return slice(m, (uint32_t)number(m), 1 + field(m, 300));
    case 3:
        return slice(m, (uint32_t)number(m), 1000 + field(m, 50));
    default:
        at = (uint32_t)maker_below(m, m->n_names);
        return slice(m, at * 97, 1 + at % 23);
    }
}

static struct fxt_thread thread(struct maker *m)
{
    uint64_t koid = maker_below(m, m->n_threads);

    if (chance(m, 20))
        return (struct fxt_thread){number(m), number(m), 0, true};
    if (chance(m, 20))
        return (struct fxt_thread){0};
    return (struct fxt_thread){koid / 8, koid, 0, true};
}

static struct fxt_bytes bytes(struct maker *m, uint32_t max)
{
    uint32_t size = field(m, max);
    struct fxt_string s = slice(m, (uint32_t)number(m), size);

    return (struct fxt_bytes){s.data, size};
}

/* Words in either byte order, at any address. */
static struct fxt_words words(struct maker *m, uint32_t max)
{
    uint32_t count = field(m, max);
    const char *data = (const char *)m->words + maker_below(m, 64);

    return (struct fxt_words){data, count, chance(m, 2)};
}

static void make_arg(struct maker *m, struct fxt_arg *arg)
{
    arg->name = string(m);
    arg->type = (uint32_t)maker_below(m, m->unknown ? 16 : FXT_ARG_BLOB + 1);
    arg->unknown_bits = (uint32_t)number(m);
    arg->value.uint64 = number(m);
    if (arg->type == FXT_ARG_STRING)
        arg->value.string = string(m);
    if (arg->type == FXT_ARG_BOOL)
        arg->value.boolean = chance(m, 2);
    if (arg->type == FXT_ARG_BLOB)
        arg->value.blob = bytes(m, 60);
    if (arg->type > FXT_ARG_BLOB)
        arg->value.unknown = words(m, 4);
}

static void make_args(struct maker *m, struct fxt_record *r)
{
    r->n_args = chance(m, 10) ? FXT_ARGS_MAX : (uint32_t)maker_below(m, 4);
    r->args = m->args;
    for (uint32_t i = 0; i < r->n_args; i++)
        make_arg(m, &m->args[i]);
}

static void make_unknown(struct maker *m, struct fxt_record *r)
{
    r->unknown = true;
    r->header = random_next(&m->state);
    r->body = words(m, 20);
}

/* ---- Records ----------------------------------------------------------------------- */

static void make_magic(struct fxt_record *r)
{
    r->kind = FXT_METADATA_TRACE_INFO;
    r->metadata.trace_info = FXT_TRACE_INFO_MAGIC_NUMBER;
    r->metadata.magic = FXT_MAGIC_NUMBER;
}

static void make_metadata(struct maker *m, struct fxt_record *r)
{
    uint32_t provider = (uint32_t)maker_below(m, MAKER_PROVIDERS);
    struct fxt_string name = string(m);

    r->kind = (uint32_t)maker_below(m, m->unknown ? 16 : 5);
    if (r->kind == 0 && !m->unknown)
        r->kind = FXT_METADATA_PROVIDER_SECTION;
    if (r->kind == FXT_METADATA_TRACE_INFO) {
        make_magic(r);
        return;
    }
    /* A section must have been announced. */
    if (r->kind == FXT_METADATA_PROVIDER_SECTION && !m->announced[provider])
        r->kind = FXT_METADATA_PROVIDER_INFO;
    r->metadata.provider_id = m->providers[provider].id;
    switch (r->kind) {
    case FXT_METADATA_PROVIDER_INFO:
        name.size = name.size < 255 ? name.size : 255;
        r->metadata.name = name;
        m->announced[provider] = true;
        m->provider = provider;
        break;
    case FXT_METADATA_PROVIDER_SECTION:
        m->provider = provider;
        break;
    case FXT_METADATA_PROVIDER_EVENT:
        r->metadata.event = field(m, 15);
        break;
    default:
        make_unknown(m, r);
    }
}

static void make_initialization(struct maker *m, struct fxt_record *r)
{
    struct fxt_initialization *init = &r->initialization;

    init->ticks_per_second = number(m) | 1;
    init->has_base = chance(m, 2);
    if (init->has_base) {
        init->base_ticks = number(m);
        init->base_wall_ns = number(m);
    }
    m->providers[m->provider].ticks_per_second = init->ticks_per_second;
}

/* A number that is not less than another. */
static uint64_t later(struct maker *m, uint64_t than)
{
    uint64_t n = number(m);

    return n >= than ? n : than;
}

static void make_event(struct maker *m, struct fxt_record *r)
{
    struct fxt_event *e = &r->event;

    r->kind = (uint32_t)maker_below(m, m->unknown ? 16 : 11);
    e->timestamp = number(m);
    e->thread = thread(m);
    e->category = string(m);
    e->name = string(m);
    if (r->kind == FXT_EVENT_COUNTER ||
        (r->kind >= FXT_EVENT_ASYNC_BEGIN && r->kind <= FXT_EVENT_FLOW_END))
        e->id = number(m);
    if (r->kind == FXT_EVENT_DURATION_COMPLETE)
        e->end_timestamp = later(m, e->timestamp);
    if (r->kind == FXT_EVENT_INSTANT)
        e->scope = chance(m, 2) ? 0 : number(m);
    make_args(m, r);
    if (r->kind > FXT_EVENT_FLOW_END) {
        r->unknown = true;
        r->body = words(m, 3);
    }
}

static void make_blob(struct maker *m, struct fxt_record *r)
{
    r->blob.name = string(m);
    r->blob.type = field(m, 255);
    r->blob.payload = bytes(m, chance(m, 20) ? 31000 : 100);
}

static void make_userspace_object(struct maker *m, struct fxt_record *r)
{
    r->userspace_object.pointer = number(m);
    r->userspace_object.process = thread(m);
    r->userspace_object.name = string(m);
    make_args(m, r);
}

static void make_kernel_object(struct maker *m, struct fxt_record *r)
{
    r->kernel_object.type = field(m, 255);
    r->kernel_object.koid = number(m);
    r->kernel_object.name = string(m);
    make_args(m, r);
}

static void make_scheduling(struct maker *m, struct fxt_record *r)
{
    struct fxt_scheduling *s = &r->scheduling;

    r->kind = (uint32_t)maker_below(m, m->unknown ? 16 : 3);
    if (r->kind > FXT_SCHEDULING_THREAD_WAKEUP) {
        make_unknown(m, r);
        return;
    }
    s->timestamp = number(m);
    s->cpu = field(m, r->kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH ? 255 : 65535);
    if (r->kind == FXT_SCHEDULING_THREAD_WAKEUP) {
        s->waking_thread = number(m);
        make_args(m, r);
        return;
    }
    s->outgoing_state = field(m, 15);
    if (r->kind == FXT_SCHEDULING_CONTEXT_SWITCH) {
        s->outgoing = (struct fxt_thread){0, number(m), 0, true};
        s->incoming = (struct fxt_thread){0, number(m), 0, true};
        make_args(m, r);
        return;
    }
    s->outgoing = thread(m);
    s->incoming = thread(m);
    s->outgoing_priority = field(m, 255);
    s->incoming_priority = field(m, 255);
}

static void make_log(struct maker *m, struct fxt_record *r)
{
    r->log.timestamp = number(m);
    r->log.thread = thread(m);
    r->log.message =
        chance(m, 20) ? slice(m, (uint32_t)number(m), FXT_STRING_SIZE_CAP) : string(m);
}

static void make_profiler(struct maker *m, struct fxt_record *r)
{
    struct fxt_profiler *p = &r->profiler;

    r->kind = (uint32_t)maker_below(m, m->unknown ? 16 : 3);
    if (r->kind > FXT_PROFILER_BACKTRACE) {
        make_unknown(m, r);
        return;
    }
    p->timestamp = number(m);
    p->thread = thread(m);
    if (r->kind == FXT_PROFILER_BACKTRACE) {
        p->pcs = words(m, 255);
        return;
    }
    p->module_id = field(m, 65535);
    if (r->kind == FXT_PROFILER_MODULE) {
        p->name = string(m);
        p->name.size = p->name.size < 255 ? p->name.size : 255;
        p->build_id = bytes(m, 255);
        return;
    }
    p->start = number(m);
    p->length = number(m);
    p->vaddr = number(m);
    p->flags = field(m, 7);
}

static void make_large(struct maker *m, struct fxt_record *r)
{
    struct fxt_large_blob *b = &r->large_blob;

    if (m->unknown && chance(m, 4)) {
        r->kind = field(m, 15);
        make_unknown(m, r);
        b->format =
            r->kind == 0 ? 2 + field(m, 13) : FXT_GET(r->header, LARGE_BLOB_FORMAT);
        r->header &= ~FXT_PUT(LARGE_BLOB_FORMAT, UINT64_MAX);
        r->header |= FXT_PUT(LARGE_BLOB_FORMAT, b->format);
        return;
    }
    b->format = (uint32_t)maker_below(m, 2);
    b->payload = bytes(m, chance(m, 8) ? 60000 : 200);
    if (chance(m, 3)) {
        /* A sampler's. */
        b->payload.size &= ~(uint64_t)7;
        b->format = FXT_LARGE_BLOB_METADATA;
        r->swapped = chance(m, 2);
    } else {
        b->category = string(m);
        b->name = string(m);
    }
    if (b->format == FXT_LARGE_BLOB_METADATA) {
        b->timestamp = number(m);
        b->thread = thread(m);
        if (chance(m, 2))
            make_args(m, r);
    }
}

static void make_other(struct maker *m, struct fxt_record *r)
{
    /* Types that the format does not have. */
    static const uint32_t unknown[] = {11, 12, 13, 14};

    if (!m->unknown) {
        r->type = FXT_RECORD_METADATA;
        make_magic(r);
        return;
    }
    r->type = unknown[maker_below(m, sizeof(unknown) / sizeof(unknown[0]))];
    make_unknown(m, r);
}

void maker_make(struct maker *m, struct fxt_record *r)
{
    static const struct {
        uint32_t type;
        void (*make)(struct maker *m, struct fxt_record *r);
    } types[] = {
        {FXT_RECORD_METADATA, make_metadata},
        {FXT_RECORD_INITIALIZATION, make_initialization},
        {FXT_RECORD_EVENT, make_event},
        {FXT_RECORD_EVENT, make_event},
        {FXT_RECORD_EVENT, make_event},
        {FXT_RECORD_EVENT, make_event},
        {FXT_RECORD_BLOB, make_blob},
        {FXT_RECORD_USERSPACE_OBJECT, make_userspace_object},
        {FXT_RECORD_KERNEL_OBJECT, make_kernel_object},
        {FXT_RECORD_SCHEDULING, make_scheduling},
        {FXT_RECORD_LOG, make_log},
        {FXT_RECORD_PROFILER, make_profiler},
        {FXT_RECORD_PROFILER, make_profiler},
        {FXT_RECORD_LARGE, make_large},
        {FXT_RECORD_LARGE, make_large},
        {FXT_RECORD_LARGE, make_other},
    };
    uint64_t i = maker_below(m, sizeof(types) / sizeof(types[0]));

    memset(r, 0, sizeof(*r));
    r->type = types[i].type;
    types[i].make(m, r);
    r->provider = &m->providers[m->provider];
}

enum fxt_code maker_write(struct maker *m, struct fxt_writer *writer, int n)
{
    enum fxt_code code = FXT_OK;

    for (int i = 0; i < n && code == FXT_OK; i++) {
        struct fxt_record record;

        maker_make(m, &record);
        code = fxt_writer_write(writer, &record);
    }
    return code;
}
