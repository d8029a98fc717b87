/* SPDX-License-Identifier: BSD-2-Clause */
/* See fix.h. */
#include "fix.h"

#include <fxt/compiler.h>
#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/table_items.h"

enum { PROCESSES_MAX = 1 << 20 };

/* A thread that was never registered, of which there is but the index: the process 0 with
 * threads that no system has. */
#define UNKNOWN_THREAD UINT64_C(0xffffff00)

/* A record that is being changed, and the arguments that it has then. */
struct change {
    struct fix *fix;
    struct fxt_record record;
    struct fxt_arg args[FXT_ARGS_MAX];
    uint64_t rate;
};

/* ---- Texts ------------------------------------------------------------------------- */

/* One that is empty, and stays where it is until the next record. */
static struct text *new_text(struct fix *f)
{
    struct text *text;

    if (f->n_texts == FIX_TEXTS_MAX)
        memory_fail("a record has too many texts");
    text = &f->texts[f->n_texts++];
    text->size = 0;
    return text;
}

/* The first bytes of a text, without a character that would not be whole. */
static uint32_t cut_size(const char *data, uint32_t size)
{
    if (size <= FXT_STRING_SIZE_CAP)
        return size;
    return (uint32_t)quote_count_utf8(data, FXT_STRING_SIZE_CAP);
}

static struct fxt_string text_string(struct fxt_string string, const struct text *text)
{
    string.data = text->data != NULL ? text->data : "";
    string.size = (uint32_t)text->size;
    return string;
}

/* A text that can be written. */
static struct fxt_string clean(struct fix *f, struct fxt_string string)
{
    struct text *text;

    if (string.data == NULL) {
        text = new_text(f);
        text_printf(text, "string[%u]", string.ref);
        return text_string(string, text);
    }
    if (quote_count_utf8(string.data, string.size) != string.size) {
        text = new_text(f);
        quote_utf8(text, string.data, string.size);
        string = text_string(string, text);
    }
    string.size = cut_size(string.data, string.size);
    return string;
}

/* The name of a provider, of which there may be none; its size has eight bits. */
static struct fxt_string clean_provider(struct fix *f, struct fxt_string name)
{
    if (name.data == NULL)
        return fxt_string_from("");
    name = clean(f, name);
    if (name.size > FXT_PROVIDER_NAME_SIZE_MAX)
        name.size = (uint32_t)quote_count_utf8(name.data, FXT_PROVIDER_NAME_SIZE_MAX);
    return name;
}

static struct fix_provider *select_provider(struct fix *f,
                                            const struct fxt_provider *provider)
{
    struct fix_provider *current = fix_tables_current(&f->tables, provider->id);

    return current != NULL ? current
                           : fix_tables_select(&f->tables, provider->id,
                                               clean_provider(f, provider->name));
}

static struct fxt_string put_inline(struct fxt_string string)
{
    string.ref = FXT_STRING_REF_INLINE;
    return string;
}

/* Names are in the table, where all readers find them. */
static void fix_name(struct fix *f, struct fxt_string *string)
{
    struct fxt_string given = *string;
    uint16_t known = fix_tables_find_string(&f->tables, given.ref);

    if (known != 0 && given.data != NULL) {
        string->ref = known;
        return;
    }
    *string = fix_tables_string(&f->tables, clean(f, given));
    /* What had to be changed is changed each time. */
    if (string->ref < FXT_STRING_REF_INLINE && string->data == given.data &&
        string->size == given.size)
        fix_tables_keep_string(&f->tables, given.ref, string->ref);
}

/* Values come to the table, too, as long as enough of it is left for names. */
static void fix_value(struct fix *f, struct fxt_string *string)
{
    bool is_inline = (string->ref & FXT_STRING_REF_INLINE) != 0;

    if (is_inline || string->ref == 0)
        *string = fix_tables_value(&f->tables, clean(f, *string));
    else
        fix_name(f, string);
}

/* Any bytes may be one; but in a table strings are texts. */
static void fix_object_name(struct fix *f, struct fxt_string *string)
{
    if (string->data == NULL ||
        quote_count_utf8(string->data, string->size) == string->size)
        fix_name(f, string);
    else
        *string = put_inline(*string);
    if (string->size > FXT_STRING_SIZE_CAP)
        string->size = FXT_STRING_SIZE_CAP;
}

/* ---- Threads ----------------------------------------------------------------------- */

static void learn_process(struct fix *f, const struct fxt_thread *thread)
{
    const struct koid_pair pair = {thread->thread, thread->process};

    if (thread->process != 0 && thread->thread != 0 && f->n_processes < PROCESSES_MAX)
        TABLE_PUT(&f->process_table, f->processes, f->n_processes, f->process_capacity,
                  &pair, thread);
}

static void fix_thread(struct fix *f, struct fxt_thread *thread)
{
    uint8_t given = thread->ref;
    uint8_t known = fix_tables_find_thread(&f->tables, given);
    bool was_known = thread->known;

    if (known != 0 && thread->known) {
        thread->ref = known;
        return;
    }
    if (!thread->known)
        *thread = fxt_thread_from(0, UNKNOWN_THREAD | thread->ref);
    learn_process(f, thread);
    *thread = fix_tables_thread(&f->tables, *thread);
    if (was_known)
        fix_tables_keep_thread(&f->tables, given, thread->ref);
}

/* The threads of samplers' records stay where they are. */
static void fix_inline_thread(struct fix *f, struct fxt_thread *thread)
{
    if (thread->ref != FXT_THREAD_REF_INLINE)
        fix_thread(f, thread);
    else
        learn_process(f, thread);
}

/* ---- Times ------------------------------------------------------------------------- */

static void fix_time(const struct change *c, uint64_t *ticks)
{
    if (c->rate != FXT_DEFAULT_TICKS_PER_SECOND)
        fxt_ticks_to_ns(*ticks, c->rate, ticks);
}

/* ---- Arguments --------------------------------------------------------------------- */

/* Of a type that may refer to anything. */
static bool is_opaque(const struct fxt_arg *arg)
{
    return arg->type > FXT_ARG_BLOB && arg->unknown_bits != 0;
}

static void fix_args(struct change *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->record.n_args; i++) {
        struct fxt_arg *arg = &c->args[n];

        *arg = c->record.args[i];
        if (is_opaque(arg))
            continue;
        fix_name(c->fix, &arg->name);
        if (arg->type == FXT_ARG_STRING)
            fix_value(c->fix, &arg->value.string);
        n++;
    }
    c->record.args = c->args;
    c->record.n_args = n;
}

static void add_process(struct change *c)
{
    const struct koid_pair key = {c->record.kernel_object.koid, 0};
    struct fix *f = c->fix;
    uint32_t number;

    if (c->record.kernel_object.type != FXT_OBJECT_THREAD ||
        c->record.n_args == FXT_ARGS_MAX || fxt_record_arg(&c->record, "process") != NULL)
        return;
    number = TABLE_FIND(&f->process_table, f->processes, &key, thread);
    if (number == TABLE_NONE)
        return;
    c->args[c->record.n_args++] = (struct fxt_arg){
        .name = fix_tables_string(&f->tables, fxt_string_from("process")),
        .type = FXT_ARG_KOID,
        .value.koid = f->processes[number].process};
}

/* ---- Records ----------------------------------------------------------------------- */

static void fix_event(struct change *c)
{
    struct fxt_event *e = &c->record.event;

    fix_name(c->fix, &e->category);
    fix_name(c->fix, &e->name);
    fix_thread(c->fix, &e->thread);
    fix_time(c, &e->timestamp);
    if (c->record.kind == FXT_EVENT_DURATION_COMPLETE && !c->record.unknown) {
        fix_time(c, &e->end_timestamp);
        if (e->end_timestamp < e->timestamp)
            e->end_timestamp = e->timestamp;
    }
}

static void fix_scheduling(struct change *c)
{
    struct fxt_scheduling *s = &c->record.scheduling;

    fix_time(c, &s->timestamp);
    if (c->record.kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH) {
        fix_thread(c->fix, &s->outgoing);
        fix_thread(c->fix, &s->incoming);
    }
}

static void fix_large(struct change *c)
{
    struct fxt_large_blob *b = &c->record.large_blob;

    fix_value(c->fix, &b->category);
    fix_value(c->fix, &b->name);
    if (b->format != FXT_LARGE_BLOB_METADATA)
        return;
    fix_inline_thread(c->fix, &b->thread);
    fix_time(c, &b->timestamp);
}

static void fix_profiler(struct change *c)
{
    struct fxt_profiler *p = &c->record.profiler;

    fix_inline_thread(c->fix, &p->thread);
    fix_time(c, &p->timestamp);
}

static void fix_content(struct change *c)
{
    struct fxt_record *r = &c->record;

    switch (r->type) {
    case FXT_RECORD_EVENT:
        fix_event(c);
        break;
    case FXT_RECORD_BLOB:
        fix_value(c->fix, &r->blob.name);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        fix_value(c->fix, &r->userspace_object.name);
        fix_inline_thread(c->fix, &r->userspace_object.process);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        fix_object_name(c->fix, &r->kernel_object.name);
        break;
    case FXT_RECORD_SCHEDULING:
        fix_scheduling(c);
        break;
    case FXT_RECORD_LOG:
        r->log.message = clean(c->fix, r->log.message);
        fix_thread(c->fix, &r->log.thread);
        fix_time(c, &r->log.timestamp);
        break;
    case FXT_RECORD_PROFILER:
        fix_profiler(c);
        break;
    case FXT_RECORD_LARGE:
        fix_large(c);
        break;
    default:
        break;
    }
    fix_args(c);
    if (r->type == FXT_RECORD_KERNEL_OBJECT)
        add_process(c);
}

static void write_or_count(struct fix *f, const struct fxt_record *record)
{
    enum fxt_code code = fxt_writer_write(f->writer, record);

    if (code == FXT_OK)
        return;
    if (f->n_refused++ == 0) {
        f->first_code = code;
        f->first_offset = record->offset;
    }
}

static void write_rate(struct fix *f, struct fix_provider *provider,
                       const struct fxt_record *given)
{
    struct fxt_record record = {.type = FXT_RECORD_INITIALIZATION};
    uint64_t rate = given->provider->ticks_per_second;

    if (given->type == FXT_RECORD_INITIALIZATION) {
        record = *given;
        rate = given->initialization.ticks_per_second;
    }
    if (rate != FXT_DEFAULT_TICKS_PER_SECOND)
        fxt_ticks_to_ns(record.initialization.base_ticks, rate,
                        &record.initialization.base_ticks);
    record.initialization.ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND;
    provider->has_rate = true;
    write_or_count(f, &record);
}

static void fix_metadata(struct fix *f, const struct fxt_record *record)
{
    struct fxt_string none = fxt_string_from("");
    bool is_info = record->kind == FXT_METADATA_PROVIDER_INFO;

    if (record->unknown || record->kind == FXT_METADATA_TRACE_INFO)
        return;
    if (is_info || record->kind == FXT_METADATA_PROVIDER_SECTION)
        fix_tables_select(&f->tables, record->metadata.provider_id,
                          is_info ? clean_provider(f, record->metadata.name) : none);
    else
        write_or_count(f, record);
}

/* What an index of the input meant is no longer known. */
static void forget_index(struct fix *f, const struct fxt_record *record)
{
    select_provider(f, record->provider);
    if (record->type == FXT_RECORD_STRING)
        fix_tables_keep_string(&f->tables, record->string.index, 0);
    else
        fix_tables_keep_thread(&f->tables, record->thread.index, 0);
}

/* Not inline: what stays needs no room for changes. */
static FXT_NOINLINE void write_changed(struct fix *f, struct fix_provider *provider,
                                       const struct fxt_record *record)
{
    struct change c;
    uint64_t time;

    if (!provider->has_rate && (record->unknown || fxt_record_time(record, &time)))
        write_rate(f, provider, record);
    c.fix = f;
    c.record = *record;
    c.rate = record->provider->ticks_per_second;
    fix_content(&c);
    write_or_count(f, &c.record);
}

void fix_record(struct fix *f, const struct fxt_record *record, bool is_as_written)
{
    struct fix_provider *provider;

    f->n_texts = 0;
    if (record->type == FXT_RECORD_METADATA) {
        fix_metadata(f, record);
        return;
    }
    if (record->type == FXT_RECORD_STRING || record->type == FXT_RECORD_THREAD) {
        f->is_part = f->is_part || part_mark_read(&f->mark, record);
        forget_index(f, record);
        return;
    }
    if (record->unknown && record->type != FXT_RECORD_EVENT)
        return;
    provider = select_provider(f, record->provider);
    if (record->type == FXT_RECORD_INITIALIZATION)
        write_rate(f, provider, record);
    else if (is_as_written && provider->has_rate && fix_stays(&f->tables, record))
        record_run_add(&f->run, f->output, record);
    else
        write_changed(f, provider, record);
}

/* ---- From start to end ------------------------------------------------------------- */

void fix_release(struct fix *f)
{
    record_run_flush(&f->run, f->output);
}

/* A write callback. */
static int take_bytes(void *context, const void *data, size_t size)
{
    struct fix *f = (struct fix *)context;

    fix_release(f);
    return output_take(f->output, data, size);
}

void fix_start(struct fix *f, struct output *output)
{
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = take_bytes,
                                         .context = f,
                                         .buffer_size = 1,
                                         .byte_order = FXT_BYTE_ORDER_LITTLE,
                                         .strings = FXT_REFERENCES_AS_GIVEN,
                                         .threads = FXT_REFERENCES_AS_GIVEN};

    *f = (struct fix){.output = output};
    if (fxt_writer_create(&options, &f->writer) != FXT_OK)
        memory_fail(MEMORY_EXHAUSTED);
    f->tables.writer = f->writer;
    fxt_writer_start_archive(f->writer, 0);
}

void fix_end(struct fix *f)
{
    fxt_writer_finish(f->writer);
    fix_release(f);
    if (f->is_part)
        part_mark_write(f->output, &f->mark, FXT_HOST_IS_BIG_ENDIAN);
}

void fix_free(struct fix *f)
{
    fxt_writer_destroy(f->writer);
    fix_tables_free(&f->tables);
    memory_release(f->processes);
    table_free(&f->process_table);
    for (size_t i = 0; i < FIX_TEXTS_MAX; i++)
        text_free(&f->texts[i]);
}
