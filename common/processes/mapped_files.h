/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that processes have mapped: each is opened when it is first seen, so that it
 * can be read even if it has been deleted by then.
 */
#ifndef PROCESSES_MAPPED_FILES_H
#define PROCESSES_MAPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/elf/elf_image.h"
#include "common/base/table.h"
#include "root_directories.h"

/* What distinguishes files of the same name; all 0 where that is not known. */
struct file_identity {
    uint32_t device_major;
    uint32_t device_minor;
    uint64_t inode;
    /* The inode's; 0 where that is not known. */
    uint64_t generation;
};

struct mapped_file {
    char *name;
    struct file_identity identity;
    /* NULL if it could not be opened. */
    struct file *file;
    unsigned char build_id[ELF_BUILD_ID_MAX];
    size_t build_id_size;
    /* The build id is the one that the kernel reported. */
    bool has_reported_id;
    /* Its .debug_frame is compressed by zstd. */
    bool has_zstd_tables;
    /* mapped_files_read has read it. */
    bool is_read;
    /* Its segments with code; none until mapped_files_read. */
    struct elf_code *code;
    size_t n_code;
};

/* All zero is none. */
struct mapped_files {
    struct mapped_file *all;
    size_t n;
    size_t capacity;
    struct table table;
    struct root_directories roots;
    /* How many there were when the unused ones were last removed (process_forget.h). */
    size_t n_kept;
    /* Some were not opened, since this process may have no more files open. */
    bool is_short_of_files;
};

/* A mapping as the kernel reports it. */
struct file_mapping {
    pid_t process;
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint32_t flags;
    struct file_identity identity;
    const char *name;
    const unsigned char *build_id;
    size_t build_id_size;
    /* Since when, by CLOCK_MONOTONIC; 0 where that is not known. */
    uint64_t since_ns;
};

/* The size of a name without the kernel's remark that the file was deleted. */
size_t mapped_file_name_size(const char *name);

/* The index of the file that a mapping is of; files that are new are opened. */
uint32_t mapped_files_add(struct mapped_files *files, const struct file_mapping *mapping);

/* Reads the build ids and segments of the files that are open, and closes them. */
void mapped_files_read(struct mapped_files *files);

/* Reads them of one file, which is open and has not been read, and leaves it open.
 * Returns false if it is no ELF file, or not the one that was mapped. */
bool mapped_file_read_image(struct mapped_file *file);

/* The address at which the file was linked to have what is at `offset`: the offset itself
 * where nothing is known of the file. */
uint64_t mapped_file_address(const struct mapped_file *file, uint64_t offset);

/* Takes the GNU build id out of ELF notes. */
void mapped_file_take_notes(struct mapped_file *file, const unsigned char *notes,
                            size_t size);

/* For the table of files; and frees what one file has. */
uint64_t mapped_file_hash(const char *name);
void mapped_file_free(struct mapped_file *file);

#endif
