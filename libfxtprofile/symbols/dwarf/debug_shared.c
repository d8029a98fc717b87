/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_files.h: the DWARF that a file shares with others, which is in a separate
 * file. */
#include "libfxtprofile/symbols/debug_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_there(const struct elf *elf, const char *path)
{
    struct text why = {NULL, 0, 0};
    struct file *file = file_open(path, &why);
    bool found =
        file != NULL && elf_has_build_id(file, elf->shared_id, elf->shared_id_size);

    if (file != NULL)
        file_close(file);
    text_free(&why);
    return found;
}

static char *find_by_build_id(const struct debug_files *files, const struct elf *elf)
{
    for (size_t i = 0; i < files->n_dirs; i++) {
        struct text path = {NULL, 0, 0};

        text_str(&path, files->dirs[i]);
        text_str(&path, "/.build-id/");
        text_hex_bytes(&path, elf->shared_id, 1);
        text_char(&path, '/');
        text_hex_bytes(&path, elf->shared_id + 1, elf->shared_id_size - 1);
        text_str(&path, ".debug");
        text_char(&path, '\0');
        if (is_there(elf, path.data))
            return path.data;
        text_free(&path);
    }
    return NULL;
}

/* Its name may be relative to the directory of the file that refers to it, whose path may
 * be a symbolic link. */
static char *find_by_name(const struct elf *elf, const char *name)
{
    struct text path = {NULL, 0, 0};
    char whole[PATH_MAX];

    if (elf->shared_name[0] != '/') {
        if (realpath(name, whole) == NULL)
            return NULL;
        text_add(&path, whole, (size_t)(strrchr(whole, '/') + 1 - whole));
    }
    text_str(&path, elf->shared_name);
    text_char(&path, '\0');
    if (is_there(elf, path.data))
        return path.data;
    text_free(&path);
    return NULL;
}

char *debug_shared_find(struct debug_files *files, const struct binary *binary)
{
    const struct elf *elf = &binary->elf;
    char *path;

    if (elf->shared_name[0] == '\0')
        return NULL;
    path = find_by_build_id(files, elf);
    if (path == NULL)
        path = find_by_name(elf, binary->name);
    if (path == NULL)
        debug_file_report_unshared(&files->report, binary);
    return path;
}
