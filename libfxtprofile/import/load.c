/* SPDX-License-Identifier: BSD-2-Clause */
/* See load.h. */
#include "load.h"

#include <string.h>

#include <fxt/reader.h>

#include "import.h"
#include "common/base/io/input.h"
#include "common/base/text.h"
#include "common/base/io/pump.h"
#include "regions.h"
#include "stream.h"

struct load {
    const struct import_settings *settings;
    struct collect *collect;
    struct load_state *state;

    /* The current input, its CPU if the user gave one, and that of its next region. */
    const char *name;
    uint32_t cpu;
    uint32_t region_cpu;
    struct stream stream;

    /* What threads have read before, and the first region that is still to come. */
    struct filled_regions regions;
    size_t next_region;
    size_t file;
};

static void report_message(const struct load *l, enum fxt_severity severity,
                           const char *message)
{
    const struct import_client *client = l->settings->client;

    client->on_message(client->context, l->name, severity, message);
}

/* ---- Streams ----------------------------------------------------------------------- */

/* The region that begins here, if there is one. */
static const struct filled_region *take_region(struct load *l)
{
    const struct filled_region *region;

    if (l->next_region == l->regions.n)
        return NULL;
    region = &l->regions.items[l->next_region];
    if (region->file != l->file || region->offset != l->stream.offset)
        return NULL;
    l->next_region++;
    return region;
}

static void skip_bytes(struct load *l, struct input *input, uint64_t size)
{
    while (size > 0 && input_want(input, 1)) {
        size_t part = input_size(input) < size ? input_size(input) : (size_t)size;

        input_consume(input, part);
        l->stream.offset += part;
        size -= part;
    }
}

static void warn_of_short_region(const struct load *l, uint64_t n_bytes, uint64_t wanted)
{
    struct text message = {NULL, 0, 0};

    text_printf(&message, "the last region has only %llu byte%s of %llu",
                (unsigned long long)n_bytes, text_plural(n_bytes),
                (unsigned long long)wanted);
    text_char(&message, '\0');
    report_message(l, FXT_WARNING, message.data);
    text_free(&message);
}

static void load_stream(struct load *l, struct input *input, struct fxt_reader *reader,
                        bool archive, uint32_t cpu, uint64_t limit)
{
    const struct filled_region *region = take_region(l);
    struct pump_client client = {collect_release, l->collect};
    struct pump_result result;

    if (region != NULL && region->done) {
        skip_bytes(l, input, limit);
        return;
    }
    l->stream.n_skip = region != NULL ? region->n_taken : 0;
    stream_start(&l->stream, cpu, archive);
    result = pump(input, reader, limit, &client);
    stream_end(&l->stream, result.n_bytes, result.n_lost);
    if (limit != PUMP_ALL && result.n_bytes < limit)
        warn_of_short_region(l, result.n_bytes, limit);
    l->stream.offset += result.n_bytes;
}

/* The CPU of the next region: its place among all, unless the user says another. */
static uint32_t take_cpu(struct load *l)
{
    uint32_t place = l->state->n_regions++;

    return l->region_cpu != PROFILE_NO_CPU ? l->region_cpu++ : place;
}

/* An input of several regions. */
static void load_regions(struct load *l, struct input *input, struct fxt_reader *reader)
{
    while (input_want(input, 1)) {
        load_stream(l, input, reader, false, take_cpu(l), l->settings->region_size);
        fxt_reader_reset(reader);
    }
}

static void load_streams(struct load *l, struct input *input)
{
    bool archive = regions_is_archive(l->settings, input);
    struct fxt_reader *reader =
        regions_reader(l->settings, archive ? FXT_STREAM_ARCHIVE : FXT_STREAM_REGION,
                       stream_take_record, stream_take_error, &l->stream);

    if (l->settings->region_size > 0)
        load_regions(l, input, reader);
    else if (archive)
        load_stream(l, input, reader, true, l->cpu, PUMP_ALL);
    else
        load_stream(l, input, reader, false, take_cpu(l), PUMP_ALL);
    fxt_reader_destroy(reader);
}

/* A profile has addresses, or it has names; and only captures that are not folded have an
 * order. */
static bool is_of_another_kind(const struct load *l, enum fxt_profile_content content)
{
    const struct profile *p = &l->collect->builder->profile;

    if (content == FXT_PROFILE_CONTENT_FXT)
        return p->is_of_captures;
    return l->state->has_traces ||
           (p->is_of_captures && p->is_folded != (content == FXT_PROFILE_CONTENT_FOLDED));
}

static bool load_captures(struct load *l, struct input *input,
                          enum fxt_profile_content content)
{
    struct import import = {l->settings, l->collect, input, l->name, 0};
    bool good;

    if (is_of_another_kind(l, content)) {
        report_message(
            l, FXT_FATAL,
            "captures of stacks, folded stacks and traces cannot be read together");
        l->state->n_unusable++;
        return true;
    }
    if (content == FXT_PROFILE_CONTENT_FXT) {
        l->state->has_traces = true;
        return false;
    }
    good = import_input(&import, content);
    l->state->n_errors += import.n_errors;
    l->state->n_unusable += !good;
    return true;
}

/* Returns false, which was reported, for what neither is FXT nor is read here. */
static bool check_kind(struct load *l, struct input *input,
                       enum fxt_profile_content content)
{
    const char *other =
        content == FXT_PROFILE_CONTENT_FXT ? import_refuse(l->settings, input) : NULL;
    struct text message = {NULL, 0, 0};

    if (other == NULL)
        return true;
    text_printf(&message, "not FXT but %s", other);
    text_char(&message, '\0');
    report_message(l, FXT_FATAL, message.data);
    text_free(&message);
    l->state->n_unusable++;
    l->state->n_regions++;
    return false;
}

static void load_open_input(struct load *l, struct input *input)
{
    const struct import_client *client = l->settings->client;
    enum fxt_profile_content content = import_recognise(l->settings, input);

    if (!check_kind(l, input, content))
        return;
    input_watch(input, client->on_read, client->context);
    l->stream =
        (struct stream){.settings = l->settings, .collect = l->collect, .name = l->name};
    if (!load_captures(l, input, content))
        load_streams(l, input);
    l->state->n_errors += l->stream.n_errors;
    if (input_error(input) != NULL) {
        report_message(l, FXT_ERROR, input_error(input));
        l->state->failed = true;
    }
}

/* How many regions the file has, if threads have read all of it. */
static size_t count_done(const struct load *l)
{
    size_t n = 0;

    for (size_t i = l->next_region; i < l->regions.n; i++, n++) {
        if (l->regions.items[i].file != l->file)
            break;
        if (!l->regions.items[i].done)
            return 0;
    }
    return n;
}

static void load_file(struct load *l)
{
    const struct import_client *client = l->settings->client;
    size_t n_done = count_done(l);
    struct text why = {NULL, 0, 0};
    struct input *input;

    if (n_done > 0) {
        l->next_region += n_done;
        l->state->n_regions += (uint32_t)n_done;
        l->state->has_traces = true;
        return;
    }
    client->on_start(client->context, l->file);
    input = input_open(l->name, &why);
    if (input == NULL) {
        text_char(&why, '\0');
        report_message(l, FXT_FATAL, why.data);
        text_free(&why);
        l->state->n_unusable++;
        l->state->n_regions++;
        return;
    }
    load_open_input(l, input);
    input_close(input);
}

/* ---- All --------------------------------------------------------------------------- */

void load_input(const struct import_settings *settings, struct collect *collect,
                struct load_state *state, struct input *input,
                const struct import_file *file)
{
    struct load l = {.settings = settings,
                     .collect = collect,
                     .state = state,
                     .name = file->name,
                     .cpu = file->cpu,
                     .region_cpu = file->region_cpu};

    settings->client->on_start(settings->client->context, 0);
    load_open_input(&l, input);
}

void load_inputs(const struct import_settings *settings, struct collect *collect,
                 struct load_state *state)
{
    struct load l = {.settings = settings, .collect = collect, .state = state};

    l.regions = regions_read(settings, collect, state->n_regions);
    for (; l.file < settings->n_files; l.file++) {
        l.name = settings->files[l.file].name;
        l.cpu = settings->files[l.file].cpu;
        l.region_cpu = settings->files[l.file].region_cpu;
        load_file(&l);
    }
    memory_release(l.regions.items);
}
