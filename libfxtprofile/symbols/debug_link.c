/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_path.h: debug files that a stripped file names, in .gnu_debuglink. */
#include "debug_path.h"

#include <string.h>

#include <zlib.h>

#include "build_id.h"

/* Returns false if the file cannot be read. */
static bool find_crc(const char *name, uint32_t *to)
{
    struct text why = {NULL, 0, 0};
    struct file *file = file_open(name, &why);
    unsigned char bytes[1 << 16];
    uLong crc = crc32(0, NULL, 0);
    uint64_t at = 0;
    bool ok = file != NULL;

    while (ok && at < file_size(file)) {
        uint64_t left = file_size(file) - at;
        size_t size = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);

        ok = file_read(file, at, bytes, size);
        crc = crc32(crc, bytes, (uInt)size);
        at += size;
    }
    if (file != NULL)
        file_close(file);
    text_free(&why);
    *to = (uint32_t)crc;
    return ok;
}

/* Without build ids, the CRC decides whether a file is the right one. */
static bool is_linked(struct debug_files *files, const struct binary *of,
                      const struct binary *debug)
{
    struct string build_id = {of->build_id, strlen(of->build_id)};
    uint32_t crc;

    switch (build_id_match(debug->build_id, build_id)) {
    case BUILD_ID_EQUAL:
        return true;
    case BUILD_ID_DIFFERENT:
        debug_file_report_build_id(&files->report, debug, build_id);
        return false;
    case BUILD_ID_UNKNOWN:
    case BUILD_ID_MISSING:
        break;
    }
    if (!find_crc(debug->name, &crc))
        return false;
    if (crc != of->elf.debug_link_crc)
        debug_file_report_crc(&files->report, of, debug, crc);
    return crc == of->elf.debug_link_crc;
}

static struct binary *try_link(struct debug_files *files, const struct binary *of,
                               const char *prefix, const char *middle)
{
    size_t dir_size =
        strlen(of->name) - string_last_component(string_from(of->name)).size;
    struct text path = {NULL, 0, 0};
    struct binary *binary;

    text_str(&path, prefix);
    text_add(&path, of->name, dir_size);
    text_str(&path, middle);
    text_str(&path, of->elf.debug_link);
    /* The two may have the same name in different directories. */
    if (path.size == strlen(of->name) && memcmp(path.data, of->name, path.size) == 0) {
        text_free(&path);
        return NULL;
    }
    binary = debug_path_open(files, &path);
    if (binary != NULL && !is_linked(files, of, binary)) {
        binary_close(binary);
        binary = NULL;
    }
    text_free(&path);
    return binary;
}

struct binary *debug_link_find(struct debug_files *files, const struct binary *of)
{
    struct binary *binary = NULL;

    if (of->elf.debug_link[0] == '\0')
        return NULL;
    binary = try_link(files, of, "", "");
    if (binary == NULL)
        binary = try_link(files, of, "", ".debug/");
    for (size_t i = 0; i < files->n_dirs && binary == NULL && of->name[0] == '/'; i++)
        binary = try_link(files, of, files->dirs[i], "");
    return binary;
}
