/* SPDX-License-Identifier: BSD-2-Clause */
/* The archives of a recording: one file, or one after the other, with numbers. */
#ifndef FXTRECORD_TRACE_FILES_H
#define FXTRECORD_TRACE_FILES_H

#include "common/base/io/output.h"
#include "common/base/io/zstd.h"
#include "record_options.h"

/* All zero, but for the first members, is none yet. */
struct trace_files {
    /* "-" is standard output. */
    const char *name;
    /* The most bytes that all may have; 0 for no bound. Then a part that is too much is
     * refused, as by a full disk. */
    uint64_t max_bytes;
    /* How many files with numbers to keep; 0 for all. */
    uint64_t n_kept;
    /* Of each of the others that is removed, an empty file stays: see output_name.h. */
    bool leaves_notes;
    /* They are compressed, and sizes are those of what is in the files. */
    bool are_compressed;
    /* The file that is written, or NULL, its name, and what it and all have. */
    struct output *output;
    struct text path;
    /* Of a file that is compressed, and what is to be written to it. */
    struct zstd *zstd;
    struct text compressed;
    uint64_t n_bytes;
    uint64_t n_all_bytes;
    /* How many there were. */
    uint64_t n_files;
    /* It has its name; it is the last one. */
    bool is_published;
    /* A part was refused for `max_bytes`; or could not be written, which is in `why`. */
    bool is_full;
    bool has_failed;
    struct text why;
    /* The number of the last file; 0 before the first. */
    unsigned long number;
};

/* Opens the next file, with a number or without: it has a temporary name until it is
 * published, or closed. Returns false, with the reason in `why`, on failure. */
bool trace_files_open(struct trace_files *files, bool has_number);

/* An fxt_write_fn, for parts of whole records: one that cannot be written leaves no
 * trace. */
int trace_files_write(void *files, const void *data, size_t size);

/* Gives the file its name. Returns false on failure. */
bool trace_files_publish(struct trace_files *files);

/* What is written from now on is the end of the file, which fits. */
void trace_files_spare(struct trace_files *files);

/* Ends the file. If `keep` is false it is removed, unless it was published. Returns false
 * if something was not written, now or before. */
bool trace_files_close(struct trace_files *files, bool keep);

#endif
