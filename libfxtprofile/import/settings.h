/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How inputs are read, where problems with them are reported, and which CPUs they are of
 * by their names.
 */
#ifndef FXTPROFILE_IMPORT_SETTINGS_H
#define FXTPROFILE_IMPORT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile_builder.h>
#include <fxt/reader.h>

/* An input; the CPU that the user says it is of; and the CPU of its first region.
 * PROFILE_NO_CPU where that is not known. */
struct import_file {
    const char *name;
    uint32_t cpu;
    uint32_t region_cpu;
};

/*
 * What the caller learns while inputs are read, one after the other; each function gets
 * `context`, and most the name of the input.
 */
struct import_client {
    void *context;
    /* What follows is about this one of the settings' files. */
    void (*on_start)(void *context, size_t file);
    /* So many bytes more were read from a file; called by any thread. */
    void (*on_read)(void *context, size_t n_bytes);
    /* A fault in FXT data, its offset counted from the start of the input. */
    void (*on_error)(void *context, const char *name, const struct fxt_error *error);
    /* A capture that could not be read: "line 12: a frame without ...". */
    void (*on_fault)(void *context, const char *name, const char *message);
    /* Anything else: a warning; an error, after which the rest of the input is missing;
     * or a fatal one: the input cannot be used. */
    void (*on_message)(void *context, const char *name, enum fxt_severity severity,
                       const char *message);
    /* Whether captures of this kind can be used with the options. Where they cannot, the
     * function has reported why. */
    bool (*accepts)(void *context, const char *name, enum fxt_profile_content content);
};

struct import_settings {
    struct import_file *files;
    size_t n_files;
    enum fxt_profile_content content;
    /* Names in a debugger's log stay as they are. */
    bool full_names;
    enum fxt_stream stream;
    enum fxt_byte_order byte_order;
    bool resync;
    /* 0 where a file is one stream. */
    uint64_t region_size;
    uint64_t ticks_per_second;
    /* How many threads may read regions; 0 for one on each processor. */
    uint64_t n_threads;
    /* What a healthy recording has anyway is reported, too. */
    bool reports_all;
    const struct import_client *client;
};

/* The CPU of a name like cpu3; PROFILE_NO_CPU for any other. */
uint32_t cpu_of_name(const char *data, size_t size);

/*
 * If all files without a CPU from the user are called cpu0.bin, cpu1.bin and so on, with
 * different numbers, they are of these CPUs, in any order: a shell puts cpu10.bin before
 * cpu2.bin. Archives, which are called *.fxt, *.fxt.gz or *.fxt.zst unless the
 * user says that all files are regions, may be called anything.
 */
void cpus_of_files(struct import_file *files, size_t n, bool are_regions);

#endif
