/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_names.h. */
#include "trace_names.h"

#include <time.h>

#include <fxt/format.h>
#include <fxt/reader.h>

#include "common/base/clock.h"
#include "common/base/io/input.h"
#include "common/base/io/pump.h"
#include "common/base/table_items.h"

/* Limits on the time that a completion takes, and on what it reads. */
#define TIME_MAX_NS UINT64_C(500000000)
#define READ_MAX_BYTES (UINT64_C(256) << 20)
enum { KOIDS_MAX = 2000, NAMES_MAX = 2000, RECORDS_A_TIME = 4096 };

struct scan {
    struct trace_names *names;
    uint64_t end_ns;
    unsigned n_records;
};

/* ---- Koids ------------------------------------------------------------------------- */

/* NULL if there are too many. */
static struct named_koid *find_koid(struct named_koids *k, uint64_t koid)
{
    const struct named_koid key = {koid, 0};
    uint32_t number = k->n < KOIDS_MAX
                          ? TABLE_PUT(&k->table, k->koids, k->n, k->capacity, &key, koid)
                          : TABLE_FIND(&k->table, k->koids, &key, koid);

    return number != TABLE_NONE ? &k->koids[number] : NULL;
}

static void add_thread(struct trace_names *names, const struct fxt_thread *thread)
{
    if (!thread->known)
        return;
    if (thread->process != 0)
        find_koid(&names->processes, thread->process);
    if (thread->thread != 0)
        find_koid(&names->threads, thread->thread);
}

static void add_string(struct string_table *to, struct fxt_string string)
{
    if (string.size > 0 && string.data != NULL && to->n < NAMES_MAX)
        string_table_add(to, string.data, string.size);
}

static void name_koid(struct trace_names *names, struct named_koids *koids,
                      const struct fxt_kernel_object *object)
{
    struct named_koid *koid = find_koid(koids, object->koid);

    if (koid != NULL && object->name.data != NULL && object->name.size > 0)
        koid->name =
            string_table_add(&names->names, object->name.data, object->name.size);
}

/* ---- Records ----------------------------------------------------------------------- */

static void take_object(struct trace_names *names, const struct fxt_record *record)
{
    if (record->kernel_object.type == FXT_OBJECT_PROCESS)
        name_koid(names, &names->processes, &record->kernel_object);
    else if (record->kernel_object.type == FXT_OBJECT_THREAD)
        name_koid(names, &names->threads, &record->kernel_object);
}

static int take_record(void *context, const struct fxt_record *record)
{
    struct scan *scan = (struct scan *)context;
    const struct fxt_thread *thread;

    if (!record->unknown && record->type == FXT_RECORD_KERNEL_OBJECT)
        take_object(scan->names, record);
    if (!record->unknown && record->type == FXT_RECORD_EVENT) {
        add_string(&scan->names->categories, record->event.category);
        add_string(&scan->names->events, record->event.name);
    }
    if (record->type == FXT_RECORD_METADATA && record->kind == FXT_METADATA_PROVIDER_INFO)
        add_string(&scan->names->providers, record->metadata.name);
    thread = record->unknown ? NULL : fxt_record_thread(record);
    if (thread != NULL)
        add_thread(scan->names, thread);
    scan->n_records++;
    return scan->n_records % RECORDS_A_TIME == 0 &&
           clock_ns(CLOCK_MONOTONIC) > scan->end_ns;
}

void trace_names_read(struct trace_names *names, const char *file)
{
    struct scan scan = {names, clock_ns(CLOCK_MONOTONIC) + TIME_MAX_NS, 0};
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = take_record,
                                         .context = &scan,
                                         .payloads_unused = true};
    struct fxt_reader *reader = NULL;
    struct text why = {NULL, 0, 0};
    struct input *input = input_open(file, &why);

    if (names->names.n == 0)
        string_table_add(&names->names, "", 0);
    if (input != NULL && fxt_reader_create(&options, &reader) == FXT_OK)
        pump(input, reader, READ_MAX_BYTES, NULL);
    fxt_reader_destroy(reader);
    if (input != NULL)
        input_close(input);
}
