/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of events in Chrome's JSON: see chrome.h. */
#include "chrome.h"

#include <string.h>

#include <fxt/format.h>

#include "libfxtprofile/output/event_args.h"

/* The largest number below which a double has all whole ones. */
#define MAX_WHOLE ((uint64_t)1 << 53)

/* ---- Keys -------------------------------------------------------------------------- */

/* Keys are strings of JSON, which have no line end in them, a line each after an empty
 * first one. */
static void start_keys(struct chrome *c)
{
    c->keys.size = 0;
    text_char(&c->keys, '\n');
}

/* Adds a line, whose name was quoted, unless it is there already. */
static bool add_line(struct text *keys, struct string name)
{
    size_t before = keys->size;

    quote_json_shown(keys, name.data, name.size);
    text_char(keys, '\n');
    if (memmem(keys->data, before, keys->data + before - 1, keys->size - before + 1) ==
        NULL)
        return true;
    keys->size = before;
    return false;
}

/* An argument may have the name of another, or one that differs only in what is not
 * UTF-8: its key gets a number. */
static void next_arg(struct chrome *c, struct string name)
{
    size_t before = c->keys.size;
    unsigned n = 1;

    c->value.size = 0;
    text_add(&c->value, name.data, name.size);
    while (!add_line(&c->keys, (struct string){c->value.data, c->value.size})) {
        c->value.size = name.size;
        text_printf(&c->value, " (%u)", ++n);
    }
    if (before > 1)
        text_char(&c->json.text, ',');
    text_add(&c->json.text, c->keys.data + before, c->keys.size - before - 1);
    text_char(&c->json.text, ':');
}

/* ---- Values ------------------------------------------------------------------------ */

/* Whether a value is written as it is, without quotes: readers take it for a number, of
 * which they keep all digits, or for a word of JSON. */
static bool is_bare(const struct profile_arg *arg)
{
    int64_t value = (int64_t)arg->value;

    switch (arg->type) {
    case FXT_ARG_INT32:
    case FXT_ARG_INT64:
        return value <= (int64_t)MAX_WHOLE && value >= -(int64_t)MAX_WHOLE;
    case FXT_ARG_UINT32:
    case FXT_ARG_UINT64:
    case FXT_ARG_KOID:
        return arg->value <= MAX_WHOLE;
    case FXT_ARG_DOUBLE:
        return event_arg_is_number(arg);
    case FXT_ARG_BOOL:
    case FXT_ARG_NULL:
        return true;
    default:
        return false;
    }
}

static void add_value(struct chrome *c, const struct profile_arg *arg, bool bare)
{
    c->value.size = 0;
    event_arg_add_value(&c->profile->events, arg, &c->value);
    if (bare)
        text_add(&c->json.text, c->value.data, c->value.size);
    else
        json_string(&c->json, (struct string){c->value.data, c->value.size});
}

static void add_arg(struct chrome *c, const struct profile_arg *arg, bool bare)
{
    next_arg(c, string_table_get(&c->profile->events.strings, arg->name));
    add_value(c, arg, bare);
}

void chrome_write_args(struct chrome *c, const struct profile_event *event, bool has_id)
{
    const struct profile_arg *args = c->profile->events.args;

    if (event->n_args == 0 && !has_id)
        return;
    start_keys(c);
    json_raw(&c->json, ",\"args\":{");
    if (has_id) {
        next_arg(c, string_from("id"));
        text_str(&c->json.text, "\"0x");
        text_hex(&c->json.text, event->id, 1);
        text_char(&c->json.text, '"');
    }
    for (uint32_t i = 0; i < event->n_args; i++)
        add_arg(c, &args[event->first_arg + i], is_bare(&args[event->first_arg + i]));
    json_raw(&c->json, "}");
}

void chrome_write_values(struct chrome *c, const struct profile_event *event)
{
    const struct profile_arg *args = c->profile->events.args;

    start_keys(c);
    json_raw(&c->json, ",\"args\":{");
    for (uint32_t i = 0; i < event->n_args; i++) {
        const struct profile_arg *arg = &args[event->first_arg + i];

        if (event_arg_is_number(arg))
            add_arg(c, arg, true);
    }
    json_raw(&c->json, "}");
}
