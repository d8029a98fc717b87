/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h: commands that are not recorded. */
#include "run.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/elf/elf_headers.h"
#include "common/base/io/file.h"
#include "common/base/text.h"

/* ---- The file ---------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Returns the path, or NULL if there is none. */
static const char *find_program(const char *name)
{
    const char *directory = getenv("PATH");

    if (strchr(name, '/') != NULL)
        return is_program(name) ? name : NULL;
    while (directory != NULL) {
        size_t size = strcspn(directory, ":");
        const char *path = text_format("%.*s/%s", size > 0 ? (int)size : 1,
                                       size > 0 ? directory : ".", name);

        if (is_program(path))
            return path;
        directory = directory[size] == ':' ? directory + size + 1 : NULL;
    }
    return NULL;
}

static bool gains_privileges(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return false;
    return ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) ||
           ((status.st_mode & S_ISGID) != 0 && status.st_gid != getegid()) ||
           (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* ---- What is in it ----------------------------------------------------------------- */

static bool has_loader(const struct elf_headers *headers)
{
    struct elf_segment segment;

    for (uint64_t i = 0; i < headers->n_segments; i++) {
        if (elf_segment_read(headers, i, &segment) && segment.type == PT_INTERP)
            return true;
    }
    return false;
}

/* More is not read. */
enum { NAMES_SIZE_MAX = 1 << 26 };

/* Whether the names in a section have one of `functions`, which end with NULL. */
static bool has_name(const struct elf_headers *headers, const char *section,
                     const char *const *functions)
{
    struct elf_section names;
    unsigned char *bytes;
    bool found = false;

    if (!elf_section_find(headers, section, &names) || names.size > NAMES_SIZE_MAX)
        return false;
    bytes = elf_bytes_read(headers, names.offset, names.size);
    for (; bytes != NULL && *functions != NULL && !found; functions++)
        found = memmem(bytes, names.size, *functions, strlen(*functions) + 1) != NULL;
    return found;
}

/* A program with a sanitizer imports its function, or has it. */
static bool has_sanitizer(const struct elf_headers *headers)
{
    static const char *const functions[] = {"__asan_init", "__msan_init", "__tsan_init",
                                            NULL};

    return has_name(headers, ".dynstr", functions) ||
           has_name(headers, ".strtab", functions);
}

/* Of mimalloc, and the rest of tcmalloc's: libfxtheap follows those of jemalloc, and the
 * others of tcmalloc. */
static bool is_own_function(const char *name)
{
    static const char *const functions[] = {"tc_new_aligned",
                                            "tc_new_aligned_nothrow",
                                            "tc_newarray_aligned",
                                            "tc_newarray_aligned_nothrow",
                                            "tc_delete_aligned",
                                            "tc_delete_sized_aligned",
                                            "tc_deletearray_aligned",
                                            "tc_deletearray_sized_aligned",
                                            "mi_malloc",
                                            "mi_calloc",
                                            "mi_zalloc",
                                            "mi_realloc",
                                            "mi_new",
                                            "mi_free",
                                            "mi_free_size",
                                            "mi_malloc_aligned",
                                            "mi_heap_malloc",
                                            "mi_heap_calloc",
                                            "mi_heap_realloc",
                                            "mi_heap_zalloc"};

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(name, functions[i]) == 0)
            return true;
    }
    return false;
}

/* Bytes of a section, with a zero byte after them; NULL if there is none. */
static unsigned char *read_section(const struct elf_headers *headers, const char *name,
                                   uint64_t *size)
{
    struct elf_section section;

    if (!elf_section_find(headers, name, &section) || section.size > NAMES_SIZE_MAX)
        return NULL;
    *size = section.size;
    return elf_bytes_read(headers, section.offset, section.size);
}

/* Whether the program gets such a function from a library: one that is its own, or only
 * has a name that ends so, is none. */
static bool calls_own_functions(const struct elf_headers *headers)
{
    uint64_t entry_size = elf_entry_size(headers);
    uint64_t size = 0;
    uint64_t names_size = 0;
    unsigned char *entries = read_section(headers, ".dynsym", &size);
    unsigned char *names = read_section(headers, ".dynstr", &names_size);
    bool found = false;

    for (uint64_t i = 0;
         entries != NULL && names != NULL && i < size / entry_size && !found; i++) {
        struct elf_entry entry = elf_entry_get(headers, entries + i * entry_size);

        found = entry.section == SHN_UNDEF && entry.name < names_size &&
                is_own_function((const char *)names + entry.name);
    }
    return found;
}

static enum command_kind check_file(struct file *file)
{
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    enum command_kind kind = COMMAND_RECORDED;

    if (elf_headers_read(&headers, file, &why)) {
        if (!has_loader(&headers))
            kind = COMMAND_STATIC;
        else if (has_sanitizer(&headers))
            kind = COMMAND_SANITIZED;
        else if (calls_own_functions(&headers))
            kind = COMMAND_OWN_FUNCTIONS;
    }
    return kind;
}

enum command_kind command_check(const char *name)
{
    enum command_kind kind = COMMAND_RECORDED;
    const char *path = find_program(name);
    struct text why = {NULL, 0, 0};
    struct file *file;

    if (path == NULL)
        return COMMAND_RECORDED;
    file = file_open(path, &why);
    if (file != NULL) {
        kind = check_file(file);
        file_close(file);
    }
    if (kind != COMMAND_STATIC && kind != COMMAND_SANITIZED && gains_privileges(path))
        kind = COMMAND_PRIVILEGED;
    return kind;
}
