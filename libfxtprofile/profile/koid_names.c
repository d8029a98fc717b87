/* SPDX-License-Identifier: BSD-2-Clause */
/* See koid_names.h. */
#include "koid_names.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/sort.h"
#include "common/base/table_items.h"

/* ---- Objects ----------------------------------------------------------------------- */

static struct koid_names_entry *find_object(const struct koid_names *names,
                                            enum koid_names_kind kind, uint64_t koid)
{
    struct koid_names_entry key = {.koid = koid, .kind = kind};
    uint32_t number = TABLE_FIND(&names->table, names->entries, &key, koid, kind);

    return number != TABLE_NONE ? &names->entries[number] : NULL;
}

static struct koid_names_entry *find_or_add_object(struct koid_names *names,
                                                   enum koid_names_kind kind,
                                                   uint64_t koid)
{
    struct koid_names_entry entry = {.koid = koid, .kind = kind, .last = UINT32_MAX};
    uint32_t number = TABLE_PUT(&names->table, names->entries, names->n, names->capacity,
                                &entry, koid, kind);

    return &names->entries[number];
}

void koid_names_add_process(struct koid_names *names, uint64_t thread, uint64_t process)
{
    struct koid_names_entry *entry = find_or_add_object(names, KOID_THREAD, thread);

    /* No two records should differ here. Where they do, any choice will do that does not
     * depend on which came first. */
    if (process > entry->process)
        entry->process = process;
}

uint64_t koid_names_process(const struct koid_names *names, uint64_t thread)
{
    const struct koid_names_entry *entry = find_object(names, KOID_THREAD, thread);

    return entry != NULL ? entry->process : 0;
}

/* ---- Names as they come ------------------------------------------------------------ */

/* A name given again says nothing new, unless it says a time. */
static bool is_again(const struct koid_names_name *last, uint32_t name,
                     struct koid_names_moment moment)
{
    return last != NULL && last->name == name && moment.since != NAME_SINCE_TIME &&
           last->moment.since != NAME_SINCE_TIME;
}

bool koid_names_add_name(struct koid_names *names, enum koid_names_kind kind,
                         uint64_t koid, struct string name,
                         struct koid_names_moment moment)
{
    struct koid_names_entry *entry = find_or_add_object(names, kind, koid);
    uint32_t number = string_table_add(&names->strings, name.data, name.size);
    const struct koid_names_name *last = NULL;
    uint32_t n_before = 0;

    if (entry->last != UINT32_MAX && names->given[entry->last].stream == names->stream)
        last = &names->given[entry->last];
    if (is_again(last, number, moment))
        return false;
    if (last != NULL)
        n_before = last->n_before + 1;
    else if (moment.since == NAME_SINCE_AFTER)
        moment.since = NAME_SINCE_START;
    if (names->n_given == UINT32_MAX)
        table_too_many();
    names->given = (struct koid_names_name *)memory_grow(
        names->given, names->n_given, &names->given_capacity, sizeof(*names->given));
    entry->last = (uint32_t)names->n_given;
    names->given[names->n_given++] = (struct koid_names_name){
        .entry = (uint32_t)(entry - names->entries),
        .name = number,
        .stream = names->stream,
        .n_before = n_before,
        .sequence = entry->last,
        .moment = moment,
    };
    return moment.since == NAME_SINCE_AFTER;
}

void koid_names_end_stream(struct koid_names *names, uint64_t start_ns)
{
    /* What a name with a time replaces was there before. */
    for (size_t i = names->first_of_stream; i < names->n_given; i++) {
        const struct koid_names_moment *moment = &names->given[i].moment;

        if (moment->since == NAME_SINCE_TIME && moment->time_ns < start_ns)
            start_ns = moment->time_ns;
    }
    for (size_t i = names->first_of_stream; i < names->n_given; i++) {
        if (names->given[i].moment.since == NAME_SINCE_START)
            names->given[i].moment =
                (struct koid_names_moment){NAME_SINCE_TIME, start_ns};
    }
    names->first_of_stream = names->n_given;
    names->stream++;
}

/* ---- Records ----------------------------------------------------------------------- */

static bool is_named(const struct fxt_arg *arg, const char *name)
{
    return arg->name.data != NULL && arg->name.size == strlen(name) &&
           memcmp(arg->name.data, name, arg->name.size) == 0;
}

bool koid_names_take(struct koid_names *names, const struct fxt_record *record,
                     struct koid_names_moment moment)
{
    const struct fxt_kernel_object *object = &record->kernel_object;
    bool is_thread = object->type == FXT_OBJECT_THREAD;

    if (object->type != FXT_OBJECT_PROCESS && !is_thread)
        return false;
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        if (is_thread && arg->type == FXT_ARG_KOID && is_named(arg, "process"))
            koid_names_add_process(names, object->koid, arg->value.koid);
        if (arg->type == FXT_ARG_UINT64 && is_named(arg, "since")) {
            moment.since = NAME_SINCE_TIME;
            fxt_ticks_to_ns(arg->value.uint64, record->provider->ticks_per_second,
                            &moment.time_ns);
        }
    }
    if (object->name.data == NULL || object->name.size == 0)
        return false;
    return koid_names_add_name(
        names, is_thread ? KOID_THREAD : KOID_PROCESS, object->koid,
        (struct string){object->name.data, object->name.size}, moment);
}

/* ---- Names by time ----------------------------------------------------------------- */

/* A name and its bytes. */
struct row {
    struct koid_names_name given;
    struct string string;
};

/* Names of the same time in different streams have no order: any will do that does not
 * depend on the order of the streams. */
SORT_ORDER(order_rows, struct row,
           BY(given.entry) || BY(given.moment.time_ns) || BY(given.moment.since) ||
               BY_ORDER(a->given.moment.since == NAME_SINCE_AFTER
                            ? order_numbers(a->given.sequence, b->given.sequence)
                            : 0) ||
               BY(given.n_before) || BY(string.size) ||
               BY_ORDER(string_compare(b->string, a->string)));

/* The place among its object's names where a name that is kept was first kept. */
static uint32_t first_place(const struct koid_names *names, struct table *kept_table,
                            const struct koid_names_name *given, uint32_t place)
{
    uint64_t hash = hash_word(hash_word(hash_start(), given->entry), given->name);
    struct table_probe probe = table_probe(kept_table, hash);
    uint32_t number;

    while (table_next(kept_table, &probe, &number)) {
        const struct koid_names_name *kept = &names->given[number];

        if (kept->entry == given->entry && kept->name == given->name)
            return kept->first;
    }
    table_add(kept_table, hash, names->entries[given->entry].first + place);
    return place;
}

/* Keeps each name of an object that differs from the one before. */
static void keep_name(struct koid_names *names, size_t *kept, struct table *kept_table,
                      struct koid_names_name *given)
{
    struct koid_names_entry *entry = &names->entries[given->entry];

    if (entry->n_names > 0 && names->given[*kept - 1].name == given->name)
        return;
    if (entry->n_names == 0)
        entry->first = (uint32_t)*kept;
    given->first = first_place(names, kept_table, given, entry->n_names);
    entry->n_names++;
    names->has_changes |= entry->n_names > 1;
    names->given[(*kept)++] = *given;
}

void koid_names_finish(struct koid_names *names)
{
    struct row *rows = (struct row *)memory_allocate(names->n_given * sizeof(*rows));
    struct table kept_table = {.n_used = 0};
    size_t kept = 0;

    koid_names_end_stream(names, 0);
    for (size_t i = 0; i < names->n_given; i++)
        rows[i] = (struct row){names->given[i],
                               string_table_get(&names->strings, names->given[i].name)};
    SORT(rows, names->n_given, order_rows);
    for (size_t i = 0; i < names->n_given; i++)
        keep_name(names, &kept, &kept_table, &rows[i].given);
    names->n_given = kept;
    table_free(&kept_table);
    memory_release(rows);
}

static bool has_begun(const struct koid_names_name *given, uint64_t time_ns,
                      uint64_t n_given)
{
    if (given->moment.time_ns != time_ns)
        return given->moment.time_ns < time_ns;
    return given->moment.since != NAME_SINCE_AFTER || given->sequence < n_given;
}

uint32_t koid_names_name_at(const struct koid_names *names, enum koid_names_kind kind,
                            uint64_t koid, uint64_t time_ns, uint64_t n_given)
{
    const struct koid_names_entry *entry = find_object(names, kind, koid);
    const struct koid_names_name *given;
    uint32_t low = 1;
    uint32_t high;

    if (entry == NULL || entry->n_names < 2)
        return 0;
    given = names->given + entry->first;
    high = entry->n_names;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (has_begun(&given[middle], time_ns, n_given))
            low = middle + 1;
        else
            high = middle;
    }
    if (given[low - 1].name == given[entry->n_names - 1].name)
        return 0;
    return given[low - 1].first + 1;
}

/* ---- Looking up -------------------------------------------------------------------- */

struct string koid_names_name(const struct koid_names *names, struct koid_names_id id)
{
    const struct koid_names_entry *entry = find_object(names, id.kind, id.koid);
    uint32_t which;

    if (entry == NULL || entry->n_names == 0)
        return (struct string){"", 0};
    which = id.name > 0 ? id.name - 1 : entry->n_names - 1;
    return string_table_get(&names->strings, names->given[entry->first + which].name);
}

void koid_names_describe(const struct koid_names *names, struct koid_names_id id,
                         struct text *text)
{
    struct string name = koid_names_name(names, id);
    struct boot_koid koid = boots_koid(&names->boots, id.koid);

    if (name.size > 0)
        text_add(text, name.data, name.size);
    else
        text_str(text, id.kind == KOID_PROCESS ? "process" : "thread");
    text_char(text, '[');
    text_u64(text, koid.koid);
    if (koid.boot > 0)
        text_printf(text, ", boot %llu", (unsigned long long)koid.boot + 1);
    text_char(text, ']');
}
