/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_path.h: files as a running process has them: below its root directory, and
 * mapped. */
#include "debug_path.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct binary *find_in_root(struct debug_files *files, uint64_t process,
                                   struct string name, struct string build_id)
{
    char root[64];

    if (debug_path_leads_up(name))
        return NULL;
    snprintf(root, sizeof(root), "/proc/%" PRIu64 "/root", process);
    return debug_path_try_in(files, root, name, build_id);
}

/* Whether the kernel's name of what is mapped is that of a module; it remarks that a file
 * was deleted, which it is when another one is renamed to its name. */
static bool is_link_to(const char *link, size_t size, struct string name)
{
    static const char deleted[] = " (deleted)";

    return size >= name.size && memcmp(link, name.data, name.size) == 0 &&
           (size == name.size ||
            (size - name.size == strlen(deleted) &&
             memcmp(link + name.size, deleted, strlen(deleted)) == 0));
}

/* A process has one file mapped several times, and few of the same name. */
enum { MAPPINGS_MAX = 65536, MAPPED_FILES_MAX = 16 };

/* The file as the process has it mapped, which needs root. */
static struct binary *find_mapped(struct debug_files *files, uint64_t process,
                                  struct string name, struct string build_id)
{
    struct text path = {NULL, 0, 0};
    struct binary *binary = NULL;
    char link[DEBUG_PATH_SIZE_MAX];
    const struct dirent *entry;
    size_t n_tried = 0;
    DIR *list;

    text_printf(&path, "/proc/%" PRIu64 "/map_files", process);
    text_char(&path, '\0');
    list = opendir(path.data);
    for (size_t i = 0; list != NULL && binary == NULL && i < MAPPINGS_MAX &&
                       n_tried < MAPPED_FILES_MAX && (entry = readdir(list)) != NULL;
         i++) {
        ssize_t size = readlinkat(dirfd(list), entry->d_name, link, sizeof(link));

        if (size < 0 || !is_link_to(link, (size_t)size, name))
            continue;
        path.size = 0;
        text_printf(&path, "/proc/%" PRIu64 "/map_files/%s", process, entry->d_name);
        binary = debug_path_try(files, &path, build_id);
        n_tried++;
    }
    if (list != NULL)
        closedir(list);
    text_free(&path);
    return binary;
}

struct binary *debug_process_find(struct debug_files *files, uint64_t process,
                                  struct string name, struct string build_id)
{
    struct binary *binary;

    if (process == 0 || build_id.size == 0 || !debug_path_is_usable(name) ||
        name.data[0] != '/')
        return NULL;
    binary = find_in_root(files, process, name, build_id);
    return binary != NULL ? binary : find_mapped(files, process, name, build_id);
}
