/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_files.h. */
#include "debug_files.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "debug_server.h"
#include "base/elf/vdso.h"

enum { PATH_SIZE_MAX = 4096 };

/* ---- Opening ----------------------------------------------------------------------- */

/* The file at a path, or NULL: most paths that are tried do not exist. */
static struct binary *open_path(struct debug_files *files, struct text *path)
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

/* The same, if it has the requested build id. */
static struct binary *try_path(struct debug_files *files, struct text *path,
                               struct string build_id)
{
    struct binary *binary = open_path(files, path);

    if (binary != NULL && build_id.size > 0 &&
        !binary_has_build_id(binary, build_id.data, build_id.size)) {
        debug_file_report_build_id(&files->report, binary, build_id);
        binary_close(binary);
        return NULL;
    }
    return binary;
}

/* ---- By build id ------------------------------------------------------------------- */

/* It is from the input, and becomes part of a path. */
static bool is_hex(struct string string)
{
    for (size_t i = 0; i < string.size; i++) {
        if ((string.data[i] < '0' || string.data[i] > '9') &&
            (string.data[i] < 'a' || string.data[i] > 'f'))
            return false;
    }
    return string.size >= 4 && string.size <= 2 * (size_t)ELF_BUILD_ID_MAX;
}

static struct binary *try_build_id(struct debug_files *files, const char *dir,
                                   struct string build_id, const char *suffix)
{
    static const char *const middles[] = {"/.build-id/", "/"};
    struct binary *binary = NULL;
    struct text path = {NULL, 0, 0};

    for (size_t i = 0; i < 2 && binary == NULL; i++) {
        path.size = 0;
        text_str(&path, dir);
        text_str(&path, middles[i]);
        text_add(&path, build_id.data, 2);
        text_char(&path, '/');
        text_add(&path, build_id.data + 2, build_id.size - 2);
        text_str(&path, suffix);
        binary = try_path(files, &path, build_id);
    }
    text_free(&path);
    return binary;
}

static struct binary *find_by_build_id(struct debug_files *files, struct string build_id,
                                       const char *suffix)
{
    struct binary *binary = NULL;

    if (!is_hex(build_id))
        return NULL;
    for (size_t i = 0; i < files->n_dirs && binary == NULL; i++)
        binary = try_build_id(files, files->dirs[i], build_id, suffix);
    return binary;
}

/* ---- By path ----------------------------------------------------------------------- */

static struct binary *try_in(struct debug_files *files, const char *dir,
                             struct string name, struct string build_id)
{
    struct text path = {NULL, 0, 0};
    struct binary *binary;

    text_str(&path, dir);
    if (dir[0] != '\0' && name.data[0] != '/')
        text_char(&path, '/');
    text_add(&path, name.data, name.size);
    binary = try_path(files, &path, build_id);
    text_free(&path);
    return binary;
}

/* Whether a path, appended to a directory, could lead out of it. */
static bool leads_up(struct string path)
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

/* A path that is not absolute is one of another machine, and is only looked up in the
 * directories that were given. */
static struct binary *find_by_path(struct debug_files *files, struct string name,
                                   struct string build_id)
{
    struct string last = string_last_component(name);
    bool has_whole = last.size < name.size && !leads_up(name);
    struct binary *binary = NULL;

    if (last.size == 0 || name.size > PATH_SIZE_MAX ||
        memchr(name.data, '\0', name.size) != NULL)
        return NULL;
    for (size_t i = 0; i < files->n_dirs && binary == NULL; i++) {
        if (has_whole)
            binary = try_in(files, files->dirs[i], name, build_id);
        if (binary == NULL)
            binary = try_in(files, files->dirs[i], last, build_id);
    }
    if (binary == NULL && name.data[0] == '/')
        binary = try_in(files, "", name, build_id);
    return binary;
}

/* ---- From the kernel --------------------------------------------------------------- */

/* The build id is required: another kernel's vdso is different. */
static struct binary *find_vdso(struct string name, struct string build_id)
{
    static const char vdso[] = "[vdso]";
    struct text why = {NULL, 0, 0};
    struct binary *binary = NULL;
    struct file *file;

    if (name.size != strlen(vdso) || memcmp(name.data, vdso, name.size) != 0)
        return NULL;
    file = vdso_open();
    if (file != NULL)
        binary = binary_read(vdso, file, &why);
    text_free(&why);
    if (binary != NULL && !binary_has_build_id(binary, build_id.data, build_id.size)) {
        binary_close(binary);
        binary = NULL;
    }
    return binary;
}

/* ---- By a link --------------------------------------------------------------------- */

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
    uint32_t crc;

    if (of->build_id[0] != '\0' && debug->build_id[0] != '\0') {
        if (strcmp(of->build_id, debug->build_id) == 0)
            return true;
        debug_file_report_build_id(&files->report, debug,
                                   (struct string){of->build_id, strlen(of->build_id)});
        return false;
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
        strlen(of->name) -
        string_last_component((struct string){of->name, strlen(of->name)}).size;
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
    binary = open_path(files, &path);
    if (binary != NULL && !is_linked(files, of, binary)) {
        binary_close(binary);
        binary = NULL;
    }
    text_free(&path);
    return binary;
}

static struct binary *find_by_link(struct debug_files *files, const struct binary *of)
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

/* ---- By servers -------------------------------------------------------------------- */

static struct binary *fetch_by_build_id(struct debug_files *files, struct string build_id)
{
    struct text text = {NULL, 0, 0};
    struct text path = {NULL, 0, 0};
    struct binary *binary = NULL;

    if (!files->asks_servers || !is_hex(build_id))
        return NULL;
    text_add(&text, build_id.data, build_id.size);
    text_char(&text, '\0');
    if (debug_server_fetch(text.data, &path))
        binary = try_path(files, &path, build_id);
    text_free(&text);
    text_free(&path);
    return binary;
}

/* ---- The whole --------------------------------------------------------------------- */

void debug_files_attach(struct debug_files *files, struct binary *binary)
{
    struct string build_id = {binary->build_id, strlen(binary->build_id)};
    struct binary *debug;

    if (!binary_lacks_debug(binary))
        return;
    debug_file_report_damage(&files->report, binary);
    debug = find_by_build_id(files, build_id, ".debug");
    if (debug == NULL)
        debug = find_by_link(files, binary);
    if (debug == NULL)
        debug = fetch_by_build_id(files, build_id);
    if (debug != NULL) {
        debug_file_report_forget(&files->report);
        debug_file_report_damage(&files->report, debug);
        binary_take_debug(binary, debug);
    }
    debug_file_report_confirm(&files->report);
}

struct binary *debug_files_find(struct debug_files *files, struct string name,
                                struct string build_id)
{
    struct binary *binary = find_by_path(files, name, build_id);

    if (binary == NULL)
        binary = find_vdso(name, build_id);
    if (binary == NULL)
        binary = find_by_build_id(files, build_id, "");
    if (binary == NULL)
        binary = find_by_build_id(files, build_id, ".debug");
    if (binary == NULL)
        binary = fetch_by_build_id(files, build_id);
    if (binary == NULL)
        debug_file_report_confirm(&files->report);
    debug_file_report_forget(&files->report);
    if (binary != NULL)
        debug_files_attach(files, binary);
    return binary;
}

void debug_files_complain(struct debug_files *files, const struct binary *binary,
                          struct string build_id)
{
    debug_file_report_build_id(&files->report, binary, build_id);
    debug_file_report_confirm(&files->report);
}

void debug_files_free(struct debug_files *files)
{
    debug_file_report_free(&files->report);
}
