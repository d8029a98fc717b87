/* SPDX-License-Identifier: BSD-2-Clause */
/* What a page has beside columns of numbers, in JSON: see html.h. */
#include <string.h>

#include "common/base/quote.h"
#include "html.h"

static void add_key(struct html *h, const char *key)
{
    text_printf(&h->json, "%s\n\"%s\":", h->json.size > 1 ? "," : "", key);
}

static void add_string(struct html *h, struct string string)
{
    quote_json_shown(&h->json, string.size > 0 ? string.data : "", string.size);
}

static void add_word(struct html *h, const char *key, const char *word)
{
    add_key(h, key);
    add_string(h, string_from(word));
}

/* Numbers of JavaScript have 53 bits. */
static void add_long(struct html *h, const char *key, uint64_t number)
{
    add_key(h, key);
    text_char(&h->json, '"');
    text_u64(&h->json, number);
    text_char(&h->json, '"');
}

/* ---- What was recorded ------------------------------------------------------------- */

static const char *kind_of(const struct profile *p)
{
    if (p->is_of_heap)
        return "heap";
    if (p->is_of_wall_clock)
        return "intervals";
    if (p->is_of_waits)
        return "waits";
    if (p->is_of_spans)
        return "spans";
    return p->is_of_captures ? "captures" : "samples";
}

/* What the names of frames are: those of functions may be shortened, all others are data.
 */
static const char *names_of(const struct profile *p)
{
    if (p->is_of_spans)
        return "spans";
    return p->is_of_wakeups ? "threads" : "functions";
}

static void add_title(struct html *h)
{
    const struct output_settings *s = h->settings;

    add_key(h, "title");
    if (s->wanted.title != NULL)
        add_string(h, string_from(s->wanted.title));
    else
        add_string(h, s->command);
    add_key(h, "version");
    add_string(h, s->recorder_version);
    add_key(h, "method");
    add_string(h, s->method);
}

static void add_comments(struct html *h, const char *key, size_t first, size_t end)
{
    const struct profile *p = h->now.profile;

    add_key(h, key);
    text_char(&h->json, '[');
    for (size_t i = first; i < end; i++) {
        if (i > first)
            text_char(&h->json, ',');
        add_string(h, string_from(p->comments[i].sentence));
    }
    text_char(&h->json, ']');
}

/* Of several events that were sampled, those that the page does not show. */
static void add_other_events(struct html *h)
{
    const struct profile *p = h->now.profile;
    size_t n = 0;

    add_key(h, "other_events");
    text_char(&h->json, '[');
    for (uint32_t i = 1; i < p->n_types && p->n_types > 2 && p->has_events; i++) {
        if (i == h->now.value_type)
            continue;
        if (n++ > 0)
            text_char(&h->json, ',');
        add_string(h, string_from(p->types[i].type));
    }
    text_char(&h->json, ']');
}

static void add_recording(struct html *h)
{
    const struct profile *p = h->now.profile;
    size_t first_loss = h->settings->first_loss;

    if (first_loss > p->n_comments)
        first_loss = p->n_comments;
    add_title(h);
    add_word(h, "kind", kind_of(p));
    add_word(h, "names", names_of(p));
    add_word(h, "type", p->types[h->now.value_type].type);
    add_word(h, "unit", p->types[h->now.value_type].unit);
    add_other_events(h);
    add_long(h, "period_ns", p->period);
    add_long(h, "recorded_ns", p->start_ns);
    add_long(h, "duration_ns", p->duration_ns);
    add_long(h, "start_ns", html_start(h));
    add_comments(h, "notes", 0, first_loss);
    add_comments(h, "losses", first_loss, p->n_comments);
}

/* ---- Processes and threads --------------------------------------------------------- */

static void add_name(struct html *h, const struct html_side *side,
                     enum koid_names_kind kind, uint64_t koid)
{
    add_string(h, koid_names_name(&side->profile->koid_names,
                                  (struct koid_names_id){kind, koid, 0}));
    text_str(&h->json, ",\"");
    text_u64(&h->json, koid);
    text_str(&h->json, "\",");
}

/* Each: the process's name and number, the thread's, and of captures of unknown threads
 * the CPU, else -1. */
static void add_lanes(struct html *h, const struct html_side *side, const char *key)
{
    add_key(h, key);
    text_char(&h->json, '[');
    for (size_t i = 0; i < side->tracks.n; i++) {
        const struct track *track = &side->tracks.tracks[i];

        text_str(&h->json, i > 0 ? ",\n[" : "\n[");
        add_name(h, side, KOID_PROCESS, track->process);
        add_name(h, side, KOID_THREAD, track->thread);
        if (track->cpu < TRACK_OF_DROPS)
            text_u64(&h->json, track->cpu);
        else
            text_str(&h->json, "-1");
        text_char(&h->json, ']');
    }
    text_char(&h->json, ']');
}

static void add_strings(struct html *h)
{
    const struct string_table *strings = &h->tables.strings;

    add_key(h, "strings");
    text_char(&h->json, '[');
    for (uint32_t i = 0; i < strings->n; i++) {
        if (i > 0)
            text_str(&h->json, ",\n");
        add_string(h, string_table_get(strings, i));
    }
    text_char(&h->json, ']');
}

void html_add_facts(struct html *h)
{
    add_recording(h);
    add_lanes(h, &h->now, "lanes");
    if (h->before.profile != NULL) {
        add_long(h, "before_duration_ns", h->before.profile->duration_ns);
        add_lanes(h, &h->before, "before_lanes");
    }
    add_strings(h);
    add_key(h, "columns");
    text_char(&h->json, '[');
    text_add(&h->json, h->names.data, h->names.size);
    text_char(&h->json, ']');
    add_key(h, "rows");
    text_char(&h->json, '[');
    html_add_row_names(h);
    text_char(&h->json, ']');
}
