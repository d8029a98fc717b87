/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_path.h. */
#include "debug_path.h"

#include <string.h>

#include "build_id.h"

bool debug_path_is_usable(struct string path)
{
    return path.size > 0 && path.size <= DEBUG_PATH_SIZE_MAX &&
           memchr(path.data, '\0', path.size) == NULL;
}

bool debug_path_leads_up(struct string path)
{
    while (path.size > 0) {
        struct string last = string_last_component(path);

        if (last.size == 2 && memcmp(last.data, "..", 2) == 0)
            return true;
        path.size -= last.size;
        if (path.size > 0)
            path.size--;
    }
    return false;
}

struct binary *debug_path_open(struct debug_files *files, struct text *path)
{
    struct text why = {NULL, 0, 0};
    struct binary *binary = NULL;
    struct file *file;

    text_char(path, '\0');
    file = file_open(path->data, &why);
    if (file != NULL)
        binary = binary_read(path->data, file, &why);
    if (file != NULL && binary == NULL)
        debug_file_report_unreadable(&files->report, path->data, &why);
    text_free(&why);
    return binary;
}

struct binary *debug_path_try(struct debug_files *files, struct text *path,
                              struct string build_id)
{
    struct binary *binary = debug_path_open(files, path);

    if (binary == NULL)
        return NULL;
    switch (build_id_match(binary->build_id, build_id)) {
    case BUILD_ID_UNKNOWN:
        if (!files->only_by_build_id)
            return binary;
        binary_close(binary);
        return NULL;
    case BUILD_ID_EQUAL:
        return binary;
    case BUILD_ID_MISSING:
    case BUILD_ID_DIFFERENT:
        break;
    }
    debug_file_report_build_id(&files->report, binary, build_id);
    binary_close(binary);
    return NULL;
}

struct binary *debug_path_try_in(struct debug_files *files, const char *dir,
                                 struct string name, struct string build_id)
{
    struct text path = {NULL, 0, 0};
    struct binary *binary;

    text_str(&path, dir);
    if (dir[0] != '\0' && name.data[0] != '/')
        text_char(&path, '/');
    text_add(&path, name.data, name.size);
    binary = debug_path_try(files, &path, build_id);
    text_free(&path);
    return binary;
}
