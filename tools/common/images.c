/* SPDX-License-Identifier: BSD-2-Clause */
/* See images.h. */
#include "images.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/elf/vdso.h"

static const char deleted[] = " (deleted)";

/* ---- Opening ----------------------------------------------------------------------- */

static struct file *try_open(const char *name)
{
    struct text why = {NULL, 0, 0};
    struct file *file = file_open(name, &why);

    text_free(&why);
    return file;
}

/* The size of a name without what the kernel says of it. */
static size_t name_size(const char *name)
{
    size_t size = strlen(name);
    size_t suffix = sizeof(deleted) - 1;

    return size > suffix && strcmp(name + size - suffix, deleted) == 0 ? size - suffix
                                                                       : size;
}

static bool is_at(const struct file *file, uint64_t inode)
{
    struct stat status;

    return fstat(file_descriptor(file), &status) == 0 && status.st_ino == inode;
}

/* What is at a path, unless that is another file than the one that is mapped, which may
 * be unknown if `trusts`. */
static struct file *open_path(const char *path, const struct mapped *mapped, bool trusts)
{
    uint64_t inode = mapped->place.inode;
    struct file *file = inode != 0 || trusts ? try_open(path) : NULL;

    if (file == NULL || inode == 0 || is_at(file, inode))
        return file;
    file_close(file);
    return NULL;
}

/* What the process has mapped, whatever is at that path now or in its root, which is for
 * root alone; else what is at that path, if the file was not deleted; else its program,
 * which anybody may have of processes of their own. */
static struct file *open_mapped(const struct mapped *mapped)
{
    bool is_deleted = name_size(mapped->name) < strlen(mapped->name);
    char path[128];
    struct file *file;

    if (strcmp(mapped->name, "[vdso]") == 0)
        return vdso_open();
    if (mapped->name[0] != '/')
        return NULL;
    snprintf(path, sizeof(path), "/proc/%ld/map_files/%" PRIx64 "-%" PRIx64,
             (long)mapped->process, mapped->start, mapped->start + mapped->length);
    file = try_open(path);
    if (file == NULL && !is_deleted)
        file = open_path(mapped->name, mapped, true);
    if (file != NULL)
        return file;
    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)mapped->process);
    return open_path(path, mapped, false);
}

static void open_image(struct images *images, struct image *image,
                       const struct mapped *mapped)
{
    errno = 0;
    image->file = open_mapped(mapped);
    if (image->file == NULL && (errno == EMFILE || errno == ENFILE))
        images->is_short_of_files = true;
}

/* Files have one name after another, and in other roots, such as those of containers. */
static bool is_same_place(const struct file_place *a, const struct file_place *b)
{
    return a->device_major == b->device_major && a->device_minor == b->device_minor &&
           a->inode == b->inode && a->generation == b->generation;
}

static bool is_same(const struct image *image, const struct mapped *mapped)
{
    size_t size = name_size(mapped->name);

    return strlen(image->name) == size && memcmp(image->name, mapped->name, size) == 0 &&
           is_same_place(&image->place, &mapped->place) &&
           image->build_id_size == mapped->build_id_size &&
           (mapped->build_id_size == 0 ||
            memcmp(image->build_id, mapped->build_id, mapped->build_id_size) == 0);
}

/* A file that was deleted is called what it was before, and is the same. */
uint32_t images_find(struct images *images, const struct mapped *mapped)
{
    uint64_t hash = hash_bytes(mapped->name, name_size(mapped->name));
    struct table_probe probe = table_probe(&images->table, hash);
    struct image *image;
    uint32_t number;

    while (table_next(&images->table, &probe, &number)) {
        image = &images->all[number];
        if (!is_same(image, mapped))
            continue;
        /* The process that had it first may have ended too soon. */
        if (image->file == NULL)
            open_image(images, image, mapped);
        return number;
    }
    table_add(&images->table, hash, images->n);
    images->all = memory_grow(images->all, images->n, &images->capacity, sizeof(*image));
    image = &images->all[images->n];
    *image =
        (struct image){.name = memory_copy_string(mapped->name), .place = mapped->place};
    open_image(images, image, mapped);
    image->name[name_size(mapped->name)] = '\0';
    image->build_id_size = mapped->build_id_size;
    if (mapped->build_id_size > 0)
        memcpy(image->build_id, mapped->build_id, mapped->build_id_size);
    return (uint32_t)images->n++;
}

/* ---- Reading ----------------------------------------------------------------------- */

/* If the kernel knows the build id of what was mapped, the file must have the same to be
 * the one. */
static bool is_right(const struct image *image, const struct elf_image *elf)
{
    return image->build_id_size == 0 ||
           (image->build_id_size == elf->build_id_size &&
            memcmp(image->build_id, elf->build_id, elf->build_id_size) == 0);
}

static void read_elf(struct image *image)
{
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf_image elf;

    if (elf_headers_read(&headers, image->file, &why) &&
        elf_image_read(&elf, &headers, &why) && is_right(image, &elf)) {
        image->build_id_size = elf.build_id_size;
        memcpy(image->build_id, elf.build_id, elf.build_id_size);
        image->n_code = elf.n_code;
        image->code = memory_allocate(elf.n_code * sizeof(*elf.code));
        memcpy(image->code, elf.code, elf.n_code * sizeof(*elf.code));
    }
    text_free(&why);
}

static void read_image(struct image *image)
{
    if (image->file == NULL)
        return;
    if (image->is_wanted)
        read_elf(image);
    file_close(image->file);
    image->file = NULL;
}

void images_finish(struct images *images)
{
    for (size_t i = 0; i < images->n; i++)
        read_image(&images->all[i]);
}

/* A mapping begins with the page that its segment begins in, and more than the segment's
 * own bytes may be in its last page. */
uint64_t images_address(const struct image *image, uint64_t offset)
{
    for (size_t i = 0; i < image->n_code; i++) {
        const struct elf_code *code = &image->code[i];
        uint64_t first = code->offset / 4096 * 4096;

        if (offset >= first && offset - first < code->limit - code->vaddr + 4096)
            return code->vaddr - (code->offset - offset);
    }
    return offset;
}

void images_take_notes(struct image *image, const unsigned char *notes, size_t size)
{
    uint32_t header[3];

    while (size >= sizeof(header)) {
        uint64_t id_at;
        uint64_t next;

        memcpy(header, notes, sizeof(header));
        id_at = sizeof(header) + ((uint64_t)header[0] + 3) / 4 * 4;
        next = id_at + ((uint64_t)header[1] + 3) / 4 * 4;
        if (next > size)
            return;
        if (header[2] == NT_GNU_BUILD_ID && header[0] == 4 &&
            header[1] <= ELF_BUILD_ID_MAX && memcmp(notes + 12, "GNU", 4) == 0) {
            image->build_id_size = header[1];
            memcpy(image->build_id, notes + id_at, header[1]);
            return;
        }
        notes += next;
        size -= next;
    }
}

void images_free(struct images *images)
{
    for (size_t i = 0; i < images->n; i++) {
        memory_release(images->all[i].name);
        memory_release(images->all[i].code);
        if (images->all[i].file != NULL)
            file_close(images->all[i].file);
    }
    memory_release(images->all);
    table_free(&images->table);
    *images = (struct images){0};
}
