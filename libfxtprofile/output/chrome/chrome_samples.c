/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples in Chrome's JSON, and the tree of their stacks: see chrome.h. */
#include "chrome.h"

#include <string.h>

#include "common/base/memory.h"
#include "libfxtprofile/output/timeline/stack_tree.h"

/* ---- Frames ------------------------------------------------------------------------ */

/* By line, the location that it is of. */
static uint32_t *find_locations(const struct profile *p)
{
    uint32_t *locations = (uint32_t *)memory_reserve(p->n_lines * sizeof(*locations));

    for (uint32_t i = 0; i < p->n_locations; i++) {
        for (uint32_t j = 0; j < p->locations[i].n_lines; j++)
            locations[p->locations[i].first_line + j] = i;
    }
    return locations;
}

/* The module, by which viewers choose colours. */
static struct string category_of(const struct profile *p, uint32_t location)
{
    uint32_t mapping = p->locations[location].mapping;
    struct string path = {NULL, 0};
    struct string name;

    if (mapping == PROFILE_NO_MAPPING)
        return path;
    path = string_table_get(&p->files, p->mappings[mapping].file);
    name = string_last_component(path);
    return name.size > 0 ? name : path;
}

static void write_frame(struct chrome *c, const struct stack_node *node,
                        uint32_t location)
{
    const struct profile *p = c->profile;
    const struct profile_line *line = &p->lines[node->frame];
    struct string file = string_table_get(&p->files, p->functions[line->function].file);

    json_raw(&c->json, "\"name\":");
    json_string(&c->json, profile_line_name(p, node->frame));
    json_raw(&c->json, ",\"category\":");
    json_string(&c->json, category_of(p, location));
    if (file.size > 0) {
        json_raw(&c->json, ",\"file\":");
        json_string(&c->json, file);
    }
    if (line->line > 0)
        json_member(&c->json, "line", line->line);
    if (node->prefix != STACK_TREE_NONE)
        json_member(&c->json, "parent", node->prefix);
}

/* A frame's key is its number. */
static void write_frames(struct chrome *c, const struct stack_tree *tree)
{
    uint32_t *locations = find_locations(c->profile);

    json_begin(&c->json, ",\n\"stackFrames\":{");
    for (size_t i = 0; i < tree->n_nodes && !output_failed(c->json.output); i++) {
        json_next(&c->json);
        text_str(&c->json.text, "\n\"");
        json_u64(&c->json, i);
        text_str(&c->json.text, "\":{");
        write_frame(c, &tree->nodes[i], locations[tree->nodes[i].frame]);
        json_end(&c->json, "}");
    }
    json_raw(&c->json, "}");
    memory_release(locations);
}

/* ---- Samples ----------------------------------------------------------------------- */

static void write_sample(struct chrome *c, const uint32_t *leaves,
                         struct profile_moment moment, const struct text *name,
                         int64_t weight)
{
    const struct profile *p = c->profile;
    const struct profile_sample *sample = &p->samples[moment.sample];
    const struct track *track =
        &c->tracks.tracks[tracks_of_sample(&c->tracks, moment.sample)];
    uint32_t cpu = p->labels[sample->labels].cpu;
    uint32_t leaf = leaves[sample->stack];

    json_next(&c->json);
    json_raw(&c->json, "\n{\"pid\":");
    json_u64(&c->json, track->pid);
    json_member(&c->json, "tid", track->tid);
    if (cpu != PROFILE_NO_CPU)
        json_member(&c->json, "cpu", cpu);
    json_raw(&c->json, ",\"ts\":");
    chrome_add_time(c, moment.time_ns);
    text_add(&c->json.text, name->data, name->size);
    if (leaf != STACK_TREE_NONE)
        json_member(&c->json, "sf", leaf);
    json_raw(&c->json, ",\"weight\":");
    json_i64(&c->json, weight);
    json_end(&c->json, "}");
}

/* What is counted, in place of the name of an event of perf's: its name is an input's. */
static void add_name(struct text *text, const struct profile_type *type)
{
    struct text plain = {NULL, 0, 0};

    text_printf(&plain, "%s (%s)", type->type, type->unit);
    text_str(text, ",\"name\":");
    quote_json_shown(text, plain.data, plain.size);
    text_free(&plain);
}

/* Those that were counted are one each, unless they are of an event that is no time;
 * those of spans and waits stand for a time. */
static int64_t weight_of(const struct profile *p, uint32_t sample, uint32_t type)
{
    const int64_t *values = p->values + (size_t)sample * p->n_types;

    if (!timeline_has_moments(p))
        return values[type];
    if (type == 0)
        return 1;
    return values[0] > 0 ? values[type] / values[0] : 0;
}

static bool is_of_event(const struct profile *p, uint32_t type)
{
    return p->has_events && strcmp(p->types[type].unit, "count") == 0;
}

void chrome_write_samples(struct chrome *c)
{
    const struct profile *p = c->profile;
    uint32_t type = output_value_type(p, c->settings);
    size_t n = timeline_count_rows(p);
    struct stack_tree tree = {.n_nodes = 0};
    uint32_t *leaves;
    struct text name = {NULL, 0, 0};

    if (n == 0)
        return;
    if (timeline_has_moments(p) && !is_of_event(p, type))
        type = 0;
    leaves = stack_tree_add(&tree, p, NULL);
    add_name(&name, &p->types[type]);
    write_frames(c, &tree);
    json_begin(&c->json, ",\n\"samples\":[");
    for (size_t i = 0; i < n && !output_failed(c->json.output); i++) {
        struct profile_moment row = timeline_row(p, i);

        write_sample(c, leaves, row, &name, weight_of(p, row.sample, type));
    }
    json_raw(&c->json, "]");
}
