/* SPDX-License-Identifier: BSD-2-Clause */
/* See assign_refs.h. */
#include "assign_refs.h"

#include <stddef.h>

/* One decision after the other; the first fault stays. */
struct decision {
    struct ref_assigner *r;
    struct word_writer *words;
    enum fxt_code fault;
};

static uint16_t refuse_record(struct decision *d, enum fxt_code fault)
{
    if (d->fault == FXT_OK)
        d->fault = fault;
    return 0;
}

/* How often the same string is expected to occur. */
enum expected { OFTEN, SELDOM };

static bool is_index(uint16_t ref)
{
    return ref != FXT_STRING_REF_EMPTY && !(ref & FXT_STRING_REF_INLINE);
}

/* A string that has a size and is in the table or inline. */
static uint16_t assign_refs_to_bytes(struct decision *d, const struct fxt_string *s,
                                     enum expected expected)
{
    uint16_t index = 0;

    if (d->r->strings == FXT_REFERENCES_TABLE && s->size <= FXT_TABLE_STRING_SIZE_MAX)
        index = intern_string(&d->r->intern, s, expected == SELDOM, d->words);
    return index != 0 ? index : (uint16_t)(FXT_STRING_REF_INLINE | s->size);
}

/* A string by an index that was never registered. Not inline: it is rare, and its text
 * would be on the stack of what is not. */
static FXT_NOINLINE uint16_t name_unresolved(struct decision *d,
                                             const struct fxt_string *s)
{
    char text[1 + 5];
    struct fxt_string named = {text, 1, 0};
    uint16_t index = 0;
    uint32_t scale = 10000;

    text[0] = '#';
    while (scale > 1 && s->ref < scale)
        scale /= 10;
    for (; scale > 0; scale /= 10)
        text[named.size++] = (char)('0' + s->ref / scale % 10);
    if (d->r->name_unresolved && d->r->strings == FXT_REFERENCES_TABLE && s->size == 0)
        index = intern_string(&d->r->intern, &named, false, d->words);
    return index != 0 ? index : refuse_record(d, FXT_E_STRING_UNKNOWN);
}

static uint16_t assign_refs_to_string(struct decision *d, const struct fxt_string *s,
                                      enum expected expected)
{
    bool as_given = d->r->strings == FXT_REFERENCES_AS_GIVEN;

    if (as_given && is_index(s->ref))
        return s->ref;
    if (FXT_UNLIKELY(s->data == NULL && (s->size > 0 || is_index(s->ref))))
        return name_unresolved(d, s);
    if (FXT_UNLIKELY(s->size > FXT_STRING_SIZE_CAP))
        return refuse_record(d, FXT_E_STRING_SIZE);
    if (s->size == 0)
        return as_given ? s->ref & FXT_STRING_REF_INLINE : FXT_STRING_REF_EMPTY;
    return assign_refs_to_bytes(d, s, expected);
}

static uint8_t assign_refs_to_thread(struct decision *d, const struct fxt_thread *t,
                                     enum expected expected)
{
    if (d->r->threads == FXT_REFERENCES_AS_GIVEN)
        return t->ref;
    if (FXT_UNLIKELY(!t->known && t->ref != FXT_THREAD_REF_INLINE &&
                     !d->r->name_unresolved))
        return (uint8_t)refuse_record(d, FXT_E_THREAD_UNKNOWN);
    if (d->r->threads == FXT_REFERENCES_TABLE && expected == OFTEN)
        return intern_thread(&d->r->intern, t->process, t->thread, d->words);
    return FXT_THREAD_REF_INLINE;
}

static void assign_refs_to_args(struct decision *d, const struct fxt_record *record,
                                struct encode_refs *refs)
{
    for (uint32_t i = 0; i < record->n_args && d->fault == FXT_OK; i++) {
        const struct fxt_arg *arg = &record->args[i];

        refs->arg_names[i] = assign_refs_to_string(d, &arg->name, OFTEN);
        if (arg->type == FXT_ARG_STRING && d->fault == FXT_OK)
            refs->arg_strings[i] = assign_refs_to_string(d, &arg->value.string, SELDOM);
    }
}

static void assign_refs_to_large_blob(struct decision *d, const struct fxt_record *record,
                                      struct encode_refs *refs)
{
    const struct fxt_large_blob *b = &record->large_blob;

    if (record->kind != FXT_LARGE_BLOB || b->format > FXT_LARGE_BLOB_NO_METADATA)
        return;
    refs->category = assign_refs_to_string(d, &b->category, OFTEN);
    refs->name = assign_refs_to_string(d, &b->name, OFTEN);
    if (b->format == FXT_LARGE_BLOB_METADATA)
        refs->thread = assign_refs_to_thread(d, &b->thread, SELDOM);
}

static void assign_refs_by_type(struct decision *d, const struct fxt_record *record,
                                struct encode_refs *refs)
{
    switch (record->type) {
    case FXT_RECORD_EVENT:
        refs->thread = assign_refs_to_thread(d, &record->event.thread, OFTEN);
        refs->category = assign_refs_to_string(d, &record->event.category, OFTEN);
        refs->name = assign_refs_to_string(d, &record->event.name, OFTEN);
        break;
    case FXT_RECORD_BLOB:
        refs->name = assign_refs_to_string(d, &record->blob.name, OFTEN);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        refs->thread =
            assign_refs_to_thread(d, &record->userspace_object.process, SELDOM);
        refs->name = assign_refs_to_string(d, &record->userspace_object.name, SELDOM);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        refs->name = assign_refs_to_string(d, &record->kernel_object.name, SELDOM);
        break;
    case FXT_RECORD_SCHEDULING:
        if (record->kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH) {
            refs->thread = assign_refs_to_thread(d, &record->scheduling.outgoing, OFTEN);
            refs->incoming =
                assign_refs_to_thread(d, &record->scheduling.incoming, OFTEN);
        }
        break;
    case FXT_RECORD_LOG:
        refs->thread = assign_refs_to_thread(d, &record->log.thread, OFTEN);
        break;
    case FXT_RECORD_PROFILER:
        if (record->kind <= FXT_PROFILER_BACKTRACE)
            refs->thread = assign_refs_to_thread(d, &record->profiler.thread, SELDOM);
        break;
    case FXT_RECORD_LARGE:
        assign_refs_to_large_blob(d, record, refs);
        break;
    default:
        break;
    }
}

enum fxt_code assign_refs(struct ref_assigner *r, const struct fxt_record *record,
                          struct encode_refs *refs, struct word_writer *words)
{
    struct decision d = {r, words, FXT_OK};

    intern_begin(&r->intern);
    refs->category = 0;
    refs->name = 0;
    refs->thread = 0;
    refs->incoming = 0;
    refs->as_given =
        r->strings == FXT_REFERENCES_AS_GIVEN && r->threads == FXT_REFERENCES_AS_GIVEN;
    assign_refs_by_type(&d, record, refs);
    if (d.fault == FXT_OK)
        assign_refs_to_args(&d, record, refs);
    return d.fault;
}

void assign_refs_select(struct ref_assigner *r, const struct fxt_record *record)
{
    if (record->kind == FXT_METADATA_PROVIDER_INFO ||
        record->kind == FXT_METADATA_PROVIDER_SECTION)
        intern_select(&r->intern, record->metadata.provider_id,
                      record->kind == FXT_METADATA_PROVIDER_INFO);
}
