/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as pprof reads it: the message perftools.profiles.Profile of its
 * profile.proto.
 *
 * What readers of it demand beyond that: the first string is empty, all strings are valid
 * UTF-8, ids are 1, 2, 3, and a label that is a number has a unit, since without one a
 * zero would be lost. Fields are written in the order of their numbers, so that whoever
 * reads the message and writes it again writes the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "locate_order.h"
#include "outputs.h"
#include "pprof_fields.h"
#include "protobuf.h"
#include "quote.h"

/* What the processor was doing, where that is known. */
enum mode { MODE_KERNEL, MODE_USER, MODE_UNKNOWN };

/* The id of a location as it is written, in the first bytes of a word, and how many they
 * are in the last one; in the one before, what the processor was doing that was found
 * there. A word, so that it stays in a register. */
typedef uint64_t varint;

enum { VARINT_MODE = sizeof(varint) - 2, VARINT_SIZE = sizeof(varint) - 1 };

struct writer {
    const struct profile *profile;
    const struct output_settings *settings;
    struct output *output;
    struct strings strings;
    /* A field of the profile, the message in it, what is inside that, and a string being
     * made. */
    struct text field;
    struct text message;
    struct text inner;
    struct text name;
    /* The labels of the sample before, which the next one often has too. */
    uint32_t last_labels;
    struct text labels;
    /* The locations' numbers in the order in which they are written; by their numbers,
     * their ids (where lines are locations, that of the first), and these as they are
     * written. */
    uint32_t *order;
    uint64_t *ids;
    varint *varints;
    /* The labels of modes, once they are needed. */
    struct text modes[MODE_UNKNOWN];
};

/* ---- Strings ----------------------------------------------------------------------- */

static uint32_t add_string(struct writer *w, struct string string)
{
    w->name.size = 0;
    quote_utf8(&w->name, string.data, string.size);
    return strings_add(&w->strings, w->name.data, w->name.size);
}

static uint32_t add_literal(struct writer *w, const char *string)
{
    return add_string(w, (struct string){string, strlen(string)});
}

/* Writes one field of the profile. */
static void write_field(struct writer *w, unsigned field, struct text *content)
{
    proto_start(&w->field, field, content->size);
    output_text(w->output, &w->field);
    output_text(w->output, content);
}

static void write_number(struct writer *w, unsigned field, uint64_t value)
{
    proto_number(&w->field, field, value);
    output_text(w->output, &w->field);
}

static void write_value_type(struct writer *w, unsigned field,
                             const struct profile_type *type)
{
    proto_number(&w->message, VALUE_TYPE_TYPE, add_literal(w, type->type));
    proto_number(&w->message, VALUE_TYPE_UNIT, add_literal(w, type->unit));
    write_field(w, field, &w->message);
}

/* ---- Samples ----------------------------------------------------------------------- */

static void add_string_label(struct writer *w, const char *key, struct string value)
{
    proto_number(&w->inner, LABEL_KEY, add_literal(w, key));
    proto_number(&w->inner, LABEL_STR, add_string(w, value));
    proto_text(&w->message, SAMPLE_LABEL, &w->inner);
}

static void add_number_label(struct writer *w, const char *key, uint64_t value,
                             const char *unit)
{
    proto_number(&w->inner, LABEL_KEY, add_literal(w, key));
    proto_number(&w->inner, LABEL_NUM, value);
    proto_number(&w->inner, LABEL_NUM_UNIT, add_literal(w, unit));
    proto_text(&w->message, SAMPLE_LABEL, &w->inner);
}

static void add_thread_label(struct writer *w, uint64_t koid)
{
    struct text thread = {NULL, 0, 0};

    who_describe(&w->profile->who, koid, "thread", &thread);
    add_string_label(w, "thread", (struct string){thread.data, thread.size});
    text_free(&thread);
}

static void add_process_labels(struct writer *w, uint64_t koid)
{
    struct string name = who_name(&w->profile->who, koid);

    if (name.size > 0 && !w->settings->raw_labels)
        add_string_label(w, "process_name", name);
    if (!w->profile->is_of_captures)
        add_number_label(w, "process_koid", koid, "koid");
}

/* Of a heap's stack there is nothing to say but whose it is; of a block what it is. */
static void add_heap_labels(struct writer *w, const struct profile_labels *labels)
{
    const struct profile_tag *tag;
    struct text address = {NULL, 0, 0};

    if (w->profile->has_processes)
        add_process_labels(w, labels->process);
    if (labels->tag == 0)
        return;
    tag = &w->profile->tags[labels->tag];
    text_str(&address, "0x");
    text_hex(&address, tag->address, 1);
    add_string_label(w, "address", (struct string){address.data, address.size});
    add_number_label(w, "bytes", tag->bytes, "bytes");
    add_number_label(w, "timestamp", labels->time_ns, "nanoseconds");
    if (w->settings->raw_labels)
        add_number_label(w, "tid", labels->thread, "koid");
    else
        add_thread_label(w, labels->thread);
    text_free(&address);
}

static void add_labels(struct writer *w, const struct profile_labels *labels)
{
    if (w->profile->is_of_heap) {
        add_heap_labels(w, labels);
        return;
    }
    add_process_labels(w, labels->process);
    if (!w->profile->is_of_captures || labels->thread != 0) {
        if (!w->settings->raw_labels)
            add_thread_label(w, labels->thread);
        add_number_label(w, "tid", labels->thread, "koid");
    }
    if (labels->cpu != PROFILE_NO_CPU)
        add_number_label(w, "cpu", labels->cpu, "cpu");
    if (w->profile->has_times)
        add_number_label(w, "timestamp_ns", labels->time_ns, "nanoseconds");
}

/* The same, at less cost where the sample before had the same labels. */
static void add_labels_again(struct writer *w, uint32_t number)
{
    size_t start = w->message.size;

    if (w->labels.size > 0 && number == w->last_labels) {
        text_add(&w->message, w->labels.data, w->labels.size);
        return;
    }
    add_labels(w, &w->profile->labels[number]);
    w->last_labels = number;
    w->labels.size = 0;
    text_add(&w->labels, w->message.data + start, w->message.size - start);
}

static enum mode mode_of(const struct profile *p, const struct profile_location *leaf)
{
    if (!profile_is_of_samples(p))
        return MODE_UNKNOWN;
    if (profile_is_in_kernel(leaf->address))
        return MODE_KERNEL;
    if (leaf->mapping != PROFILE_NO_MAPPING && p->mappings[leaf->mapping].is_of_process)
        return MODE_USER;
    return MODE_UNKNOWN;
}

/* A byte of a word as it is in memory. */
static unsigned byte_of(varint word, unsigned i)
{
    return word >> 8 * (FXT_HOST_IS_BIG_ENDIAN ? sizeof(word) - 1 - i : i) & 0xff;
}

static void add_mode(struct writer *w, uint32_t leaf)
{
    static const char *const names[] = {"kernel", "user"};
    unsigned mode = byte_of(w->varints[leaf], VARINT_MODE);
    size_t start = w->message.size;

    if (mode == MODE_UNKNOWN || w->settings->raw_labels)
        return;
    if (w->modes[mode].size > 0) {
        text_add(&w->message, w->modes[mode].data, w->modes[mode].size);
        return;
    }
    add_string_label(w, "execution_mode",
                     (struct string){names[mode], strlen(names[mode])});
    text_add(&w->modes[mode], w->message.data + start, w->message.size - start);
}

/* A large profile is for the most part ids of locations. */
static void number_locations(struct writer *w)
{
    const struct profile *p = w->profile;
    uint64_t id = 1;

    w->order = profile_sort_locations(p);
    w->ids = (uint64_t *)must_allocate(p->n_locations * sizeof(*w->ids));
    w->varints = (varint *)must_allocate(p->n_locations * sizeof(*w->varints));
    for (size_t i = 0; i < p->n_locations; i++) {
        uint32_t number = w->order[i];
        unsigned char bytes[PROTO_VARINT_MAX] = {0};

        bytes[VARINT_SIZE] = (unsigned char)(proto_put(bytes, id) - bytes);
        bytes[VARINT_MODE] = (unsigned char)mode_of(p, &p->locations[number]);
        memcpy(&w->varints[number], bytes, sizeof(varint));
        w->ids[number] = id;
        id += w->settings->inlines_are_frames ? p->locations[number].n_lines : 1;
    }
}

static void add_locations(struct writer *w, const uint32_t *frames, uint32_t n)
{
    const varint *varints = w->varints;
    char *start = text_room(&w->message, n * sizeof(varint));
    char *to = start;

    for (uint32_t i = 0; i < n; i++) {
        varint id = varints[frames[i]];

        memcpy(to, &id, sizeof(id));
        to += byte_of(id, VARINT_SIZE);
    }
    w->message.size += (size_t)(to - start);
}

/* Each line is a location of its own. */
static void add_lines(struct writer *w, const uint32_t *frames, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct profile_location *location = &w->profile->locations[frames[i]];

        for (uint32_t j = 0; j < location->n_lines; j++)
            proto_varint(&w->message, w->ids[frames[i]] + j);
    }
}

/* Puts what a field begins with before its content, which goes from `start` to the end of
 * the message so far. Returns where the field starts. */
static size_t put_start(struct writer *w, unsigned field, size_t start)
{
    proto_start(&w->field, field, w->message.size - start);
    start -= w->field.size;
    memcpy(w->message.data + start, w->field.data, w->field.size);
    w->field.size = 0;
    return start;
}

/* A large profile is for the most part samples, so that they are put together where they
 * stay: behind room for what they begin with, which depends on their sizes. */
static void write_sample(struct writer *w, size_t i)
{
    enum { ROOM = 4 * PROTO_VARINT_MAX };
    const struct profile *p = w->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
    size_t start;

    profile_prefetch(p, i);
    text_room(&w->message, ROOM);
    w->message.size = ROOM;
    if (w->settings->inlines_are_frames)
        add_lines(w, stack->frames, stack->n);
    else
        add_locations(w, stack->frames, stack->n);
    start = put_start(w, SAMPLE_LOCATION_ID, ROOM);
    for (uint32_t type = 0; type < p->n_types; type++)
        proto_varint(&w->inner, (uint64_t)p->values[i * p->n_types + type]);
    proto_text(&w->message, SAMPLE_VALUE, &w->inner);
    add_labels_again(w, p->samples[i].labels);
    add_mode(w, stack->frames[0]);
    start = put_start(w, PROFILE_SAMPLE, start);
    output_write(w->output, w->message.data + start, w->message.size - start);
    w->message.size = 0;
}

/* ---- What the samples refer to ----------------------------------------------------- */

static void write_mapping(struct writer *w, size_t i)
{
    const struct profile *p = w->profile;
    const struct profile_mapping *mapping = &p->mappings[i];
    uint32_t file = add_string(w, strings_get(&p->files, mapping->file));
    uint32_t build_id = add_string(w, strings_get(&p->build_ids, mapping->build_id));

    proto_number(&w->message, MAPPING_ID, i + 1);
    proto_number(&w->message, MAPPING_MEMORY_START, mapping->start);
    proto_number(&w->message, MAPPING_MEMORY_LIMIT, mapping->limit);
    proto_number(&w->message, MAPPING_FILE_OFFSET, mapping->file_offset);
    proto_number(&w->message, MAPPING_FILENAME, file);
    proto_number(&w->message, MAPPING_BUILD_ID, build_id);
    proto_number(&w->message, MAPPING_HAS_FUNCTIONS, mapping->has_functions);
    proto_number(&w->message, MAPPING_HAS_FILENAMES, mapping->has_filenames);
    proto_number(&w->message, MAPPING_HAS_LINE_NUMBERS, mapping->has_line_numbers);
    proto_number(&w->message, MAPPING_HAS_INLINE_FRAMES, mapping->has_inline_frames);
    write_field(w, PROFILE_MAPPING, &w->message);
}

/* A location with `n` lines from `first` on. */
static void write_location(struct writer *w, uint64_t id,
                           const struct profile_location *location, uint32_t first,
                           uint32_t n)
{
    proto_number(&w->message, LOCATION_ID, id);
    if (location->mapping != PROFILE_NO_MAPPING)
        proto_number(&w->message, LOCATION_MAPPING_ID, (uint64_t)location->mapping + 1);
    proto_number(&w->message, LOCATION_ADDRESS, location->address);
    for (uint32_t i = 0; i < n; i++) {
        const struct profile_line *line = &w->profile->lines[first + i];

        proto_number(&w->inner, LINE_FUNCTION_ID, (uint64_t)line->function + 1);
        proto_number(&w->inner, LINE_LINE, line->line);
        proto_text(&w->message, LOCATION_LINE, &w->inner);
    }
    write_field(w, PROFILE_LOCATION, &w->message);
}

/* Where inlined functions are frames, each line is a location. */
static void write_locations(struct writer *w, uint32_t number)
{
    const struct profile_location *location = &w->profile->locations[number];
    uint64_t id = w->ids[number];

    if (!w->settings->inlines_are_frames) {
        write_location(w, id, location, location->first_line, location->n_lines);
        return;
    }
    for (uint32_t i = 0; i < location->n_lines; i++)
        write_location(w, id + i, location, location->first_line + i, 1);
}

/* No linker's name has them: where debugging information knows no other name, it is one
 * of a source. */
static bool has_template_arguments(struct string name)
{
    return name.size > 0 && memchr(name.data, '<', name.size) != NULL;
}

/* Where a function has one name, it is written twice: a reader that can may make the
 * first one more readable. A span's or a debugger's name is no linker's: of one that
 * looks like a function of C++, pprof would take away what makes it another one. And of
 * the names of sources: all "operator()<...>" would be one function, "operator". */
static void write_function(struct writer *w, uint32_t i)
{
    const struct profile *p = w->profile;
    const struct profile_function *function = &p->functions[i];
    struct string shown = strings_get(&p->names, function->name);
    bool has_system_name =
        !profile_is_of_names(p) &&
        (function->name != function->system_name || !has_template_arguments(shown));
    uint32_t name = add_string(w, shown);
    uint32_t system_name = add_string(w, strings_get(&p->names, function->system_name));
    uint32_t file = add_string(w, strings_get(&p->files, function->file));

    proto_number(&w->message, FUNCTION_ID, (uint64_t)i + 1);
    proto_number(&w->message, FUNCTION_NAME, name);
    if (has_system_name)
        proto_number(&w->message, FUNCTION_SYSTEM_NAME, system_name);
    proto_number(&w->message, FUNCTION_FILENAME, file);
    proto_number(&w->message, FUNCTION_START_LINE, function->start_line);
    write_field(w, PROFILE_FUNCTION, &w->message);
}

/* ---- The whole --------------------------------------------------------------------- */

static void write_strings(struct writer *w)
{
    for (uint32_t i = 0; i < w->strings.n; i++) {
        struct string string = strings_get(&w->strings, i);

        text_add(&w->message, string.data, string.size);
        write_field(w, PROFILE_STRING_TABLE, &w->message);
    }
}

/* What stands behind the strings but has strings in it is looked up before. */
static void write_rest(struct writer *w)
{
    const struct profile *p = w->profile;
    const char *default_type = p->types[p->default_type].type;
    struct text comments = {NULL, 0, 0};
    uint32_t default_string = add_literal(w, default_type);

    for (size_t i = 0; i < p->n_comments; i++)
        proto_varint(&comments, add_literal(w, p->comments[i]));
    if (p->period > 0) {
        add_literal(w, p->period_type.type);
        add_literal(w, p->period_type.unit);
    }
    write_strings(w);
    write_number(w, PROFILE_TIME_NANOS, p->start_ns);
    write_number(w, PROFILE_DURATION_NANOS, p->duration_ns);
    if (p->period > 0)
        write_value_type(w, PROFILE_PERIOD_TYPE, &p->period_type);
    write_number(w, PROFILE_PERIOD, p->period);
    if (comments.size > 0)
        write_field(w, PROFILE_COMMENT, &comments);
    write_number(w, PROFILE_DEFAULT_SAMPLE_TYPE, default_string);
    text_free(&comments);
}

static void write_pprof(const struct profile *p, const struct output_settings *settings,
                        struct output *output)
{
    struct writer w = {.profile = p, .settings = settings, .output = output};

    strings_add(&w.strings, "", 0);
    number_locations(&w);
    for (uint32_t i = 0; i < p->n_types; i++)
        write_value_type(&w, PROFILE_SAMPLE_TYPE, &p->types[i]);
    for (size_t i = 0; i < p->n_samples && !output_failed(output); i++)
        write_sample(&w, i);
    for (size_t i = 0; i < p->n_mappings; i++)
        write_mapping(&w, i);
    for (size_t i = 0; i < p->n_locations; i++)
        write_locations(&w, w.order[i]);
    for (uint32_t i = 0; i < p->n_functions; i++)
        write_function(&w, i);
    write_rest(&w);
    strings_free(&w.strings);
    text_free(&w.field);
    text_free(&w.message);
    text_free(&w.inner);
    text_free(&w.name);
    text_free(&w.labels);
    free(w.order);
    free(w.ids);
    free(w.varints);
    for (int mode = 0; mode < MODE_UNKNOWN; mode++)
        text_free(&w.modes[mode]);
}

const struct output_format output_pprof = {
    .name = "pprof",
    .suffix = ".pb.gz",
    .is_binary = true,
    .is_compressed = true,
    .write = write_pprof,
};
