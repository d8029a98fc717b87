/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as a flame graph: an SVG that needs no other file, and in a browser can be
 * zoomed and searched by the script in it (flamegraph.js).
 *
 * All numbers are whole: lengths are hundredths of a pixel, so that every machine writes
 * the same bytes, and both edges of a frame are rounded, not its width, so that frames
 * meet exactly and none reaches beyond what it stands on.
 */
#include <string.h>

#include "flame_graph.h"
#include "flamegraph_parts.h"
#include "common/base/quote.h"
#include "libfxtprofile/output/fold.h"

enum {
    DEFAULT_WIDTH = 1200 * SVG_PX,
    TOP = 60 * SVG_PX,
    /* More than TOP where profiles are compared. */
    TOP_OF_DIFF = 80 * SVG_PX,
    BOTTOM = 34 * SVG_PX,
    TITLE_BASELINE = 26 * SVG_PX,
    SUBTITLE_BASELINE = 46 * SVG_PX,
    GONE_BASELINE = 66 * SVG_PX,
    DETAILS_FROM_BOTTOM = 12 * SVG_PX,
    /* A command line has room between the controls, in which its characters are not wider
     * than this. */
    CONTROLS_WIDTH = 200 * SVG_PX,
    TITLE_CELL = 11 * SVG_PX,
    /* In the picture, and in its description. */
    GONE_SHOWN = 5,
    GONE_LISTED = 1000
};

/* ---- Lengths ----------------------------------------------------------------------- */

/* Sets what a count is multiplied by. */
static void set_scale(struct flame_graph *g)
{
    uint64_t width = (uint64_t)g->settings->wanted.width * SVG_PX;

    g->width = width > 0 ? width : DEFAULT_WIDTH;
    g->inner_width = g->width - 2 * (uint64_t)FLAME_MARGIN;
    g->frame_height = (uint64_t)g->settings->wanted.frame_height * SVG_PX;
    g->total = flame_total(&g->fold);
    while (g->total >> g->shift > UINT32_MAX)
        g->shift++;
}

/* `count` of all samples as a part of `whole`, rounded down. */
uint64_t flame_scale(const struct flame_graph *g, uint64_t count, uint64_t whole)
{
    uint64_t total = g->total >> g->shift;

    return total > 0 ? (count >> g->shift) * whole / total : 0;
}

/* The smallest count of a frame that is wide enough. */
static uint64_t min_count(const struct flame_graph *g)
{
    uint64_t product = g->settings->wanted.min_width * (g->total >> g->shift);

    return (product + g->inner_width - 1) / g->inner_width << g->shift;
}

/* ---- Modules ----------------------------------------------------------------------- */

/* The mappings' files as 0, 1, 2, in the order of the mappings. */
static uint32_t *number_files(const struct profile *p)
{
    uint32_t *numbers = memory_allocate(p->files.n * sizeof(*numbers));
    uint32_t n = 0;

    memset(numbers, 0xff, p->files.n * sizeof(*numbers));
    for (size_t i = 0; i < p->n_mappings; i++) {
        uint32_t *number = &numbers[p->mappings[i].file];

        if (*number == UINT32_MAX)
            *number = n++;
    }
    return numbers;
}

static void set_module(struct flame_graph *g, const struct profile_location *location,
                       uint32_t number)
{
    for (uint32_t i = 0; i < location->n_lines; i++) {
        uint32_t *module = &g->modules[g->fold.line_names[location->first_line + i]];

        if (*module == PALETTE_NO_MODULE || number < *module)
            *module = number;
    }
}

/* Which module each name is in; where it is in several, the first of them. */
static void find_modules(struct flame_graph *g)
{
    const struct profile *p = g->profile;
    uint32_t *files = number_files(p);

    g->modules = memory_allocate(g->fold.names.n * sizeof(*g->modules));
    memset(g->modules, 0xff, g->fold.names.n * sizeof(*g->modules));
    for (size_t i = 0; i < p->n_locations; i++) {
        if (p->locations[i].mapping != PROFILE_NO_MAPPING)
            set_module(g, &p->locations[i],
                       files[p->mappings[p->locations[i].mapping].file]);
    }
    memory_release(files);
}

/* ---- The whole --------------------------------------------------------------------- */

static void add_lines(struct flame_graph *g, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_str(&g->text, lines[i]);
}

#define ADD_LINES(g, lines) add_lines(g, lines, sizeof(lines) / sizeof((lines)[0]))

/* `n_cells`: how much of the command there is room for. */
static void add_title(struct flame_graph *g, uint64_t n_cells)
{
    if (g->settings->wanted.title != NULL)
        svg_add_string(&g->text, g->settings->wanted.title);
    else if (g->command.size > 0)
        svg_add_shortened(&g->text, g->command, n_cells);
    else
        svg_add_string(&g->text,
                       g->settings->wanted.upright ? "Flame Graph" : "Icicle Graph");
}

/* Adds the functions that only the other profile has. */
static void add_gone(struct flame_graph *g, size_t max)
{
    struct text gone = {NULL, 0, 0};

    flame_diff_add_gone(&g->diff, &g->fold, max, &gone);
    quote_xml(&g->text, gone.data, gone.size);
    text_free(&gone);
}

static void add_start(struct flame_graph *g)
{
    text_str(&g->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flamegraph\"");
    if (g->settings->wanted.width == 0)
        text_str(&g->text, " data-fluid=\"\"");
    svg_add_length(&g->text, "width", g->width);
    svg_add_length(&g->text, "height", g->height);
    text_str(&g->text, " viewBox=\"0 0 ");
    svg_add_px(&g->text, g->width);
    text_char(&g->text, ' ');
    svg_add_px(&g->text, g->height);
    text_str(&g->text, "\">\n<title>");
    add_title(g, UINT64_MAX);
    text_str(&g->text, "</title>\n<desc>");
    for (size_t i = 0; i < g->profile->n_comments; i++) {
        svg_add_string(&g->text, g->profile->comments[i].sentence);
        text_char(&g->text, '\n');
    }
    if (g->settings->before != NULL)
        add_gone(g, GONE_LISTED);
    text_str(&g->text, "</desc>\n<style><![CDATA[\n");
    ADD_LINES(g, flamegraph_css);
    text_str(&g->text, "]]></style>\n"
                       "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
}

/* The start of a line of text; `attributes` has its position. */
static void add_text_start(struct flame_graph *g, const char *attributes, uint64_t y)
{
    text_str(&g->text, "<text ");
    text_str(&g->text, attributes);
    svg_add_length(&g->text, "y", y);
    text_char(&g->text, '>');
}

static void add_text_line(struct flame_graph *g, const char *attributes, uint64_t y,
                          const char *content)
{
    add_text_start(g, attributes, y);
    svg_add_string(&g->text, content);
    text_str(&g->text, "</text>\n");
}

/* Adds how many frames were too narrow to be drawn. */
static void add_left_out(struct flame_graph *g)
{
    uint64_t n = g->tree.n_left_out;

    svg_add_count(&g->text, n);
    text_str(&g->text, n == 1 ? " frame narrower than " : " frames narrower than ");
    svg_add_px(&g->text, g->settings->wanted.min_width);
    text_str(&g->text, n == 1 ? " px is not drawn" : " px are not drawn");
}

static void add_separator(struct flame_graph *g, size_t start)
{
    if (g->text.size > start)
        text_str(&g->text, " \xe2\x80\x93 ");
}

static void add_subtitle(struct flame_graph *g)
{
    size_t start;

    add_text_start(g, "class=\"subtitle\" x=\"50%\"", SUBTITLE_BASELINE);
    start = g->text.size;
    if (g->settings->wanted.subtitle != NULL)
        svg_add_string(&g->text, g->settings->wanted.subtitle);
    if (g->settings->before != NULL && g->total > 0) {
        add_separator(g, start);
        flame_diff_explain(&g->diff, &g->text);
    }
    if (g->tree.n_left_out > 0 || g->total == 0)
        add_separator(g, start);
    if (g->tree.n_left_out > 0)
        add_left_out(g);
    else if (g->total == 0)
        text_str(&g->text, "there are no samples");
    text_str(&g->text, "</text>\n");
}

/* What is seen only where no script runs. */
static void add_static_note(struct flame_graph *g)
{
    uint64_t n_drawn = flame_frames_drawn(g);

    if (g->total == 0 || n_drawn == g->tree.n_frames)
        return;
    add_text_start(g, "class=\"static\" x=\"10\"", g->height - DETAILS_FROM_BOTTOM);
    text_str(&g->text, "Only the ");
    svg_add_count(&g->text, n_drawn);
    text_str(&g->text, " widest of ");
    svg_add_count(&g->text, g->tree.n_frames);
    text_str(&g->text, " frames are shown, since no script runs here.</text>\n");
}

static void add_header(struct flame_graph *g)
{
    uint64_t room = g->width > CONTROLS_WIDTH ? g->width - CONTROLS_WIDTH : 0;

    add_text_start(g, "class=\"title\" x=\"50%\"", TITLE_BASELINE);
    add_title(g, room > TITLE_CELL ? room / TITLE_CELL : 1);
    text_str(&g->text, "</text>\n");
    add_subtitle(g);
    if (g->settings->before != NULL) {
        add_text_start(g, "class=\"subtitle\" x=\"50%\"", GONE_BASELINE);
        add_gone(g, GONE_SHOWN);
        text_str(&g->text, "</text>\n");
    }
    add_text_line(g, "class=\"control reset\" role=\"button\" tabindex=\"0\" x=\"10\"",
                  TITLE_BASELINE, "Reset zoom");
    add_text_line(g,
                  "class=\"control search\" role=\"button\" tabindex=\"0\" x=\"100%\" "
                  "dx=\"-10\"",
                  TITLE_BASELINE, "Search");
    add_text_line(g, "class=\"matched\" x=\"100%\" dx=\"-10\"", SUBTITLE_BASELINE, "");
}

/* After the frames, which they may be in front of. */
static void add_footer(struct flame_graph *g)
{
    add_static_note(g);
    add_text_line(g, "class=\"details\" x=\"10\"", g->height - DETAILS_FROM_BOTTOM, "");
}

static void add_end(struct flame_graph *g)
{
    text_str(&g->text, "<script><![CDATA[\n");
    ADD_LINES(g, flamegraph_js);
    text_str(&g->text, "]]></script>\n</svg>\n");
}

static void build_graph(struct flame_graph *g, struct output_settings *settings)
{
    const struct profile *before = g->settings->before;
    struct flame_before other = {&g->diff.before, NULL};

    fold_profile(&g->fold, g->profile, settings);
    if (before != NULL)
        flame_diff_start(&g->diff, &g->fold, before, settings);
    if (!settings->wanted.no_merge)
        fold_sort(&g->fold);
    other.names = g->diff.names;
    set_scale(g);
    flame_tree_build(&g->tree, &g->fold, before != NULL ? &other : NULL,
                     g->settings->wanted.reverse, min_count(g));
    if (before != NULL)
        flame_diff_scale(&g->diff, &g->tree);
    g->top = before != NULL ? TOP_OF_DIFF : TOP;
    g->height = g->top + g->tree.n_levels * g->frame_height + BOTTOM;
    if (g->settings->wanted.palette == FXT_PROFILE_PALETTE_MODULE && before == NULL)
        find_modules(g);
}

static void write_svg(const struct profile *p, const struct output_settings *settings,
                      struct output *output)
{
    struct output_settings own = *settings;
    struct flame_graph g = {.profile = p,
                            .settings = settings,
                            .output = output,
                            .command = settings->command};

    /* Names of two recordings are the same only without numbers. */
    if (own.wanted.ids == FXT_PROFILE_IDS_DEFAULT)
        own.wanted.ids =
            settings->before != NULL ? FXT_PROFILE_IDS_NEVER : FXT_PROFILE_IDS_REPEATED;
    build_graph(&g, &own);
    add_start(&g);
    add_header(&g);
    flame_frames_write(&g);
    add_footer(&g);
    add_end(&g);
    output_text(output, &g.text);
}

const struct output_format output_svg = {
    .description = "an interactive flame graph",
    .uses = FXT_PROFILE_USE_SPANS | FXT_PROFILE_USE_ANNOTATE | FXT_PROFILE_USE_LINES |
            FXT_PROFILE_USE_VALUE | FXT_PROFILE_USE_GRAPH,
    .sorts = true,
    .write = write_svg,
};
