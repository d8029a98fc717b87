/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats in which libfxtprofile writes profiles: see fxt/profile.h. */
#ifndef FXT_PROFILE_FORMAT_H
#define FXT_PROFILE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>

FXT_BEGIN_DECLS

enum fxt_profile_format {
    FXT_PROFILE_FORMAT_ANY = 0,
    /* The profile.proto of pprof, compressed with gzip. */
    FXT_PROFILE_PPROF = 1,
    /* A line for each stack: root;caller;leaf and a number. */
    FXT_PROFILE_FOLDED = 2,
    /* An interactive flame graph. */
    FXT_PROFILE_SVG = 3,
    /* The JSON of speedscope.app. */
    FXT_PROFILE_SPEEDSCOPE = 4,
    /* Fuchsia's symbolizer markup; not for heaps or captures, which have no addresses.
     * What is not for heaps is not for folded stacks either. */
    FXT_PROFILE_MARKUP = 5,
    /* The captures of cargo-osdk, in JSON; not for heaps. */
    FXT_PROFILE_OSDK_JSON = 6,
    /* A timeline for Firefox Profiler, which Perfetto's viewer opens, too; not for heaps.
     */
    FXT_PROFILE_FIREFOX = 7,
    /* A trace for Perfetto, in protocol buffers; not for heaps. */
    FXT_PROFILE_PERFETTO = 8,
    /* A page for browsers, which needs no other file: a timeline, a flame graph, tables
     * and trees. */
    FXT_PROFILE_HTML = 9,
    /* A trace in Chrome's JSON; not for heaps. */
    FXT_PROFILE_CHROME = 10
};

/* Which data and which members of struct fxt_profile_output a format shows. */
enum fxt_profile_use {
    /* FXT_PROFILE_SPANS, and times from scheduling records (FXT_PROFILE_OFF_CPU and so
     * on). */
    FXT_PROFILE_USE_SPANS = 1,
    /* annotate */
    FXT_PROFILE_USE_ANNOTATE = 2,
    /* lines */
    FXT_PROFILE_USE_LINES = 4,
    /* value */
    FXT_PROFILE_USE_VALUE = 8,
    /* From title to reverse: the appearance of a flame graph. */
    FXT_PROFILE_USE_GRAPH = 16
};

/* What is to be known of a format. All strings are constants. */
struct fxt_profile_format_info {
    size_t size;
    /* As fxt_profile_format_find takes it, such as "svg". */
    const char *name;
    /* The suffixes of its files' names, such as ".svg", separated by spaces; the usual
     * one is first. */
    const char *suffixes;
    /* What its files have in them, such as "a flame graph". */
    const char *content;
    /* A line that describes it. */
    const char *description;
    /* Why it cannot represent heaps, or captures of stacks; NULL if it can. */
    const char *heap_refusal;
    const char *capture_refusal;
    /* Values of enum fxt_profile_use. */
    uint32_t uses;
    bool is_binary;
    /* It is compressed unless no_gzip is set. */
    bool is_compressed;
};

/* The format with a name: pprof, folded, svg, speedscope, markup, json, firefox,
 * perfetto, html or chrome; FXT_PROFILE_FORMAT_ANY if there is none. */
FXT_API enum fxt_profile_format fxt_profile_format_find(const char *name);

/* Fills in what is to be known of a format: set info->size to sizeof(struct
 * fxt_profile_format_info) before. Returns false if the number is not a format. The
 * numbers begin with 1 and have no gaps, so that a loop up to the first that is not a
 * format has all of them. */
FXT_API bool fxt_profile_format_describe(enum fxt_profile_format format,
                                         struct fxt_profile_format_info *info);

FXT_END_DECLS

#endif
