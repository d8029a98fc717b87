/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as pprof reads it: the message perftools.profiles.Profile of its
 * profile.proto.
 *
 * What readers of it demand beyond that: the first string is empty, all strings are valid
 * UTF-8, ids are 1, 2, 3, and a label that is a number has a unit, since without one a
 * zero would be lost. Fields are written in the order of their numbers, so that programs
 * that read and rewrite the message write the same bytes.
 */
#include <string.h>

#include "common/base/quote.h"
#include "common/base/table.h"
#include "libfxtprofile/profile/locate_order.h"
#include "pprof_fields.h"
#include "pprof_writer.h"

uint32_t pprof_string(struct pprof_writer *w, struct string string)
{
    w->name.size = 0;
    quote_utf8(&w->name, string.data, string.size);
    return string_table_add(&w->strings, w->name.data, w->name.size);
}

uint32_t pprof_literal(struct pprof_writer *w, const char *string)
{
    return pprof_string(w, string_from(string));
}

void pprof_field(struct pprof_writer *w, unsigned field, struct text *content)
{
    proto_start(&w->field, field, content->size);
    output_text(w->output, &w->field);
    output_text(w->output, content);
}

void pprof_number(struct pprof_writer *w, unsigned field, uint64_t value)
{
    proto_number(&w->field, field, value);
    output_text(w->output, &w->field);
}

static void write_value_type(struct pprof_writer *w, unsigned field,
                             const struct profile_type *type)
{
    proto_number(&w->message, VALUE_TYPE_TYPE, pprof_literal(w, type->type));
    proto_number(&w->message, VALUE_TYPE_UNIT, pprof_literal(w, type->unit));
    pprof_field(w, field, &w->message);
}

static void number_locations(struct pprof_writer *w)
{
    const struct profile *p = w->profile;

    w->ids = memory_allocate(p->n_locations * sizeof(*w->ids));
    for (size_t i = 0; i < p->n_locations; i++)
        w->ids[w->order[i]] = i + 1;
}

static bool same_frame(const struct profile *p, const struct pprof_frame *a,
                       const struct pprof_frame *b)
{
    const struct profile_location *first = &p->locations[a->location];
    const struct profile_location *second = &p->locations[b->location];

    return first->address == second->address && first->mapping == second->mapping &&
           p->lines[a->line].function == p->lines[b->line].function &&
           p->lines[a->line].line == p->lines[b->line].line;
}

/* Returns the id of a frame, which is added unless an equal one was. */
static uint64_t add_frame(struct pprof_writer *w, struct table *table,
                          struct pprof_frame frame)
{
    const struct profile *p = w->profile;
    uint64_t hash = hash_word(hash_start(), p->locations[frame.location].address);
    struct table_probe probe;
    uint32_t number;

    hash = hash_word(hash, p->lines[frame.line].function);
    hash = hash_word(hash, p->lines[frame.line].line);
    probe = table_probe(table, hash);
    while (table_next(table, &probe, &number)) {
        if (same_frame(p, &w->frames[number], &frame))
            return (uint64_t)number + 1;
    }
    table_add(table, hash, w->n_frames);
    w->frames[w->n_frames++] = frame;
    return w->n_frames;
}

/* A recursive function that was inlined into itself has the same line several times at
 * one address: to pprof, that is one location. */
static void number_frames(struct pprof_writer *w)
{
    const struct profile *p = w->profile;
    struct table table = {0};

    w->ids = memory_allocate(p->n_lines * sizeof(*w->ids));
    w->frames = memory_allocate(p->n_lines * sizeof(*w->frames));
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *location = &p->locations[w->order[i]];

        for (uint32_t j = 0; j < location->n_lines; j++) {
            uint32_t line = location->first_line + j;

            w->ids[line] = add_frame(w, &table, (struct pprof_frame){w->order[i], line});
        }
    }
    table_free(&table);
}

/* ---- What the samples refer to ----------------------------------------------------- */

static void write_mapping(struct pprof_writer *w, size_t i)
{
    const struct profile *p = w->profile;
    const struct profile_mapping *mapping = &p->mappings[i];
    uint32_t file = pprof_string(w, string_table_get(&p->files, mapping->file));
    uint32_t build_id =
        pprof_string(w, string_table_get(&p->build_ids, mapping->build_id));

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
    pprof_field(w, PROFILE_MAPPING, &w->message);
}

/* A location with `n` lines from `first` on. */
static void write_location(struct pprof_writer *w, uint64_t id,
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
    pprof_field(w, PROFILE_LOCATION, &w->message);
}

/* If inlined functions are frames, each line is a location. */
static void write_locations(struct pprof_writer *w)
{
    const struct profile *p = w->profile;

    if (w->settings->wanted.inlines_are_locations) {
        for (size_t i = 0; i < w->n_frames; i++)
            write_location(w, i + 1, &p->locations[w->frames[i].location],
                           w->frames[i].line, 1);
        return;
    }
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *location = &p->locations[w->order[i]];

        write_location(w, i + 1, location, location->first_line, location->n_lines);
    }
}

/* A linker's name has no such characters: the name is one from the source, if debugging
 * information has no other. */
static bool has_template_arguments(struct string name)
{
    return name.size > 0 && memchr(name.data, '<', name.size) != NULL;
}

/* A function with only one name has it as system_name too, so that readers can demangle
 * it. The names of spans, of captures and from sources are not symbols, and have none:
 * pprof would strip what looks like template arguments or parameters, so that different
 * ones became equal, such as all "operator()<...>" the function "operator". */
static void write_function(struct pprof_writer *w, uint32_t i)
{
    const struct profile *p = w->profile;
    const struct profile_function *function = &p->functions[i];
    struct string shown = string_table_get(&p->names, function->name);
    bool has_system_name =
        !profile_is_of_names(p) &&
        (function->name != function->system_name || !has_template_arguments(shown));
    uint32_t name = pprof_string(w, shown);
    uint32_t system_name =
        pprof_string(w, string_table_get(&p->names, function->system_name));
    uint32_t file = pprof_string(w, string_table_get(&p->files, function->file));

    proto_number(&w->message, FUNCTION_ID, (uint64_t)i + 1);
    proto_number(&w->message, FUNCTION_NAME, name);
    if (has_system_name)
        proto_number(&w->message, FUNCTION_SYSTEM_NAME, system_name);
    proto_number(&w->message, FUNCTION_FILENAME, file);
    proto_number(&w->message, FUNCTION_START_LINE, function->start_line);
    pprof_field(w, PROFILE_FUNCTION, &w->message);
}

/* ---- The whole --------------------------------------------------------------------- */

static void write_strings(struct pprof_writer *w)
{
    for (uint32_t i = 0; i < w->strings.n; i++) {
        struct string string = string_table_get(&w->strings, i);

        text_add(&w->message, string.data, string.size);
        pprof_field(w, PROFILE_STRING_TABLE, &w->message);
    }
}

/* Messages that are written after the string table refer to strings, which are added
 * here. */
static void write_rest(struct pprof_writer *w)
{
    const struct profile *p = w->profile;
    const char *default_type = p->types[p->default_type].type;
    struct text comments = {NULL, 0, 0};
    uint32_t default_string = pprof_literal(w, default_type);

    for (size_t i = 0; i < p->n_comments; i++)
        text_varint(&comments, pprof_literal(w, p->comments[i].sentence));
    if (p->period > 0) {
        pprof_literal(w, p->period_type.type);
        pprof_literal(w, p->period_type.unit);
    }
    write_strings(w);
    pprof_number(w, PROFILE_TIME_NANOS, p->start_ns);
    pprof_number(w, PROFILE_DURATION_NANOS, p->duration_ns);
    if (p->period > 0)
        write_value_type(w, PROFILE_PERIOD_TYPE, &p->period_type);
    pprof_number(w, PROFILE_PERIOD, p->period);
    if (comments.size > 0)
        pprof_field(w, PROFILE_COMMENT, &comments);
    pprof_number(w, PROFILE_DEFAULT_SAMPLE_TYPE, default_string);
    text_free(&comments);
}

static void write_pprof(const struct profile *p, const struct output_settings *settings,
                        struct output *output)
{
    struct pprof_writer w = {.profile = p, .settings = settings, .output = output};

    string_table_add(&w.strings, "", 0);
    w.order = profile_sort_locations(p);
    if (settings->wanted.inlines_are_locations)
        number_frames(&w);
    else
        number_locations(&w);
    for (uint32_t i = 0; i < p->n_types; i++)
        write_value_type(&w, PROFILE_SAMPLE_TYPE, &p->types[i]);
    pprof_write_samples(&w);
    for (size_t i = 0; i < p->n_mappings; i++)
        write_mapping(&w, i);
    write_locations(&w);
    for (uint32_t i = 0; i < p->n_functions; i++)
        write_function(&w, i);
    write_rest(&w);
}

const struct output_format output_pprof = {
    .description = "the profile.proto of pprof, compressed with gzip",
    .uses = FXT_PROFILE_USE_SPANS,
    .is_binary = true,
    .is_compressed = true,
    .merges_mappings = true,
    .write = write_pprof,
};
