/* SPDX-License-Identifier: BSD-2-Clause */
/* See mapped_files.h. */
#include "mapped_files.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/elf/vdso.h"

static const char deleted[] = " (deleted)";

/* ---- Opening ----------------------------------------------------------------------- */

static struct file *try_open(const char *name)
{
    struct text why = {NULL, 0, 0};
    struct file *file = file_open(name, &why);

    text_free(&why);
    return file;
}

size_t mapped_file_name_size(const char *name)
{
    size_t size = strlen(name);
    size_t suffix = sizeof(deleted) - 1;

    return size > suffix && strcmp(name + size - suffix, deleted) == 0 ? size - suffix
                                                                       : size;
}

static bool has_inode(const struct file *file, uint64_t inode)
{
    /* MemorySanitizer does not know fstat64. */
    struct stat status = {.st_ino = 0};

    return fstat(file_descriptor(file), &status) == 0 && status.st_ino == inode;
}

/* Whether a file is the mapped one, by what the kernel has reported of that: its build id
 * or its inode, not its device, of which stat says another number on some file systems.
 * If it has reported nothing, `trusts`. */
static bool is_mapped(struct file *file, const struct file_mapping *mapping, bool trusts)
{
    if (mapping->build_id_size > 0)
        return elf_has_build_id(file, mapping->build_id, mapping->build_id_size);
    return mapping->identity.inode != 0 ? has_inode(file, mapping->identity.inode)
                                        : trusts;
}

/* Opens the file at a path, if it is the mapped one. */
static struct file *open_path(const char *path, const struct file_mapping *mapping,
                              bool trusts)
{
    struct file *file = try_open(path);

    if (file == NULL || is_mapped(file, mapping, trusts))
        return file;
    file_close(file);
    return NULL;
}

/* The process may have ended; others in the same root directory have been seen. */
static struct file *open_in_roots(const struct root_directories *roots,
                                  const struct file_mapping *mapping)
{
    uint64_t inode = mapping->identity.inode;
    int found = inode != 0 ? root_directories_open(roots, mapping->name, inode) : -1;
    char path[64];
    struct file *file;

    if (found < 0)
        return NULL;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
    file = try_open(path);
    close(found);
    return file;
}

/* The path in the root directory of the process. */
static struct file *open_in_root(const struct file_mapping *mapping)
{
    struct text path = {NULL, 0, 0};
    struct file *file;

    text_printf(&path, "/proc/%ld/root%s", (long)mapping->process, mapping->name);
    text_char(&path, '\0');
    file = open_path(path.data, mapping, false);
    text_free(&path);
    return file;
}

/* In our root directory, in the process's, and in others. */
static struct file *open_named(const struct root_directories *roots,
                               const struct file_mapping *mapping)
{
    struct file *file = open_path(mapping->name, mapping, true);

    if (file == NULL)
        file = open_in_root(mapping);
    return file != NULL ? file : open_in_roots(roots, mapping);
}

/* Tries map_files, which is what the process has mapped, whatever is at that path by now
 * or in its root directory, but needs privileges, and may be what it has mapped there
 * since; then the path, if the file was not deleted; then the process's program, which
 * needs no privileges for the user's own processes. */
static struct file *open_mapped(const struct root_directories *roots,
                                const struct file_mapping *mapping)
{
    bool is_deleted = mapped_file_name_size(mapping->name) < strlen(mapping->name);
    char path[128];
    struct file *file;

    if (strcmp(mapping->name, "[vdso]") == 0)
        return vdso_open();
    if (mapping->name[0] != '/')
        return NULL;
    snprintf(path, sizeof(path), "/proc/%ld/map_files/%" PRIx64 "-%" PRIx64,
             (long)mapping->process, mapping->start, mapping->start + mapping->length);
    file = open_path(path, mapping, true);
    if (file == NULL && !is_deleted)
        file = open_named(roots, mapping);
    if (file != NULL)
        return file;
    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)mapping->process);
    return open_path(path, mapping, false);
}

static void open_for_mapping(struct mapped_files *files, struct mapped_file *file,
                             const struct file_mapping *mapping)
{
    errno = 0;
    root_directories_add(&files->roots, mapping->process);
    file->file = open_mapped(&files->roots, mapping);
    if (file->file == NULL && (errno == EMFILE || errno == ENFILE))
        files->is_short_of_files = true;
}

/* Several files have the same name one after the other, or in several root directories,
 * such as those of containers. */
static bool is_same_identity(const struct file_identity *a, const struct file_identity *b)
{
    return a->device_major == b->device_major && a->device_minor == b->device_minor &&
           a->inode == b->inode && a->generation == b->generation;
}

static bool is_same_build_id(const struct mapped_file *file,
                             const struct file_mapping *mapping)
{
    if (mapping->build_id_size == 0)
        return !file->has_reported_id;
    return file->has_reported_id && file->build_id_size == mapping->build_id_size &&
           memcmp(file->build_id, mapping->build_id, mapping->build_id_size) == 0;
}

static bool is_same_file(const struct mapped_file *file,
                         const struct file_mapping *mapping)
{
    size_t size = mapped_file_name_size(mapping->name);

    return strlen(file->name) == size && memcmp(file->name, mapping->name, size) == 0 &&
           is_same_identity(&file->identity, &mapping->identity) &&
           is_same_build_id(file, mapping);
}

uint64_t mapped_file_hash(const char *name)
{
    return hash_bytes(name, mapped_file_name_size(name));
}

/* A file that has been deleted keeps its name and is the same file. */
uint32_t mapped_files_add(struct mapped_files *files, const struct file_mapping *mapping)
{
    uint64_t hash = mapped_file_hash(mapping->name);
    struct table_probe probe = table_probe(&files->table, hash);
    struct mapped_file *file;
    uint32_t number;

    while (table_next(&files->table, &probe, &number)) {
        file = &files->all[number];
        if (!is_same_file(file, mapping))
            continue;
        /* The process that mapped it first may have ended before it could be opened. */
        if (file->file == NULL && !file->is_read)
            open_for_mapping(files, file, mapping);
        return number;
    }
    files->all = memory_grow(files->all, files->n, &files->capacity, sizeof(*file));
    file = &files->all[files->n];
    *file = (struct mapped_file){.name = memory_copy_string(mapping->name),
                                 .identity = mapping->identity};
    open_for_mapping(files, file, mapping);
    file->name[mapped_file_name_size(mapping->name)] = '\0';
    file->has_reported_id = mapping->build_id_size > 0;
    file->build_id_size = mapping->build_id_size;
    if (mapping->build_id_size > 0)
        memcpy(file->build_id, mapping->build_id, mapping->build_id_size);
    table_add(&files->table, hash, files->n);
    return (uint32_t)files->n++;
}

/* ---- Reading ----------------------------------------------------------------------- */

/* If the kernel has reported a build id, a file with another one is not the one that was
 * mapped. */
static bool may_be_image(const struct mapped_file *file, const struct elf_image *elf)
{
    return file->build_id_size == 0 ||
           (file->build_id_size == elf->build_id_size &&
            memcmp(file->build_id, elf->build_id, elf->build_id_size) == 0);
}

static bool has_zstd_tables(const struct elf_headers *headers)
{
    enum { COMPRESSED_BY_ZSTD = 2 };
    struct elf_section section;
    unsigned char type[4];

    return elf_section_find(headers, ".debug_frame", &section) &&
           (section.flags & SHF_COMPRESSED) != 0 &&
           file_read(headers->file, section.offset, type, sizeof(type)) &&
           elf_word_get(headers, type) == COMPRESSED_BY_ZSTD;
}

bool mapped_file_read_image(struct mapped_file *file)
{
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf_image elf;
    bool is_image = false;

    if (elf_headers_read(&headers, file->file, &why) &&
        elf_image_read(&elf, &headers, &why) && may_be_image(file, &elf)) {
        file->build_id_size = elf.build_id_size;
        memcpy(file->build_id, elf.build_id, elf.build_id_size);
        file->n_code = elf.n_code;
        file->code = memory_allocate(elf.n_code * sizeof(*elf.code));
        memcpy(file->code, elf.code, elf.n_code * sizeof(*elf.code));
        file->has_zstd_tables = has_zstd_tables(&headers);
        is_image = true;
    }
    text_free(&why);
    return is_image;
}

static void read_and_close(struct mapped_file *file)
{
    if (file->file == NULL)
        return;
    mapped_file_read_image(file);
    file->is_read = true;
    file_close(file->file);
    file->file = NULL;
}

void mapped_files_read(struct mapped_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        read_and_close(&files->all[i]);
}

/* A mapping begins with the page that its segment begins in, and more than the segment's
 * own bytes may be in its last page. */
uint64_t mapped_file_address(const struct mapped_file *file, uint64_t offset)
{
    for (size_t i = 0; i < file->n_code; i++) {
        const struct elf_code *code = &file->code[i];
        uint64_t first = code->offset / 4096 * 4096;

        if (offset >= first && offset - first < code->limit - code->vaddr + 4096)
            return code->vaddr - (code->offset - offset);
    }
    return offset;
}

void mapped_file_take_notes(struct mapped_file *file, const unsigned char *notes,
                            size_t size)
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
            file->build_id_size = header[1];
            memcpy(file->build_id, notes + id_at, header[1]);
            return;
        }
        notes += next;
        size -= next;
    }
}

void mapped_file_free(struct mapped_file *file)
{
    memory_release(file->name);
    memory_release(file->code);
    if (file->file != NULL)
        file_close(file->file);
}
