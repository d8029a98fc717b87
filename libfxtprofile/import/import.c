/* SPDX-License-Identifier: BSD-2-Clause */
/* See import.h. */
#include "import.h"

#include <string.h>

#include "common/base/io/recognise.h"
#include "common/base/text.h"

/* By enum fxt_profile_content: what reads an input that has captures. */
static void (*const importers[])(struct import *import) = {
    [FXT_PROFILE_CONTENT_FXT] = NULL,
    [FXT_PROFILE_CONTENT_GDB_LOG] = import_gdb,
    [FXT_PROFILE_CONTENT_OSDK_JSON] = import_json,
    [FXT_PROFILE_CONTENT_FOLDED] = import_folded,
};

bool import_has_content(unsigned content)
{
    return content < sizeof(importers) / sizeof(importers[0]);
}

/* ---- What it is -------------------------------------------------------------------- */

/* How much of an input is examined: a debugger, or a kernel that boots, may print a lot
 * first. */
enum { PROBE_BYTES = 1 << 20 };

/* How many of the first `n` bytes there are. */
static size_t look_at(struct input *input, size_t n)
{
    input_want(input, n);
    return input_size(input) < n ? input_size(input) : n;
}

/* A record has zeros in its second word at the latest, and text has none. */
enum fxt_profile_content import_recognise(const struct import_settings *o,
                                          struct input *input)
{
    const char *at;
    const char *end;
    size_t size;

    if (o->content != FXT_PROFILE_CONTENT_ANY)
        return o->content;
    if (o->stream != FXT_STREAM_AUTO)
        return FXT_PROFILE_CONTENT_FXT;
    size = look_at(input, 2 * FXT_WORD_BYTES);
    if (memchr(input_data(input), 0, size) != NULL)
        return FXT_PROFILE_CONTENT_FXT;
    size = look_at(input, PROBE_BYTES);
    at = (const char *)input_data(input);
    end = at + size;
    if (recognise_json_captures(at, end))
        return FXT_PROFILE_CONTENT_OSDK_JSON;
    if (recognise_gdb_log(at, end))
        return FXT_PROFILE_CONTENT_GDB_LOG;
    return recognise_folded(at, end) ? FXT_PROFILE_CONTENT_FOLDED
                                     : FXT_PROFILE_CONTENT_FXT;
}

const char *import_refuse(const struct import_settings *o, struct input *input)
{
    bool is_given = o->content != FXT_PROFILE_CONTENT_ANY || o->stream != FXT_STREAM_AUTO;

    return is_given ? NULL : recognise_foreign(input);
}

bool import_input(struct import *im, enum fxt_profile_content content)
{
    const struct import_client *client = im->settings->client;

    if (!client->accepts(client->context, im->name, content))
        return false;
    im->collect->builder->profile.is_of_captures = true;
    importers[content](im);
    return true;
}

/* ---- Samples ----------------------------------------------------------------------- */

void import_start_capture(struct import *im)
{
    im->collect->builder->profile.n_captures++;
}

uint64_t import_name(struct import *im, struct string name)
{
    return string_table_add(&im->collect->builder->pc_names, name.data, name.size);
}

void import_add(struct import *im, uint32_t cpu, uint64_t thread, const uint64_t *names,
                size_t n_names, int64_t count)
{
    struct collect *c = im->collect;
    const struct profile *p = &c->builder->profile;
    struct profile_labels labels = {.thread = thread, .cpu = collect_label_cpu(c, cpu)};
    int64_t values[PROFILE_TYPES_MAX];

    if (n_names == 0) {
        c->tally.n_without_pcs += (uint64_t)count;
        return;
    }
    if (!collect_wants_cpu(c, cpu)) {
        *(cpu == PROFILE_NO_CPU ? &c->tally.n_no_cpu : &c->tally.n_other_cpu) +=
            (uint64_t)count;
        return;
    }
    if (p->has_times)
        labels.time_ns = p->n_captures - 1;
    for (size_t i = 0; i < PROFILE_TYPES_MAX; i++)
        values[i] = c->values[i] * count;
    profile_builder_add(c->builder, &labels, &(struct fxt_words){names, n_names, false},
                        values);
    if (c->builder->moments.is_kept && !p->is_folded)
        profile_builder_log_time(c->builder, p->n_captures - 1);
    c->tally.n_samples += (uint64_t)count;
}

static struct text describe_place(const char *unit, uint64_t number, const char *what)
{
    struct text message = {NULL, 0, 0};

    text_printf(&message, "%s %llu: %s", unit, (unsigned long long)number, what);
    text_char(&message, '\0');
    return message;
}

void import_fault(struct import *im, const char *unit, uint64_t number, const char *what)
{
    const struct import_client *client = im->settings->client;
    struct text message = describe_place(unit, number, what);

    client->on_fault(client->context, im->name, message.data);
    text_free(&message);
    im->n_errors++;
}

void import_warn(struct import *im, const char *unit, uint64_t number, const char *what)
{
    const struct import_client *client = im->settings->client;
    struct text message = describe_place(unit, number, what);

    client->on_message(client->context, im->name, FXT_WARNING, message.data);
    text_free(&message);
}

/* ---- The end ----------------------------------------------------------------------- */

void import_finish(struct profile_builder *b)
{
    bool is_of_numbers = b->profile.is_of_captures || b->profile.is_of_sums;
    uint32_t *numbers;

    if (!is_of_numbers && !b->profile.is_of_waits)
        return;
    profile_builder_settle(b);
    numbers = string_table_sort(&b->pc_names);
    for (size_t i = 0; i < b->pcs.n; i++) {
        uint64_t *pc = &b->pcs.pcs[i];

        if (is_of_numbers)
            *pc = numbers[*pc];
        else if (profile_builder_is_name(*pc))
            *pc = profile_builder_name(numbers[*pc - PROFILE_BUILDER_FIRST_NAME]);
    }
    memory_release(numbers);
}
