/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of all output formats. A row has what every tool has to know of a format, even
 * one that does not link this library: fxtrecord, for example, refuses to write an
 * archive to x.svg, and prints the command that writes a flame graph. All else is in the
 * format's struct output_format (outputs.h).
 *
 * FORMAT(number, name, converter, suffixes, content):
 *   number     in enum fxt_profile_format
 *   name       as in --format; the format's struct is output_NAME
 *   converter  the program that offers it
 *   suffixes   of its files' names, separated by spaces; the usual one is first
 *   content    what its files have in them, as in "to write a flame graph"
 */
#ifndef FXTPROFILE_OUTPUT_FORMAT_LIST_H
#define FXTPROFILE_OUTPUT_FORMAT_LIST_H

/* clang-format off */
#define OUTPUT_FORMATS(FORMAT) \
    FORMAT(FXT_PROFILE_PPROF, pprof, "fxt2pprof", ".pb.gz .pb .pprof", "a profile") \
    FORMAT(FXT_PROFILE_FOLDED, folded, "fxt2folded", ".folded .collapsed", \
           "folded stacks") \
    FORMAT(FXT_PROFILE_SVG, svg, "fxt2folded", ".svg", "a flame graph") \
    FORMAT(FXT_PROFILE_SPEEDSCOPE, speedscope, "fxt2folded", ".speedscope.json", "JSON") \
    FORMAT(FXT_PROFILE_MARKUP, markup, "fxt2folded", ".markup", "markup") \
    FORMAT(FXT_PROFILE_OSDK_JSON, json, "fxt2folded", ".json", "JSON") \
    FORMAT(FXT_PROFILE_FIREFOX, firefox, "fxt2firefox", ".firefox.json.gz .firefox.json", \
           "a timeline") \
    FORMAT(FXT_PROFILE_PERFETTO, perfetto, "fxt2perfetto", \
           ".pftrace .pftrace.gz .perfetto-trace", "a timeline") \
    FORMAT(FXT_PROFILE_HTML, html, "fxtreport", ".html .htm", "a page for browsers") \
    FORMAT(FXT_PROFILE_CHROME, chrome, "fxt2chrome", ".chrome.json .chrome.json.gz", \
           "a timeline")
/* clang-format on */

#endif
