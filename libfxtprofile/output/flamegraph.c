/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as a flame graph: an SVG that needs no other file, and in a browser can be
 * zoomed and searched by the script in it (flamegraph.js).
 *
 * All numbers are whole: lengths are hundredths of a pixel, so that every machine writes
 * the same bytes, and both edges of a frame are rounded, not its width, so that frames
 * meet exactly and none reaches beyond what it stands on.
 */
#include <stdlib.h>
#include <string.h>

#include "flame_tree.h"
#include "flamegraph_parts.h"
#include "fold_order.h"
#include "outputs.h"
#include "base/quote.h"
#include "svg.h"

enum {
    DEFAULT_WIDTH = 1200 * SVG_PX,
    MARGIN = 10 * SVG_PX,
    TOP = 60 * SVG_PX,
    BOTTOM = 34 * SVG_PX,
    TITLE_BASELINE = 26 * SVG_PX,
    SUBTITLE_BASELINE = 46 * SVG_PX,
    DETAILS_FROM_BOTTOM = 12 * SVG_PX,
    /* An ellipsis with less than two characters is useless. */
    LABEL_CELLS_MIN = 3,
    /* A cell in hundredths of the font's size; in the fonts in question it is 0.602. */
    CELL_WIDTH = 61
};

struct graph {
    const struct profile *profile;
    const struct flame_settings *settings;
    struct output *output;
    struct fold fold;
    struct flame_tree tree;
    /* By name; only where the palette asks for it. */
    uint32_t *modules;

    /* Counts are shifted right by this, so that products with them do not overflow. */
    uint64_t total;
    unsigned shift;
    uint64_t inner_width;
    uint64_t width;
    uint64_t height;
    uint64_t frame_height;

    struct text text;
};

/* ---- Lengths ----------------------------------------------------------------------- */

/* Sets what a count is multiplied by. */
static void set_scale(struct graph *g)
{
    uint64_t width = (uint64_t)g->settings->width * SVG_PX;

    g->width = width > 0 ? width : DEFAULT_WIDTH;
    g->inner_width = g->width - 2 * (uint64_t)MARGIN;
    g->frame_height = (uint64_t)g->settings->frame_height * SVG_PX;
    g->total = flame_total(&g->fold);
    while (g->total >> g->shift > UINT32_MAX)
        g->shift++;
}

/* `count` of all samples as a part of `whole`, rounded down. */
static uint64_t scale_count(const struct graph *g, uint64_t count, uint64_t whole)
{
    uint64_t total = g->total >> g->shift;

    return total > 0 ? (count >> g->shift) * whole / total : 0;
}

static uint64_t x_of(const struct graph *g, uint64_t start)
{
    return MARGIN + scale_count(g, start, g->inner_width);
}

/* The smallest count of a frame that is wide enough. */
static uint64_t min_count(const struct graph *g)
{
    uint64_t product = g->settings->min_width * (g->total >> g->shift);

    return (product + g->inner_width - 1) / g->inner_width << g->shift;
}

static uint64_t y_of(const struct graph *g, uint32_t depth)
{
    uint32_t row = g->settings->inverted ? depth : g->tree.n_levels - 1 - depth;

    return TOP + row * g->frame_height;
}

static uint64_t font_size(const struct graph *g)
{
    return g->frame_height * 3 / 4;
}

/* From the upper edge of a frame to where its text stands. */
static uint64_t text_baseline(const struct graph *g)
{
    return g->frame_height * 11 / 16;
}

/* ---- Frames ------------------------------------------------------------------------ */

static struct string name_of(const struct graph *g, const struct flame_frame *frame)
{
    if (frame->name == FLAME_ALL)
        return (struct string){"all", 3};
    return string_table_get(&g->fold.names, frame->name);
}

static uint32_t color_of(const struct graph *g, const struct flame_frame *frame)
{
    uint32_t module = PALETTE_NO_MODULE;

    if (g->modules != NULL && frame->name != FLAME_ALL)
        module = g->modules[frame->name];
    return palette_color(g->settings->palette, name_of(g, frame), module);
}

static void add_label(struct graph *g, struct string name, uint64_t x, uint64_t y,
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

/* The name of what is counted: the type of a count, the unit of a time, or the name that
 * the user has chosen. */
static void add_count_name(struct graph *g, uint64_t count)
{
    const struct profile_type *type = &g->profile->types[g->fold.value_type];
    const char *name = strcmp(type->unit, "count") == 0 ? type->type : type->unit;

    if (g->settings->count_name != NULL)
        svg_add_string(&g->text, g->settings->count_name);
    else
        text_add(&g->text, name, strlen(name) - (count == 1));
}

static void write_frame(struct graph *g, const struct flame_frame *frame)
{
    struct string name = name_of(g, frame);
    uint64_t x = x_of(g, frame->start);
    uint64_t y = y_of(g, frame->depth);
    uint64_t width = x_of(g, frame->start + frame->count) - x;

    text_str(&g->text, "<g");
    svg_add_number(&g->text, "data-at", frame->start);
    svg_add_number(&g->text, "data-count", frame->count);
    text_str(&g->text, "><title>");
    quote_xml(&g->text, name.data, name.size);
    text_char(&g->text, '\n');
    svg_add_count(&g->text, frame->count);
    text_char(&g->text, ' ');
    add_count_name(g, frame->count);
    text_str(&g->text, ", ");
    svg_add_percent(&g->text, (scale_count(g, frame->count, 100000) + 5) / 10);
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

static void write_frames(struct graph *g)
{
    size_t n = g->total > 0 ? g->tree.n_frames : 0;

    text_str(&g->text, "<g class=\"frames\"");
    svg_add_length(&g->text, "font-size", font_size(g));
    svg_add_length(&g->text, "data-baseline", text_baseline(g));
    text_str(&g->text, ">\n");
    for (size_t i = 0; i < n && !output_failed(g->output); i++)
        write_frame(g, &g->tree.frames[i]);
    text_str(&g->text, "</g>\n");
}

/* ---- Modules ----------------------------------------------------------------------- */

/* The mappings' files as 0, 1, 2, in the order of the mappings. */
static uint32_t *number_files(const struct profile *p)
{
    uint32_t *numbers = (uint32_t *)memory_allocate(p->files.n * sizeof(*numbers));
    uint32_t n = 0;

    memset(numbers, 0xff, p->files.n * sizeof(*numbers));
    for (size_t i = 0; i < p->n_mappings; i++) {
        uint32_t *number = &numbers[p->mappings[i].file];

        if (*number == UINT32_MAX)
            *number = n++;
    }
    return numbers;
}

static void set_module(struct graph *g, const struct profile_location *location,
                       uint32_t number)
{
    for (uint32_t i = 0; i < location->n_lines; i++) {
        uint32_t *module = &g->modules[g->fold.line_names[location->first_line + i]];

        if (*module == PALETTE_NO_MODULE || number < *module)
            *module = number;
    }
}

/* Which module each name is in; where it is in several, the first of them. */
static void find_modules(struct graph *g)
{
    const struct profile *p = g->profile;
    uint32_t *files = number_files(p);

    g->modules = (uint32_t *)memory_allocate(g->fold.names.n * sizeof(*g->modules));
    memset(g->modules, 0xff, g->fold.names.n * sizeof(*g->modules));
    for (size_t i = 0; i < p->n_locations; i++) {
        if (p->locations[i].mapping != PROFILE_NO_MAPPING)
            set_module(g, &p->locations[i],
                       files[p->mappings[p->locations[i].mapping].file]);
    }
    memory_release(files);
}

/* ---- The whole --------------------------------------------------------------------- */

static void add_lines(struct graph *g, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_str(&g->text, lines[i]);
}

#define ADD_LINES(g, lines) add_lines(g, lines, sizeof(lines) / sizeof((lines)[0]))

static const char *title_of(const struct graph *g)
{
    if (g->settings->title != NULL)
        return g->settings->title;
    return g->settings->inverted ? "Icicle Graph" : "Flame Graph";
}

static void add_start(struct graph *g)
{
    text_str(&g->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flamegraph\"");
    if (g->settings->width == 0)
        text_str(&g->text, " data-fluid=\"\"");
    svg_add_length(&g->text, "width", g->width);
    svg_add_length(&g->text, "height", g->height);
    text_str(&g->text, " viewBox=\"0 0 ");
    svg_add_px(&g->text, g->width);
    text_char(&g->text, ' ');
    svg_add_px(&g->text, g->height);
    text_str(&g->text, "\">\n<title>");
    svg_add_string(&g->text, title_of(g));
    text_str(&g->text, "</title>\n<desc>");
    for (size_t i = 0; i < g->profile->n_comments; i++) {
        svg_add_string(&g->text, g->profile->comments[i]);
        text_char(&g->text, '\n');
    }
    text_str(&g->text, "</desc>\n<style><![CDATA[\n");
    ADD_LINES(g, flamegraph_css);
    text_str(&g->text, "]]></style>\n"
                       "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
}

/* The start of a line of text; `attributes` has its position. */
static void add_text_start(struct graph *g, const char *attributes, uint64_t y)
{
    text_str(&g->text, "<text ");
    text_str(&g->text, attributes);
    svg_add_length(&g->text, "y", y);
    text_char(&g->text, '>');
}

static void add_text_line(struct graph *g, const char *attributes, uint64_t y,
                          const char *content)
{
    add_text_start(g, attributes, y);
    svg_add_string(&g->text, content);
    text_str(&g->text, "</text>\n");
}

/* Adds how many frames were too narrow to be drawn. */
static void add_left_out(struct graph *g)
{
    uint64_t n = g->tree.n_left_out;

    svg_add_count(&g->text, n);
    text_str(&g->text, n == 1 ? " frame narrower than " : " frames narrower than ");
    svg_add_px(&g->text, g->settings->min_width);
    text_str(&g->text, n == 1 ? " px is not drawn" : " px are not drawn");
}

static void add_subtitle(struct graph *g)
{
    const char *subtitle = g->settings->subtitle;
    bool has_subtitle = subtitle != NULL && subtitle[0] != '\0';

    add_text_start(g, "class=\"subtitle\" x=\"50%\"", SUBTITLE_BASELINE);
    if (has_subtitle)
        svg_add_string(&g->text, subtitle);
    if (has_subtitle && (g->tree.n_left_out > 0 || g->total == 0))
        text_str(&g->text, " \xe2\x80\x93 ");
    if (g->tree.n_left_out > 0)
        add_left_out(g);
    else if (g->total == 0)
        text_str(&g->text, "there are no samples");
    text_str(&g->text, "</text>\n");
}

static void add_header(struct graph *g)
{
    add_text_line(g, "class=\"title\" x=\"50%\"", TITLE_BASELINE, title_of(g));
    add_subtitle(g);
    add_text_line(g, "class=\"control reset\" role=\"button\" tabindex=\"0\" x=\"10\"",
                  TITLE_BASELINE, "Reset zoom");
    add_text_line(g,
                  "class=\"control search\" role=\"button\" tabindex=\"0\" x=\"100%\" "
                  "dx=\"-10\"",
                  TITLE_BASELINE, "Search");
    add_text_line(g, "class=\"matched\" x=\"100%\" dx=\"-10\"", SUBTITLE_BASELINE, "");
    add_text_line(g, "class=\"details\" x=\"10\"", g->height - DETAILS_FROM_BOTTOM, "");
}

static void add_end(struct graph *g)
{
    text_str(&g->text, "<script><![CDATA[\n");
    ADD_LINES(g, flamegraph_js);
    text_str(&g->text, "]]></script>\n</svg>\n");
}

static void write_svg(const struct profile *p, const struct output_settings *settings,
                      struct output *output)
{
    struct graph g = {.profile = p, .settings = &settings->flame, .output = output};

    fold_profile(&g.fold, p, settings);
    if (!settings->no_merge)
        fold_sort(&g.fold);
    set_scale(&g);
    flame_tree_build(&g.tree, &g.fold, g.settings->reverse, min_count(&g));
    g.height = TOP + g.tree.n_levels * g.frame_height + BOTTOM;
    if (g.settings->palette == PALETTE_MODULE)
        find_modules(&g);
    add_start(&g);
    add_header(&g);
    write_frames(&g);
    add_end(&g);
    output_text(output, &g.text);
    memory_release(g.modules);
    flame_tree_free(&g.tree);
    fold_free(&g.fold);
    text_free(&g.text);
}

const struct output_format output_svg = {
    .name = "svg",
    .suffix = ".svg",
    .is_binary = false,
    .is_compressed = false,
    .sorts = true,
    .write = write_svg,
};
