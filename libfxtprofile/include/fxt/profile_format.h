/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats in which libfxtprofile writes profiles: see fxt/profile.h. */
#ifndef FXT_PROFILE_FORMAT_H
#define FXT_PROFILE_FORMAT_H

#include <stdbool.h>

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
    /* Fuchsia's symbolizer markup; not for heaps or captures, which have no addresses. */
    FXT_PROFILE_MARKUP = 5,
    /* The captures of cargo-osdk, in JSON; not for heaps. */
    FXT_PROFILE_OSDK_JSON = 6
};

/* The format with a name: pprof, folded, svg, speedscope, markup or json;
 * FXT_PROFILE_FORMAT_ANY if there is none. */
FXT_API enum fxt_profile_format fxt_profile_format_find(const char *name);

/* The name of a format, and the usual suffix of its files, such as ".svg"; NULL if it is
 * not a format. */
FXT_API const char *fxt_profile_format_name(enum fxt_profile_format format);
FXT_API const char *fxt_profile_format_suffix(enum fxt_profile_format format);

/* Whether a format is binary, and whether it is compressed unless no_gzip is set. */
FXT_API bool fxt_profile_format_is_binary(enum fxt_profile_format format);
FXT_API bool fxt_profile_format_is_compressed(enum fxt_profile_format format);

FXT_END_DECLS

#endif
