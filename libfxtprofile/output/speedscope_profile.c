/* SPDX-License-Identifier: BSD-2-Clause */
/* See speedscope.h: one profile. */
#include "speedscope.h"

#include <string.h>

#include "common/base/quote.h"

/* The units of speedscope's format. */
static const char *unit_name(const char *unit)
{
    if (strcmp(unit, "nanoseconds") == 0)
        return "\"nanoseconds\"";
    return strcmp(unit, "bytes") == 0 ? "\"bytes\"" : "\"none\"";
}

static const struct profile_type *type_of(const struct speedscope *s)
{
    return &s->fold.profile->types[s->fold.value_type];
}

static void write_start(struct speedscope *s, const char *type, size_t first)
{
    text_str(&s->text, first > 0 ? ",\n" : "\n");
    text_str(&s->text, "{\"type\":\"");
    text_str(&s->text, type);
    text_str(&s->text, "\",\"name\":");
    quote_json_shown(&s->text, s->parts[first].group.data, s->parts[first].group.size);
    text_str(&s->text, ",\"unit\":");
    speedscope_write_key(s, unit_name(type_of(s)->unit));
}

static void write_end(struct speedscope *s, uint64_t end)
{
    text_str(&s->text, "],\n\"startValue\":0,\"endValue\":");
    text_u64(&s->text, end);
    speedscope_write_key(s, "}");
}

/* ---- Samples ----------------------------------------------------------------------- */

/* The weight of the time before a sample, from the one before it, in which there could
 * have been others; 0 if that is not known. Less than a period is no gap. */
static uint64_t gap_before(const struct speedscope *s, size_t first, size_t part)
{
    const struct profile *p = s->fold.profile;
    uint64_t ns;

    if (part == first || p->period == 0 || !p->has_times || !profile_is_of_samples(p) ||
        strcmp(p->period_type.unit, "nanoseconds") != 0)
        return 0;
    ns = speedscope_time(s, part) - speedscope_time(s, part - 1);
    if (ns < 2 * p->period)
        return 0;
    return s->fold.value_type == 0 ? ns / p->period - 1 : ns - p->period;
}

static void write_stack(struct speedscope *s, size_t part)
{
    speedscope_find_stack(s, part);
    text_char(&s->text, '[');
    for (size_t i = 0; i < s->n_stack; i++) {
        if (i > 0)
            text_char(&s->text, ',');
        text_u64(&s->text, s->places[s->stack[i]]);
    }
    text_char(&s->text, ']');
    output_text(s->output, &s->text);
}

static void write_stacks(struct speedscope *s, size_t first, size_t n)
{
    speedscope_write_key(s, ",\n\"samples\":[");
    for (size_t i = first; i < first + n; i++) {
        if (gap_before(s, first, i) > 0)
            text_str(&s->text, ",\n[]");
        text_str(&s->text, i > first ? ",\n" : "\n");
        write_stack(s, i);
    }
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Returns the sum. */
static uint64_t write_weights(struct speedscope *s, size_t first, size_t n)
{
    uint64_t total = 0;

    speedscope_write_key(s, "],\n\"weights\":[");
    for (size_t i = first; i < first + n; i++) {
        uint64_t gap = gap_before(s, first, i);
        uint64_t weight = speedscope_weight(s, i);

        total = add_up(add_up(total, gap), weight);
        text_str(&s->text, i > first ? "," : "");
        if (gap > 0) {
            text_u64(&s->text, gap);
            text_char(&s->text, ',');
        }
        text_u64(&s->text, weight);
        output_text(s->output, &s->text);
    }
    return total;
}

/* ---- Spans ------------------------------------------------------------------------- */

/* Whether the parts are intervals of time, none of which begins before the one before it
 * ends: not if several threads are in one profile. */
static bool has_intervals(const struct speedscope *s, size_t first, size_t n)
{
    const struct profile *p = s->fold.profile;

    if (!p->is_of_spans || !p->has_times || strcmp(type_of(s)->unit, "nanoseconds") != 0)
        return false;
    for (size_t i = first + 1; i < first + n; i++) {
        if (speedscope_time(s, i) - speedscope_time(s, i - 1) <
            speedscope_weight(s, i - 1))
            return false;
    }
    return true;
}

struct open_frames {
    uint32_t *frames;
    size_t n;
    size_t capacity;
    bool has_written;
};

static void write_event(struct speedscope *s, struct open_frames *open, char type,
                        uint64_t at, uint32_t frame)
{
    text_str(&s->text, open->has_written ? ",\n" : "\n");
    open->has_written = true;
    text_printf(&s->text, "{\"type\":\"%c\",\"at\":", type);
    text_u64(&s->text, at - s->first_ns);
    text_str(&s->text, ",\"frame\":");
    text_u64(&s->text, s->places[frame]);
    speedscope_write_key(s, "}");
}

static void close_frames(struct speedscope *s, struct open_frames *open, size_t n,
                         uint64_t at)
{
    while (open->n > n)
        write_event(s, open, 'C', at, open->frames[--open->n]);
}

/* How many of the open frames go on in scope->stack, of which the innermost may have
 * begun with it. */
static size_t count_same(const struct speedscope *s, const struct open_frames *open,
                         size_t part)
{
    const struct profile *p = s->fold.profile;
    bool is_new = p->values[(size_t)s->parts[part].sample * p->n_types] > 0;
    size_t n_old = s->n_stack - (is_new && s->n_stack > 0);
    size_t n = 0;

    while (n < n_old && n < open->n && open->frames[n] == s->stack[n])
        n++;
    return n;
}

static void write_events(struct speedscope *s, size_t first, size_t n)
{
    struct open_frames open = {.frames = NULL};
    uint64_t now = s->first_ns;

    speedscope_write_key(s, ",\n\"events\":[");
    for (size_t i = first; i < first + n; i++) {
        uint64_t from = speedscope_time(s, i);

        if (from > now)
            close_frames(s, &open, 0, now);
        speedscope_find_stack(s, i);
        close_frames(s, &open, count_same(s, &open, i), from);
        open.frames = memory_make_room(open.frames, open.n, s->n_stack, &open.capacity,
                                       sizeof(*open.frames));
        while (open.n < s->n_stack) {
            open.frames[open.n] = s->stack[open.n];
            write_event(s, &open, 'O', from, open.frames[open.n]);
            open.n++;
        }
        now = from + speedscope_weight(s, i);
    }
    close_frames(s, &open, 0, now);
    memory_release(open.frames);
}

void speedscope_write_profile(struct speedscope *s, size_t first, size_t n)
{
    if (has_intervals(s, first, n)) {
        write_start(s, "evented", first);
        write_events(s, first, n);
        write_end(s, s->last_ns - s->first_ns);
    } else {
        write_start(s, "sampled", first);
        write_stacks(s, first, n);
        write_end(s, write_weights(s, first, n));
    }
}
