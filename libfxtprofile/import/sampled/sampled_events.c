/* SPDX-License-Identifier: BSD-2-Clause */
/* See sampled_events.h. */
#include "sampled_events.h"

#include <string.h>

#include "common/records/record_args.h"

void sampled_events_start_stream(struct sampled_events *events)
{
    memset(events->present, 0, sizeof(events->present));
    events->has_present = false;
    events->clock = 0;
}

/* Names become those of value types, in any output. */
static bool take_name(const struct fxt_record *record, char *name)
{
    const struct fxt_arg *arg = fxt_record_arg(record, "name");
    size_t n = 0;

    if (arg == NULL || arg->type != FXT_ARG_STRING || arg->value.string.data == NULL)
        return false;
    for (; n < arg->value.string.size && n < SAMPLED_NAME_MAX; n++) {
        char c = arg->value.string.data[n];

        name[n] = c > ' ' && c <= '~' ? c : '_';
    }
    name[n] = '\0';
    return n > 0;
}

static const char *take_unit(const struct fxt_record *record)
{
    const struct fxt_arg *arg = fxt_record_arg(record, "unit");
    bool is_time = arg != NULL && arg->type == FXT_ARG_STRING &&
                   fxt_string_is(arg->value.string, "nanoseconds");

    return is_time ? "nanoseconds" : "count";
}

/* Returns the number of an event, plus one; 0 if there are too many. */
static uint32_t find_event(struct sampled_events *events, const struct sampled_event *e)
{
    for (uint32_t i = 0; i < events->n; i++) {
        if (strcmp(events->all[i].name, e->name) == 0 && events->all[i].unit == e->unit)
            return i + 1;
    }
    if (events->n == PROFILE_EVENTS_MAX)
        return 0;
    events->all[events->n++] = *e;
    return events->n;
}

static bool declare(struct sampled_events *events, const struct fxt_record *record)
{
    const struct fxt_arg *number = fxt_record_arg(record, "number");
    struct sampled_event event = {.unit = take_unit(record)};
    struct sampled_number present = {.period = record_find_number(record, "period")};

    if (number == NULL || number->type != FXT_ARG_UINT64 ||
        number->value.uint64 >= PROFILE_EVENTS_MAX || !take_name(record, event.name))
        return false;
    present.event = find_event(events, &event);
    if (present.event == 0)
        return false;
    if (present.period == 0)
        present.period = 1;
    events->present[number->value.uint64] = present;
    if (events->clock == 0 && strcmp(event.unit, "nanoseconds") == 0)
        events->clock = present.event;
    events->has_present = true;
    return true;
}

static void start_recording(struct sampled_events *events,
                            const struct fxt_record *record)
{
    uint64_t start_ns = record_find_number(record, "start_unix_ns");

    sampled_events_start_stream(events);
    if (start_ns != 0 && start_ns == events->start_ns)
        return;
    events->start_ns = start_ns;
    for (uint32_t i = 0; i < events->n; i++) {
        events->all[i].before = sampled_events_count(&events->all[i]);
        events->all[i].last = (struct sampled_count){0, 0, 0};
    }
}

static bool take_end(struct sampled_events *events, const struct fxt_record *record)
{
    const struct fxt_arg *number = fxt_record_arg(record, "number");
    struct sampled_count count = {record_find_number(record, "counted"),
                                  record_find_number(record, "sampled"),
                                  record_find_number(record, "lost")};
    uint32_t event;

    if (number == NULL || number->type != FXT_ARG_UINT64 ||
        number->value.uint64 >= PROFILE_EVENTS_MAX || count.counted > INT64_MAX ||
        count.sampled > INT64_MAX || count.lost > INT64_MAX)
        return false;
    if (count.counted == 0 || count.sampled == 0)
        count.counted = count.sampled = 0;
    event = events->present[number->value.uint64].event;
    if (event > 0)
        events->all[event - 1].last = count;
    return event > 0;
}

/* Neither exceeds INT64_MAX before. */
static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b <= INT64_MAX ? a + b : INT64_MAX;
}

struct sampled_count sampled_events_count(const struct sampled_event *e)
{
    return (struct sampled_count){add(e->before.counted, e->last.counted),
                                  add(e->before.sampled, e->last.sampled),
                                  add(e->before.lost, e->last.lost)};
}

/* Archives may follow one another in a stream. */
void sampled_events_take(struct sampled_events *events, const struct fxt_record *record)
{
    if (record->unknown || record->kind != FXT_EVENT_INSTANT ||
        !fxt_string_is(record->event.category, "fxtrecord"))
        return;
    if (fxt_string_is(record->event.name, "recording"))
        start_recording(events, record);
    else if (fxt_string_is(record->event.name, "sampled_event"))
        events->n_refused += !declare(events, record);
    else if (fxt_string_is(record->event.name, "sampled_event_end"))
        events->n_refused += !take_end(events, record);
}

bool sampled_events_label(const struct sampled_events *events,
                          const struct fxt_sample *sample, struct profile_labels *labels)
{
    const struct sampled_number *present;

    if (sample->event >= PROFILE_EVENTS_MAX || events->present[sample->event].event == 0)
        return false;
    present = &events->present[sample->event];
    labels->event = present->event;
    labels->weight = sample->weight > 0 ? sample->weight : present->period;
    return true;
}
