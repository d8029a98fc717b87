/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that processes have mapped: each is opened when it is first seen, so that it
 * can be read at the end even if it was deleted meanwhile.
 */
#ifndef COMMON_IMAGES_H
#define COMMON_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/elf/elf_image.h"
#include "base/table.h"

/* Which file it is, as the kernel tells files of one name apart; all 0 where that is not
 * known. */
struct file_place {
    uint32_t device_major;
    uint32_t device_minor;
    uint64_t inode;
    /* Of the inode; 0 where that is not known. */
    uint64_t generation;
};

struct image {
    char *name;
    struct file_place place;
    /* NULL if it could not be opened. */
    struct file *file;
    unsigned char build_id[ELF_BUILD_ID_MAX];
    size_t build_id_size;
    /* Somebody asks for what is in the file. */
    bool is_wanted;
    /* Its segments with code; none until images_finish. */
    struct elf_code *code;
    size_t n_code;
};

/* All zero is none. */
struct images {
    struct image *all;
    size_t n;
    size_t capacity;
    struct table table;
    /* Some could not be opened since this program may have no more files open. */
    bool is_short_of_files;
};

/* A mapping as the kernel tells of it. */
struct mapped {
    pid_t process;
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint32_t flags;
    struct file_place place;
    const char *name;
    const unsigned char *build_id;
    size_t build_id_size;
};

/* The number of the image that a mapping shows. */
uint32_t images_find(struct images *images, const struct mapped *mapped);

/* Reads the files that are wanted. */
void images_finish(struct images *images);

/* The image's own address of what is at `offset` in its file: the offset itself where
 * nothing is known of the file. */
uint64_t images_address(const struct image *image, uint64_t offset);

/* Takes the GNU build id out of notes as they stand in memory. */
void images_take_notes(struct image *image, const unsigned char *notes, size_t size);

void images_free(struct images *images);

#endif
