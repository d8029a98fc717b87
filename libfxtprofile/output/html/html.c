/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as a page for browsers: see html.h. The page is page.html, in which some
 * lines stand for the title, the style, the script and the data.
 */
#include "html.h"

#include <string.h>

#include "common/base/binary.h"
#include "common/base/quote.h"
#include "html_parts.h"

/* ---- Parts of the page ------------------------------------------------------------- */

static void add_lines(struct text *to, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_str(to, lines[i]);
}

static void write_string(struct output *output, const char *string)
{
    output_write(output, string, strlen(string));
}

#define ADD_LINES(to, lines) add_lines(to, lines, sizeof(lines) / sizeof((lines)[0]))

static void add_title(const struct html *h, struct text *to)
{
    struct string command = h->settings->command;

    if (h->settings->wanted.title != NULL)
        command = string_from(h->settings->wanted.title);
    text_str(to, "<title>");
    quote_xml(to, command.data, command.size);
    text_str(to, command.size > 0 ? " \xe2\x80\x93 " : "");
    text_str(to, "profile</title>\n");
}

static void add_script(struct text *to)
{
    text_str(to, "<script>\n(() => {\n");
    ADD_LINES(to, data_js);
    ADD_LINES(to, model_js);
    ADD_LINES(to, text_js);
    ADD_LINES(to, colors_js);
    ADD_LINES(to, state_js);
    ADD_LINES(to, intervals_js);
    ADD_LINES(to, series_js);
    ADD_LINES(to, events_js);
    ADD_LINES(to, paint_js);
    ADD_LINES(to, layout_js);
    ADD_LINES(to, tracks_js);
    ADD_LINES(to, flows_js);
    ADD_LINES(to, finder_js);
    ADD_LINES(to, camera_js);
    ADD_LINES(to, keys_js);
    ADD_LINES(to, inspect_js);
    ADD_LINES(to, spans_js);
    ADD_LINES(to, lanes_js);
    ADD_LINES(to, growth_js);
    ADD_LINES(to, flame_js);
    ADD_LINES(to, functions_js);
    ADD_LINES(to, tree_js);
    ADD_LINES(to, source_js);
    ADD_LINES(to, main_js);
    text_str(to, "})();\n</script>\n");
}

/* ---- The data ---------------------------------------------------------------------- */

static void compress_data(const struct html *h, struct text *to)
{
    struct output *output = output_to_memory(to);
    struct text why = {NULL, 0, 0};
    unsigned char size[4];

    store_le(size, h->json.size, sizeof(size));
    output_compress(output);
    output_write(output, size, sizeof(size));
    output_write(output, h->json.data, h->json.size);
    output_write(output, h->columns.data, h->columns.size);
    output_close(output, true, &why);
    text_free(&why);
}

static void write_data(const struct html *h, struct output *output)
{
    struct text packed = {NULL, 0, 0};

    compress_data(h, &packed);
    write_string(output, "<script type=\"application/gzip\" id=\"data\">");
    base64_write(output, &packed, true);
    write_string(output,
                 "</script>\n<script type=\"application/octet-stream\" id=\"rows\">");
    html_write_rows(h, output);
    write_string(output, "</script>\n");
    text_free(&packed);
}

static void write_page(const struct html *h, struct output *output)
{
    struct text part = {NULL, 0, 0};

    for (size_t i = 0; i < sizeof(page_html) / sizeof(page_html[0]); i++) {
        const char *line = page_html[i];

        if (strcmp(line, "<!-- title -->\n") == 0)
            add_title(h, &part);
        else if (strcmp(line, "<!-- style -->\n") == 0)
            ADD_LINES(&part, page_css);
        else if (strcmp(line, "<!-- data -->\n") == 0)
            write_data(h, output);
        else if (strcmp(line, "<!-- script -->\n") == 0)
            add_script(&part);
        else
            text_str(&part, line);
        output_text(output, &part);
    }
    text_free(&part);
}

/* ---- All --------------------------------------------------------------------------- */

static void start_side(struct html *h, struct html_side *side, const struct profile *p)
{
    side->profile = p;
    side->value_type = output_value_type(p, h->settings);
    tracks_make(&side->tracks, p);
    side->leaves = html_tables_add(&h->tables, p);
}

static void write_html(const struct profile *p, const struct output_settings *settings,
                       struct output *output)
{
    struct html h = {.settings = settings, .json = {NULL, 0, 0}};

    start_side(&h, &h.now, p);
    if (settings->before != NULL)
        start_side(&h, &h.before, settings->before);
    html_events_make(&h.events, &h.tables, &h.now.tracks);
    text_char(&h.json, '{');
    html_add_columns(&h);
    html_add_facts(&h);
    if (settings->wanted.source_text)
        html_add_sources(&h);
    text_str(&h.json, "}");
    write_page(&h, output);
}

const struct output_format output_html = {
    .description = "a report for browsers, with a timeline",
    .uses = FXT_PROFILE_USE_SPANS | FXT_PROFILE_USE_VALUE | FXT_PROFILE_USE_GRAPH,
    .is_timeline = true,
    .keeps_scheduling = true,
    .has_default_type = true,
    .write = write_html,
};
