/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the public library share: see fxt/profile.h.
 *
 * The state of a builder is in the profile that it will make, whose memory is a pool. The
 * builder itself has only what outlives the pool: the first failure.
 */
#ifndef FXTPROFILE_BUILDER_H
#define FXTPROFILE_BUILDER_H

#include <fxt/profile.h>

#include "common/base/memory.h"
#include "common/base/parse.h"
#include "common/base/string_table.h"
#include "libfxtprofile/import/stream.h"
#include "libfxtprofile/output/outputs.h"
#include "libfxtprofile/pipeline.h"

/* How a stream's content comes. */
enum feed { FEED_UNKNOWN, FEED_CHUNKS, FEED_RECORDS };

/* A stream between fxt_profile_builder_begin and _end. */
struct fed_stream {
    bool is_open;
    struct import_settings settings;
    char *name;
    bool has_cpu;
    uint32_t cpu;

    enum feed feed;
    /* NULL before the first word and for records. */
    struct fxt_reader *reader;
    struct stream stream;
    bool is_started;
    bool is_lost;
    uint64_t n_bytes;
    uint64_t n_lost;
};

/* What names samples that are added up have. */
struct sum_names {
    /* Their numbers are those of the koids, from 1 on; threads are called by the number
     * of their process, 8 bytes, and their name. */
    struct string_table processes;
    struct string_table threads;
    /* Frames, with a byte that is 1 for inlined functions after what is known of them;
     * and locations, as the numbers of their frames. */
    struct string_table frames;
    struct string_table locations;
    /* By the numbers of locations, those of their names. */
    uint32_t *names;
    size_t n_names;
    size_t name_capacity;
    /* Space for a thread or a frame, and for the numbers of a stack's names. */
    struct text key;
    uint64_t *pcs;
    size_t n_pcs;
    size_t pc_capacity;
};

struct fxt_profile {
    struct memory_pool *pool;
    struct fxt_profile_options options;
    struct pipeline pipeline;

    /* The pipeline is started with the first input, when the filters are known. */
    bool is_started;
    struct cpu_set cpus;
    bool has_cpus;
    struct time_window window;
    bool has_window;
    struct filter filter;
    const char **debug_dirs;
    size_t n_debug_dirs;
    size_t debug_dir_capacity;
    /* The caller's arguments, by the numbers of the symbolizer's images. */
    char **module_files;
    size_t n_module_files;
    size_t module_file_capacity;
    struct import_client client;
    /* How many inputs were added, and the number of the one that is being read. */
    size_t n_inputs;
    size_t input;
    struct fed_stream fed;
    struct sum_names sums;

    /* The paths of the files with symbols. */
    char **symbol_files;
    size_t n_symbol_files;
    size_t symbol_file_capacity;
};

struct fxt_profile_builder {
    /* NULL after a failure that freed it, and after fxt_profile_builder_finish. */
    struct fxt_profile *profile;
    fxt_profile_report_fn *on_report;
    fxt_profile_progress_fn *on_progress;
    fxt_profile_download_fn *on_download;
    fxt_profile_accept_fn *accept_captures;
    void *context;
    bool is_busy;
    enum fxt_code code;
    char message[512];
};

/* What a public function does, inside of memory_run. */
typedef enum fxt_code builder_fn(struct fxt_profile_builder *builder, void *context);

/* Calls a function, unless a call has failed before, and stores its failure. */
enum fxt_code builder_call(struct fxt_profile_builder *builder, builder_fn *run,
                           void *context);

/* Stores a failure with a message, and a name before it unless that is NULL. */
enum fxt_code builder_fail(struct fxt_profile_builder *builder, enum fxt_code code,
                           const char *name, const char *message);

/* Sets what fxt_profile_builder_message returns after a failure: the same. */
void builder_set_message(struct fxt_profile_builder *builder, const char *name,
                         const char *message);

/* Hands a report to the user. */
void builder_report(const struct fxt_profile_builder *builder,
                    const struct fxt_profile_report *report);

/* Hands on what importers report, and asks the user what they ask. */
struct import_client builder_client(struct fxt_profile_builder *builder);

/* Lets servers be asked for debug files. */
void builder_use_servers(struct fxt_profile_builder *builder);

/* Reports the files with symbols that were not found, not used or refused. */
void builder_report_results(const struct fxt_profile_builder *builder);

/* A part of these: the files that samples lack names for, and what brings them. */
void builder_report_missing_files(const struct fxt_profile_builder *builder);

/* Lists the paths of all files with symbols that the pipeline has. */
void builder_list_symbol_files(struct fxt_profile *profile);

/* Starts the pipeline: the filters are known. */
void builder_start(struct fxt_profile_builder *builder);

/* Copies the description of an input, which may be NULL; false if it is invalid. */
bool builder_copy_input(struct fxt_profile_input *to,
                        const struct fxt_profile_input *from);

/* The same for the importer. */
struct import_settings builder_import_settings(const struct fxt_profile_builder *builder,
                                               const struct fxt_profile_input *input);

#endif
