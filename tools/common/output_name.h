/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the name of an output promises by its end, such as ".svg". Every tool refuses a
 * name that promises what would not be in the file.
 */
#ifndef COMMON_OUTPUT_NAME_H
#define COMMON_OUTPUT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/io/output.h"
#include "common/base/text.h"

struct name_promise {
    /* The format of such files, by its name, the converter that writes them, and what it
     * calls them; NULL for none. */
    const char *format;
    const char *tool;
    const char *content;
    /* The suffix, if no converter writes such files. */
    const char *foreign;
    /* The size of the name as that tool would write it: without .gz, unless the suffix
     * includes it. */
    size_t size;
    /* The size of the name without the suffix. */
    size_t stem;
};

/* Adds which suffixes the files of each converter have, as a sentence. */
void output_name_list(struct text *text);

/* Whether a converter writes a format. */
bool output_name_offers(const char *tool, const char *format);

/* Whether a name ends so, in capitals or not. */
bool output_name_ends_with(const char *name, const char *end);

/* The size of a name without .gz; and without .gz or .zst, for archives. */
size_t output_name_stem(const char *name);
size_t output_name_archive_stem(const char *name);

/* Whether a name promises anything; that of a compressed file counts as well. */
bool output_name_promise(const char *name, struct name_promise *promise);

/* Whether the name is free for an FXT archive; complains if not. */
bool output_name_check_archive(const char *program, const char *name);

/* The same where the archive is compressed if the name ends in .gz or .zst. */
bool output_name_check_any_archive(const char *program, const char *name);

/* The same where the archive is compressed by zstd in any case. */
bool output_name_check_zstd(const char *program, const char *name);

/* From here on, what is written is compressed if the name ends so; it may be NULL. */
void output_name_compress(const char *name, struct output *output);

/* Whether the name is free for text, and for JSON if `is_json`. */
bool output_name_check_text(const char *program, const char *name, bool is_json);

/* Whether a file of that name could be written, which stays as it is; complains if not.
 * Pipes and devices are not tried: their readers would notice. */
bool output_name_try(const char *program, const char *name, bool is_binary);

/* ---- Archives that were removed before they were sent ------------------------------ */

/* What is left of one: an empty file, whose name has its size and its time in
 * nanoseconds, NAME.SIZE.TIME.dropped. fxtship sends it as a loss. */
#define DROPPED_SUFFIX ".dropped"

/* Adds the name, and a terminator. */
void dropped_name(struct text *to, const char *name, uint64_t size, uint64_t time_ns);

#endif
