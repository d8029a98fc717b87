/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a Firefox profile: markers, and the schema that says how they are shown.
 *
 * Arguments are strings in the fields of a marker, so that no digit of a number is lost.
 * A schema lists its fields, so that only the first FIELDS_MAX names of arguments have
 * fields; others, and those that an event has twice, are in one field "args".
 */
#include "firefox.h"

#include <string.h>

#include "common/base/memory.h"
#include "libfxtprofile/output/event_args.h"

enum { FIELDS_MAX = 200 };

/* ---- Fields ------------------------------------------------------------------------ */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What fields of these names mean to viewers, or to the schemas below. */
static bool is_reserved(struct string name)
{
    static const char *const reserved[] = {
        "type", "cause", "stack",         "args",       "cat",  "id",       "flow",
        "name", "cname", "innerWindowID", "threadName", "text", "category", "message"};

    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        if (strlen(reserved[i]) == name.size &&
            memcmp(reserved[i], name.data, name.size) == 0)
            return true;
    }
    return false;
}

static bool is_plain(struct string name)
{
    if (name.size == 0 || name.size > 64 || !is_letter(name.data[0]))
        return false;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];

        if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return !is_reserved(name);
}

/* The key of an argument's field: its name, or if that is not plain a number. */
static void add_key(struct firefox *f, uint32_t name)
{
    struct string string = string_table_get(&f->profile->events.strings, name);

    if (is_plain(string))
        json_string(&f->json, string);
    else
        text_printf(&f->json.text, "\"arg %u\"", name);
}

/* Finds the names of arguments that have fields. */
static void choose_fields(struct firefox *f)
{
    const struct profile_events *list = &f->profile->events;
    uint32_t n = 0;

    f->is_field = memory_allocate(list->strings.n * sizeof(*f->is_field));
    for (size_t i = 0; i < list->n && n < FIELDS_MAX; i++) {
        const struct profile_event *event = &list->events[i];

        for (uint32_t j = 0; j < event->n_args && n < FIELDS_MAX; j++) {
            bool *is_field = &f->is_field[list->args[event->first_arg + j].name];

            n += !*is_field && event->kind != PROFILE_EVENT_COUNTER;
            *is_field |= event->kind != PROFILE_EVENT_COUNTER;
        }
    }
}

/* ---- Schemas ----------------------------------------------------------------------- */

static void write_field(struct firefox *f, const char *key, const char *label,
                        const char *format)
{
    json_next(&f->json);
    text_printf(&f->json.text, "\n{\"key\":\"%s\",\"label\":\"%s\",\"format\":\"%s\"}",
                key, label, format);
}

static void write_fields(struct firefox *f)
{
    const struct profile_events *list = &f->profile->events;

    for (uint32_t i = 0; i < list->strings.n; i++) {
        if (!f->is_field[i])
            continue;
        json_next(&f->json);
        json_raw(&f->json, "\n{\"key\":");
        add_key(f, i);
        json_raw(&f->json, ",\"label\":");
        json_string(&f->json, string_table_get(&list->strings, i));
        json_raw(&f->json, ",\"format\":\"string\"}");
    }
    write_field(f, "args", "Arguments", "string");
    write_field(f, "cat", "Category", "string");
}

/* A separate field first, unless `key` is NULL. What identifies a flow is not its id
 * alone. */
static void write_one_schema(struct firefox *f, const char *name, bool is_nested,
                             const char *key, const char *label, const char *format)
{
    json_next(&f->json);
    text_printf(&f->json.text,
                "\n{\"name\":\"%s\",\"chartLabel\":\"{marker.name}\","
                "\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.%s}\","
                "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
                "\"isStackBased\":%s,",
                name, strcmp(name, "log") == 0 ? "data.message" : "name",
                is_nested ? "true" : "false");
    json_begin(&f->json, "\"fields\":[");
    if (key != NULL)
        write_field(f, key, label, format);
    if (key != NULL && strcmp(key, "flow") == 0)
        write_field(f, "id", "Id", "string");
    write_fields(f);
    json_end(&f->json, "]}");
}

void firefox_write_schema(struct firefox *f)
{
    choose_fields(f);
    json_begin(&f->json, ",\n\"markerSchema\":[");
    write_one_schema(f, "span", true, NULL, NULL, NULL);
    write_one_schema(f, "async", false, "id", "Id", "string");
    write_one_schema(f, "instant", false, NULL, NULL, NULL);
    write_one_schema(f, "flow", false, "flow", "Flow", "flow-id");
    write_one_schema(f, "flow_end", false, "flow", "Flow", "terminating-flow-id");
    write_one_schema(f, "log", false, "message", "Message", "string");
    write_one_schema(f, "drops", false, NULL, NULL, NULL);
    write_one_schema(f, "off_cpu", true, NULL, NULL, NULL);
    json_raw(&f->json, "]");
}

/* ---- Markers ----------------------------------------------------------------------- */

/* The events of one track; those of counters are no markers. */
struct marks {
    const struct profile_event *events;
    const uint32_t *numbers;
    size_t n;
};

static bool next_mark(const struct marks *marks, size_t *at,
                      const struct profile_event **event)
{
    while (*at < marks->n) {
        *event = &marks->events[marks->numbers[(*at)++]];
        if ((*event)->kind != PROFILE_EVENT_COUNTER)
            return true;
    }
    return false;
}

static const char *schema_of(const struct profile_event *event)
{
    switch ((enum profile_event_kind)event->kind) {
    case PROFILE_EVENT_SPAN:
        return "span";
    case PROFILE_EVENT_ASYNC:
    case PROFILE_EVENT_ASYNC_INSTANT:
        return "async";
    case PROFILE_EVENT_FLOW_BEGIN:
    case PROFILE_EVENT_FLOW_STEP:
        return "flow";
    case PROFILE_EVENT_FLOW_END:
        return "flow_end";
    case PROFILE_EVENT_LOG:
        return "log";
    case PROFILE_EVENT_DROPS:
        return "drops";
    case PROFILE_EVENT_OFF_CPU:
        return "off_cpu";
    case PROFILE_EVENT_INSTANT:
    case PROFILE_EVENT_COUNTER:
        break;
    }
    return "instant";
}

static void add_text_member(struct firefox *f, const char *key, uint32_t string)
{
    struct string text = string_table_get(&f->profile->events.strings, string);

    if (text.size == 0)
        return;
    text_printf(&f->json.text, ",\"%s\":", key);
    json_string(&f->json, text);
}

/* Whether an argument is the first of its name, and that name has a field. */
static bool has_field(const struct firefox *f, const struct profile_arg *args, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++) {
        if (args[j].name == args[i].name)
            return false;
    }
    return f->is_field[args[i].name];
}

static void add_args(struct firefox *f, const struct profile_event *event)
{
    const struct profile_events *list = &f->profile->events;
    const struct profile_arg *args;
    struct text rest = {NULL, 0, 0};
    struct text value = {NULL, 0, 0};

    if (event->n_args == 0)
        return;
    args = list->args + event->first_arg;
    for (uint32_t i = 0; i < event->n_args; i++) {
        struct string name = string_table_get(&list->strings, args[i].name);

        value.size = 0;
        event_arg_add_value(list, &args[i], &value);
        if (has_field(f, args, i)) {
            text_char(&f->json.text, ',');
            add_key(f, args[i].name);
            text_char(&f->json.text, ':');
            json_string(&f->json, (struct string){value.data, value.size});
            continue;
        }
        text_str(&rest, rest.size > 0 ? ", " : "");
        text_add(&rest, name.data, name.size);
        text_char(&rest, '=');
        text_add(&rest, value.data, value.size);
    }
    if (rest.size > 0) {
        json_raw(&f->json, ",\"args\":");
        json_string(&f->json, (struct string){rest.data, rest.size});
    }
    text_free(&rest);
    text_free(&value);
}

static void write_data(struct firefox *f, const struct profile_event *event)
{
    struct text *text = &f->json.text;

    text_printf(text, "\n{\"type\":\"%s\"", schema_of(event));
    switch ((enum profile_event_kind)event->kind) {
    case PROFILE_EVENT_ASYNC:
    case PROFILE_EVENT_ASYNC_INSTANT:
        text_printf(text, ",\"id\":\"0x%llx\"", (unsigned long long)event->id);
        break;
    case PROFILE_EVENT_FLOW_BEGIN:
    case PROFILE_EVENT_FLOW_STEP:
    case PROFILE_EVENT_FLOW_END:
        json_member(
            &f->json, "flow",
            firefox_flow_string(&f->tables, firefox_find_flow(&f->tables, event)));
        text_printf(text, ",\"id\":\"0x%llx\"", (unsigned long long)event->id);
        break;
    case PROFILE_EVENT_LOG:
        add_text_member(f, "message", event->name);
        break;
    default:
        break;
    }
    if (event->kind != PROFILE_EVENT_LOG)
        add_text_member(f, "cat", event->category);
    add_args(f, event);
    text_char(text, '}');
}

static uint32_t name_of(const struct profile_event *event)
{
    return event->kind == PROFILE_EVENT_LOG ? event->category : event->name;
}

static bool is_interval(const struct profile_event *event)
{
    return event->kind == PROFILE_EVENT_SPAN || event->kind == PROFILE_EVENT_ASYNC ||
           event->kind == PROFILE_EVENT_DROPS || event->kind == PROFILE_EVENT_OFF_CPU;
}

static enum firefox_category category_of(const struct profile_event *event)
{
    if (event->kind == PROFILE_EVENT_DROPS)
        return FIREFOX_LOST;
    return event->kind == PROFILE_EVENT_OFF_CPU ? FIREFOX_OTHER : FIREFOX_SPANS;
}

enum column { NAME, START, END, PHASE, CATEGORY };

static void write_value(struct firefox *f, const struct profile_event *event,
                        enum column column)
{
    switch (column) {
    case NAME:
        json_u64(&f->json, firefox_event_string(&f->tables, name_of(event)));
        break;
    case START:
        firefox_add_time(f, event->time_ns);
        break;
    case END:
        firefox_add_time(f, event->end_ns);
        break;
    case PHASE:
        json_u64(&f->json, is_interval(event));
        break;
    case CATEGORY:
        json_u64(&f->json, category_of(event));
        break;
    }
}

static void write_column(struct firefox *f, const struct marks *marks, const char *begin,
                         enum column column)
{
    const struct profile_event *event;
    size_t at = 0;

    json_begin(&f->json, begin);
    while (next_mark(marks, &at, &event)) {
        json_next(&f->json);
        write_value(f, event, column);
    }
    json_raw(&f->json, "]");
}

void firefox_write_markers(struct firefox *f, uint32_t track)
{
    size_t first = f->first_events[track];
    struct marks marks = {f->profile->events.events, f->events + first,
                          f->first_events[track + 1] - first};
    const struct profile_event *event;
    size_t at = 0;
    size_t n = 0;

    json_begin(&f->json, ",\n\"markers\":{\"data\":[");
    for (; next_mark(&marks, &at, &event); n++) {
        json_next(&f->json);
        write_data(f, event);
    }
    write_column(f, &marks, "],\n\"name\":[", NAME);
    write_column(f, &marks, ",\n\"startTime\":[", START);
    write_column(f, &marks, ",\n\"endTime\":[", END);
    write_column(f, &marks, ",\n\"phase\":[", PHASE);
    write_column(f, &marks, ",\n\"category\":[", CATEGORY);
    json_member(&f->json, "length", n);
    json_raw(&f->json, "}");
}
