/* SPDX-License-Identifier: BSD-2-Clause */
/* See references.h. */
#include "references.h"

struct reference_finder {
    struct reference *references;
    size_t n;
};

static void add_string(struct reference_finder *f, const struct fxt_string *string)
{
    if (string->ref > 0 && string->ref < FXT_STRING_REF_INLINE)
        f->references[f->n++] =
            (struct reference){false, string->data != NULL, string->ref};
}

static void add_thread(struct reference_finder *f, const struct fxt_thread *thread)
{
    if (thread->ref != FXT_THREAD_REF_INLINE)
        f->references[f->n++] = (struct reference){true, thread->known, thread->ref};
}

static void add_head(struct reference_finder *f, const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_EVENT:
        add_thread(f, &record->event.thread);
        add_string(f, &record->event.category);
        add_string(f, &record->event.name);
        break;
    case FXT_RECORD_BLOB:
        add_string(f, &record->blob.name);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        add_thread(f, &record->userspace_object.process);
        add_string(f, &record->userspace_object.name);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        add_string(f, &record->kernel_object.name);
        break;
    case FXT_RECORD_SCHEDULING:
        if (record->kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH) {
            add_thread(f, &record->scheduling.outgoing);
            add_thread(f, &record->scheduling.incoming);
        }
        break;
    case FXT_RECORD_LOG:
        add_thread(f, &record->log.thread);
        break;
    case FXT_RECORD_PROFILER:
        add_thread(f, &record->profiler.thread);
        break;
    case FXT_RECORD_LARGE:
        add_string(f, &record->large_blob.category);
        add_string(f, &record->large_blob.name);
        if (record->large_blob.format == FXT_LARGE_BLOB_METADATA)
            add_thread(f, &record->large_blob.thread);
        break;
    default:
        break;
    }
}

size_t references_find(struct reference references[REFERENCES_MAX],
                       const struct fxt_record *record, size_t *n_head)
{
    struct reference_finder f = {references, 0};

    if (!record->unknown || record->type == FXT_RECORD_EVENT)
        add_head(&f, record);
    if (n_head != NULL)
        *n_head = f.n;
    for (uint32_t i = 0; i < record->n_args; i++) {
        add_string(&f, &record->args[i].name);
        if (record->args[i].type == FXT_ARG_STRING)
            add_string(&f, &record->args[i].value.string);
    }
    return f.n;
}
