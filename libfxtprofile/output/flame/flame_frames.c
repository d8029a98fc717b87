/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames of a flame graph. A browser takes seconds to read tens of thousands of
 * elements, and milliseconds to read as many lines of JSON: all frames are in the file as
 * JSON, from which the script draws what is in view, and the widest ones also as
 * elements, for programs that run no script.
 */
#include "flame_graph.h"

#include <string.h>

#include "common/base/quote.h"
#include "common/base/sort.h"

enum {
    FRAMES_DRAWN_MAX = 2000,
    /* An ellipsis with less than two characters is useless. */
    LABEL_CELLS_MIN = 3,
    /* A cell in hundredths of the font's size; in the fonts in question it is 0.602. */
    CELL_WIDTH = 61
};

static uint64_t x_of(const struct flame_graph *g, uint64_t start)
{
    return FLAME_MARGIN + flame_scale(g, start, g->inner_width);
}

static uint64_t y_of(const struct flame_graph *g, uint32_t depth)
{
    uint32_t row = g->settings->wanted.upright ? g->tree.n_levels - 1 - depth : depth;

    return g->top + row * g->frame_height;
}

static uint64_t font_size(const struct flame_graph *g)
{
    return g->frame_height * 3 / 4;
}

/* From the upper edge of a frame to where its text is. */
static uint64_t text_baseline(const struct flame_graph *g)
{
    return g->frame_height * 11 / 16;
}

/* ---- A frame's texts --------------------------------------------------------------- */

static struct string name_of(const struct flame_graph *g, const struct flame_frame *frame)
{
    if (frame->name == FLAME_ALL)
        return (struct string){"all", 3};
    return string_table_get(&g->fold.names, frame->name);
}

static uint32_t color_of(const struct flame_graph *g, const struct flame_frame *frame)
{
    uint32_t module = PALETTE_NO_MODULE;

    if (g->settings->before != NULL)
        return flame_diff_color(&g->diff, frame);
    if (g->modules != NULL && frame->name != FLAME_ALL)
        module = g->modules[frame->name];
    return palette_color(g->settings->wanted.palette, name_of(g, frame), module);
}

/* A count with what is counted: the name that the user has chosen, the type of the
 * values, or a unit. */
static void add_count(struct flame_graph *g, struct text *text, uint64_t count)
{
    const struct profile_type *type = &g->profile->types[g->fold.value_type];

    if (g->settings->wanted.count_name == NULL &&
        strcmp(type->unit, "nanoseconds") == 0) {
        svg_add_time(text, count);
        return;
    }
    if (g->settings->wanted.count_name == NULL && strcmp(type->unit, "bytes") == 0) {
        svg_add_bytes(text, count);
        return;
    }
    svg_add_count(text, count);
    text_char(text, ' ');
    if (g->settings->wanted.count_name != NULL)
        text_str(text, g->settings->wanted.count_name);
    else
        text_add(text, type->type, strlen(type->type) - (count == 1));
}

/* Its numbers, such as "1,234 samples, 12.34 %". */
static void add_numbers(struct flame_graph *g, struct text *text,
                        const struct flame_frame *frame)
{
    add_count(g, text, frame->count);
    text_str(text, ", ");
    svg_add_percent(text, (flame_scale(g, frame->count, 100000) + 5) / 10);
    if (g->settings->before != NULL)
        flame_diff_describe(&g->diff, frame, text);
}

/* ---- Elements ---------------------------------------------------------------------- */

static void add_label(struct flame_graph *g, struct string name, uint64_t x, uint64_t y,
                      uint64_t width)
{
    uint64_t padding = font_size(g) / 4;
    uint64_t cell = font_size(g) * CELL_WIDTH / 100;
    uint64_t cells = width > 2 * padding ? (width - 2 * padding) / cell : 0;

    if (cells < LABEL_CELLS_MIN)
        return;
    text_str(&g->text, "<text");
    svg_add_length(&g->text, "x", x + padding);
    svg_add_length(&g->text, "y", y + text_baseline(g));
    text_char(&g->text, '>');
    svg_add_shortened(&g->text, name, cells);
    text_str(&g->text, "</text>");
}

static void write_element(struct flame_graph *g, const struct flame_frame *frame,
                          struct text *numbers)
{
    struct string name = name_of(g, frame);
    uint64_t x = x_of(g, frame->start);
    uint64_t y = y_of(g, frame->depth);
    uint64_t width = x_of(g, frame->start + frame->count) - x;

    text_str(&g->text, "<g><title>");
    quote_xml(&g->text, name.data, name.size);
    text_char(&g->text, '\n');
    numbers->size = 0;
    add_numbers(g, numbers, frame);
    quote_xml(&g->text, numbers->data, numbers->size);
    text_str(&g->text, "</title><rect");
    svg_add_length(&g->text, "x", x);
    svg_add_length(&g->text, "y", y);
    svg_add_length(&g->text, "width", width);
    svg_add_length(&g->text, "height", g->frame_height - SVG_PX);
    text_str(&g->text, " fill=\"#");
    text_hex(&g->text, color_of(g, frame), 6);
    text_str(&g->text, "\"/>");
    add_label(g, name, x, y, width);
    text_str(&g->text, "</g>\n");
    output_text(g->output, &g->text);
}

static size_t n_frames(const struct flame_graph *g)
{
    return g->total > 0 ? g->tree.n_frames : 0;
}

static int order_counts(const void *left, const void *right)
{
    const struct flame_frame *a = *(const struct flame_frame *const *)left;
    const struct flame_frame *b = *(const struct flame_frame *const *)right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return order_pairs(a->depth, b->depth, a->start, b->start);
}

static int order_places(const void *left, const void *right)
{
    const struct flame_frame *a = *(const struct flame_frame *const *)left;
    const struct flame_frame *b = *(const struct flame_frame *const *)right;

    return (a > b) - (a < b);
}

uint64_t flame_frames_drawn(const struct flame_graph *g)
{
    return n_frames(g) < FRAMES_DRAWN_MAX ? n_frames(g) : FRAMES_DRAWN_MAX;
}

/* The widest frames, with each all that it is on, in the order of the tree. */
static void write_elements(struct flame_graph *g, struct text *numbers)
{
    size_t n = n_frames(g);
    size_t n_drawn = (size_t)flame_frames_drawn(g);
    const struct flame_frame **widest = memory_allocate(n * sizeof(struct flame_frame *));

    for (size_t i = 0; i < n; i++)
        widest[i] = &g->tree.frames[i];
    if (n_drawn < n) {
        SORT(widest, n, order_counts);
        SORT(widest, n_drawn, order_places);
    }
    for (size_t i = 0; i < n_drawn && !output_failed(g->output); i++)
        write_element(g, widest[i], numbers);
    memory_release(widest);
}

/* ---- Data -------------------------------------------------------------------------- */

/* A string of JSON within XML. */
static void add_string(struct flame_graph *g, struct text *json, const char *data,
                       size_t size)
{
    json->size = 0;
    quote_json_shown(json, data, size);
    quote_xml(&g->text, json->data, json->size);
}

/* The names of the frames, and by a name's number its place in the list. */
static uint32_t *write_names(struct flame_graph *g, struct text *json)
{
    uint32_t *places = memory_allocate(g->fold.names.n * sizeof(*places));
    uint32_t n = 0;

    text_str(&g->text, "\"names\":[\"all\"");
    for (size_t i = 0; i < n_frames(g) && !output_failed(g->output); i++) {
        const struct flame_frame *frame = &g->tree.frames[i];
        struct string name = name_of(g, frame);

        if (frame->name == FLAME_ALL || places[frame->name] != 0)
            continue;
        places[frame->name] = ++n;
        text_str(&g->text, ",\n");
        add_string(g, json, name.data, name.size);
        output_text(g->output, &g->text);
    }
    text_str(&g->text, "]");
    return places;
}

static void write_data_of(struct flame_graph *g, const struct flame_frame *frame,
                          uint32_t name, struct text *numbers, struct text *json)
{
    text_char(&g->text, '[');
    text_u64(&g->text, frame->depth);
    text_char(&g->text, ',');
    text_u64(&g->text, frame->start);
    text_char(&g->text, ',');
    text_u64(&g->text, frame->count);
    text_char(&g->text, ',');
    text_u64(&g->text, name);
    text_str(&g->text, ",\"");
    text_hex(&g->text, color_of(g, frame), 6);
    text_str(&g->text, "\",");
    numbers->size = 0;
    add_numbers(g, numbers, frame);
    add_string(g, json, numbers->data, numbers->size);
    text_char(&g->text, ']');
    output_text(g->output, &g->text);
}

static void write_data(struct flame_graph *g, struct text *numbers)
{
    struct text json = {NULL, 0, 0};
    uint32_t *places;

    text_str(&g->text, "<metadata class=\"data\">{");
    places = write_names(g, &json);
    text_str(&g->text, ",\n\"frames\":[");
    for (size_t i = 0; i < n_frames(g) && !output_failed(g->output); i++) {
        const struct flame_frame *frame = &g->tree.frames[i];

        text_str(&g->text, i > 0 ? ",\n" : "\n");
        write_data_of(g, frame, frame->name == FLAME_ALL ? 0 : places[frame->name],
                      numbers, &json);
    }
    text_str(&g->text, "]}</metadata>\n");
    memory_release(places);
    text_free(&json);
}

void flame_frames_write(struct flame_graph *g)
{
    struct text numbers = {NULL, 0, 0};

    text_str(&g->text, "<g class=\"frames\"");
    svg_add_length(&g->text, "font-size", font_size(g));
    svg_add_length(&g->text, "data-baseline", text_baseline(g));
    svg_add_length(&g->text, "data-row", g->frame_height);
    svg_add_length(&g->text, "data-root", y_of(g, 0));
    if (g->settings->wanted.upright)
        text_str(&g->text, " data-upright=\"\"");
    text_str(&g->text, ">\n");
    write_elements(g, &numbers);
    text_str(&g->text, "</g>\n");
    write_data(g, &numbers);
    text_free(&numbers);
}
