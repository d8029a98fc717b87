/* SPDX-License-Identifier: BSD-2-Clause */
/* See boot_records.h. */
#include "boot_records.h"

#include <string.h>

#include <fxt/format.h>

#include "libfxtprofile/import/recording.h"

uint32_t boot_records_take(struct boots *boots, uint32_t boot,
                           const struct fxt_record *record)
{
    const struct fxt_arg *id;

    if (record->unknown || record->kind != FXT_EVENT_INSTANT ||
        !fxt_string_is(record->event.name, "recording") ||
        !fxt_string_is(record->event.category, "fxtrecord"))
        return boot;
    id = fxt_record_arg(record, "boot_id");
    if (id == NULL || id->type != FXT_ARG_STRING || id->value.string.size == 0 ||
        id->value.string.size > RECORDING_BOOT_ID_MAX)
        return boot;
    return boots_find(
        boots, (struct string){id->value.string.data, (size_t)id->value.string.size});
}

struct renaming {
    struct boots *boots;
    uint32_t boot;
};

/* Process 0 of a thread is not known; without a thread it is the kernel. */
static void rename_thread(const struct renaming *r, struct fxt_thread *thread)
{
    if (thread->process != 0 || thread->thread == 0)
        thread->process = boots_number(r->boots, r->boot, thread->process);
    thread->thread = boots_number(r->boots, r->boot, thread->thread);
}

/* Thread 0 is that of an idle CPU. */
static void rename_koid(const struct renaming *r, uint64_t *koid)
{
    if (*koid != 0)
        *koid = boots_number(r->boots, r->boot, *koid);
}

static void rename_switched(const struct renaming *r, struct fxt_scheduling *scheduling)
{
    rename_koid(r, &scheduling->outgoing.process);
    rename_koid(r, &scheduling->outgoing.thread);
    rename_koid(r, &scheduling->incoming.process);
    rename_koid(r, &scheduling->incoming.thread);
    rename_koid(r, &scheduling->waking_thread);
}

static void rename_args(const struct renaming *r, struct boot_record *copy)
{
    size_t n = copy->record.n_args;

    if (n > sizeof(copy->args) / sizeof(copy->args[0]))
        n = sizeof(copy->args) / sizeof(copy->args[0]);
    memcpy(copy->args, copy->record.args, n * sizeof(*copy->args));
    copy->record.args = copy->args;
    copy->record.n_args = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        if (copy->args[i].type == FXT_ARG_KOID)
            rename_koid(r, &copy->args[i].value.koid);
    }
}

void boot_records_copy(struct boot_record *copy, struct boots *boots, uint32_t boot,
                       const struct fxt_record *record)
{
    const struct renaming r = {boots, boot};
    struct fxt_record *to = &copy->record;

    *to = *record;
    if (record->unknown && record->type != FXT_RECORD_EVENT)
        return;
    switch (record->type) {
    case FXT_RECORD_EVENT:
        rename_thread(&r, &to->event.thread);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        to->kernel_object.koid = boots_number(boots, boot, record->kernel_object.koid);
        if (record->n_args > 0)
            rename_args(&r, copy);
        break;
    case FXT_RECORD_SCHEDULING:
        rename_switched(&r, &to->scheduling);
        if (record->n_args > 0)
            rename_args(&r, copy);
        break;
    case FXT_RECORD_PROFILER:
        rename_thread(&r, &to->profiler.thread);
        break;
    case FXT_RECORD_LARGE:
        rename_thread(&r, &to->large_blob.thread);
        break;
    default:
        break;
    }
}
