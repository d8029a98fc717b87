/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files in which a process's JIT compiler names its functions: its perf map, and the
 * dumps that it has mapped. They are opened while the process runs, since it may delete
 * them, and read now and then, and at the end.
 *
 * Anyone can create a file of that name in /tmp: only what belongs to the user of the
 * process, and is not older than the process, is used.
 */
#ifndef PROCESSES_JIT_FILES_H
#define PROCESSES_JIT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/io/file.h"
#include "common/processes/code_names.h"
#include "common/processes/mapped_files.h"

struct jit_file {
    struct file *file;
    uint64_t device;
    uint64_t inode;
    char *path;
    bool is_dump;
    /* After jit_files_read. */
    struct code_names names;
};

struct jit_files {
    pid_t process;
    /* What is known once the process was seen in /proc: its id in its own namespace, its
     * user, and when it was started, by the wall clock. */
    bool is_known;
    pid_t inner_id;
    uid_t user;
    uint64_t started_ns;
    /* When it was last looked for files, by any clock. */
    uint64_t last_look_ns;
    struct jit_file *all;
    size_t n;
    size_t capacity;
    struct sampled_code code;
    /* How many PCs there were when the files were last read, and when they may be read
     * again. */
    size_t n_code_read;
    uint64_t next_read_ns;
    /* Hashes of the functions that the archive has. */
    uint64_t *written;
    size_t n_written;
    size_t written_capacity;
    struct table written_table;
};

/* Those of a process, which are created if `*files` is NULL. */
struct jit_files *jit_files_of(struct jit_files **files, pid_t process);

/* Whether code in what has such a name, of a mapping, may be a JIT compiler's; and
 * whether it is a dump, which it maps as code to show where it is. */
bool jit_files_concern(const char *name);
bool jit_files_is_dump(const char *name);

/* Takes such a mapping. */
void jit_files_take_mapping(struct jit_files *files, const struct file_mapping *mapping);

/* Looks for a perf map that is not open yet, unless it is less than `pause_ns` since the
 * last time. `now_ns` is CLOCK_MONOTONIC. */
void jit_files_look(struct jit_files *files, uint64_t now_ns, uint64_t pause_ns);

/* Reads the names of the functions that are in `code`, but for those that it has read for
 * this archive before. */
void jit_files_read(struct jit_files *files);

/* Whether they should be read while the recording goes on, by CLOCK_MONOTONIC; and notes
 * that they were, from one time to another. */
bool jit_files_are_due(const struct jit_files *files, uint64_t now_ns);
void jit_files_set_read(struct jit_files *files, uint64_t begun_ns, uint64_t now_ns);

/* Another archive begins, with no samples or functions. */
void jit_files_start_archive(struct jit_files *files);

void jit_files_free(struct jit_files *files);

/* Add the functions of a perf map, or of a jitdump, that samples are in. Where the times
 * of a jitdump are of another clock, none has a time. */
void perf_map_read(struct file *file, struct sampled_code *code,
                   struct code_names *names);

void jitdump_read(struct file *file, struct sampled_code *code, struct code_names *names);

/* Whether a file's name is that of a jitdump. */
bool jitdump_is_name(struct string path);

#endif
