/* SPDX-License-Identifier: BSD-2-Clause */
/* See conversion.h: how many events a page takes. */
#include "conversion.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include <fxt/format.h>
#include <fxt/profile_events.h>
#include <fxt/read.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "tools/common/report.h"

/* A browser needs some seconds, and a gigabyte, for as many. */
enum { PAGE_EVENTS_MAX = 4000000 };

/* Those of the smallest event: its header and its time. */
enum { EVENT_BYTES_MIN = 16 };

enum { NS_PER_SECOND = 1000000000 };

/* ---- Refusing ---------------------------------------------------------------------- */

static void add_time(struct text *text, uint64_t ns)
{
    text_printf(text, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_SECOND, ns % NS_PER_SECOND);
}

/* The command as it was given, and the time that counts if there are several. */
static void print_command(const struct conversion *c, uint64_t first_ns, uint64_t last_ns)
{
    const char *command = c->command.data + c->command_start;
    size_t head = c->command_files - c->command_start;
    struct text text = {NULL, 0, 0};

    text_str(&text, "    ");
    text_add(&text, command, head);
    text_str(&text, " --time ");
    add_time(&text, first_ns);
    text_char(&text, '-');
    add_time(&text, last_ns);
    text_str(&text, command + head);
    text_char(&text, '\n');
    fwrite(text.data, 1, text.size, stderr);
}

/* `next_ns` is the time of the first event that a page has no more room for. */
static void refuse(const struct conversion *c, uint64_t n, uint64_t first_ns,
                   uint64_t next_ns)
{
    if (next_ns <= first_ns) {
        complain(c->converter->name, c->about,
                 "%" PRIu64 " events are more than the %d of a page: choose by --pid or "
                 "--tid",
                 n, PAGE_EVENTS_MAX);
        return;
    }
    complain(c->converter->name, c->about,
             "%" PRIu64 " events are more than the %d of a page; of the first ones it is",
             n, PAGE_EVENTS_MAX);
    print_command(c, first_ns, next_ns - 1);
}

/* ---- Before the inputs are read ---------------------------------------------------- */

enum { TIMES_MAX = 1 << 16 };

/* How many events there are, and the time of every `stride`th of them. */
struct event_count {
    const struct options *options;
    bool is_archive;
    uint64_t n;
    uint64_t first_ns;
    uint64_t *times;
    size_t n_times;
    uint64_t stride;
};

static void halve_times(struct event_count *e)
{
    for (size_t i = 0; i < TIMES_MAX / 2; i++)
        e->times[i] = e->times[2 * i];
    e->n_times = TIMES_MAX / 2;
    e->stride *= 2;
}

static void count_time(struct event_count *e, uint64_t time_ns)
{
    if (e->n_times == TIMES_MAX)
        halve_times(e);
    if (e->n % e->stride == 0)
        e->times[e->n_times++] = time_ns;
    if (e->n == 0 || time_ns < e->first_ns)
        e->first_ns = time_ns;
    e->n++;
}

/* Ends belong to begins. */
static bool is_counted(const struct fxt_record *record)
{
    if (record->unknown || record->type != FXT_RECORD_EVENT)
        return record->type == FXT_RECORD_LOG && !record->unknown;
    return record->kind != FXT_EVENT_DURATION_END &&
           record->kind != FXT_EVENT_ASYNC_END && record->kind <= FXT_EVENT_FLOW_END &&
           (record->kind != FXT_EVENT_DURATION_COMPLETE ||
            record->event.end_timestamp >= record->event.timestamp);
}

/* Only archives have so many events; what is no FXT is not read on. */
static int count_record(void *context, const struct fxt_record *record)
{
    struct event_count *e = (struct event_count *)context;
    const struct options *o = e->options;
    uint64_t ticks;
    uint64_t ns;

    if (!e->is_archive &&
        (record->type != FXT_RECORD_METADATA || record->kind != FXT_METADATA_TRACE_INFO))
        return 1;
    e->is_archive = true;
    if (!is_counted(record) || !fxt_record_time(record, &ticks))
        return 0;
    fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns);
    if (!o->has_window || (ns >= o->first_ns && ns <= o->last_ns))
        count_time(e, ns);
    return 0;
}

/* The time before which there are as many as a page takes, less what an estimate may be
 * off: files have events of equal times, and of threads one after the other. */
static uint64_t estimate_next(struct event_count *e)
{
    sort_numbers(e->times, e->n_times);
    return e->times[PAGE_EVENTS_MAX / 10 * 9 / e->stride];
}

static bool may_be_counted(const struct options *o)
{
    uint64_t size = 0;

    for (size_t i = 0; i < o->n_files; i++) {
        struct stat status;

        if (stat(o->files[i].path, &status) != 0 || !S_ISREG(status.st_mode))
            return false;
        size += (uint64_t)status.st_size;
    }
    return size / EVENT_BYTES_MIN > PAGE_EVENTS_MAX && !o->has_cpus &&
           o->processes.n == 0 && o->process_names.n == 0 && o->threads.n == 0 &&
           o->build.source == FXT_PROFILE_SAMPLES;
}

static void count_events(struct event_count *e)
{
    const struct options *o = e->options;
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = count_record,
        .context = e,
        .stream = o->input.stream,
        .byte_order = o->input.byte_order,
        .ticks_per_second = o->build.ticks_per_second,
        .payloads_unused = true,
    };

    for (size_t i = 0; i < o->n_files; i++) {
        e->is_archive = false;
        fxt_read_path(&options, o->files[i].path);
    }
}

bool page_takes_inputs(const struct conversion *c)
{
    struct event_count e = {.options = &c->options, .stride = 1};
    bool fits;

    if (c->options.write.format != FXT_PROFILE_HTML || !may_be_counted(&c->options))
        return true;
    e.times = (uint64_t *)memory_reserve(TIMES_MAX * sizeof(*e.times));
    count_events(&e);
    fits = e.n <= PAGE_EVENTS_MAX;
    if (!fits)
        refuse(c, e.n, e.first_ns, estimate_next(&e));
    return fits;
}

/* ---- Afterwards -------------------------------------------------------------------- */

/* The events of a profile are in the order of time. */
bool page_takes_profile(const struct conversion *c)
{
    size_t n = fxt_profile_n_events(c->profile);
    struct fxt_profile_event first = {.time_ns = 0};
    struct fxt_profile_event next = {.time_ns = 0};

    if (c->options.write.format != FXT_PROFILE_HTML || n <= PAGE_EVENTS_MAX)
        return true;
    fxt_profile_get_event(c->profile, 0, &first);
    fxt_profile_get_event(c->profile, PAGE_EVENTS_MAX, &next);
    refuse(c, n, first.time_ns, next.time_ns);
    return false;
}
