/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_files.h. */
#include "debug_files.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "build_id.h"
#include "debug_server.h"
#include "common/elf/elf_image.h"
#include "common/elf/vdso.h"

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

/* The same, if its build id is not another than that of the module. */
static struct binary *try_path(struct debug_files *files, struct text *path,
                               struct string build_id)
{
    struct binary *binary = open_path(files, path);

    if (binary == NULL)
        return NULL;
    switch (build_id_match(binary->build_id, build_id)) {
    case BUILD_ID_UNKNOWN:
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

/* ---- By build id ------------------------------------------------------------------- */

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

    if (!build_id_is_hex(build_id))
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
    if (binary != NULL && build_id_match(binary->build_id, build_id) != BUILD_ID_EQUAL) {
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

    if (!files->asks_servers || !build_id_is_hex(build_id))
        return NULL;
    text_add(&text, build_id.data, build_id.size);
    text_char(&text, '\0');
    if (debug_server_fetch(text.data, &path))
        binary = try_path(files, &path, build_id);
    text_free(&text);
    text_free(&path);
    return binary;
}

/* ---- What is there ----------------------------------------------------------------- */

bool debug_files_read_build_id(struct string path, struct text *build_id)
{
    struct text name = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf_image image;
    struct file *file;

    if (path.size == 0 || path.size > PATH_SIZE_MAX || path.data[0] != '/' ||
        memchr(path.data, '\0', path.size) != NULL)
        return false;
    text_add(&name, path.data, path.size);
    text_char(&name, '\0');
    file = file_open(name.data, &why);
    if (file != NULL && elf_headers_read(&headers, file, &why) &&
        elf_image_read(&image, &headers, &why))
        text_hex_bytes(build_id, image.build_id, image.build_id_size);
    text_free(&name);
    text_free(&why);
    if (file != NULL)
        file_close(file);
    return file != NULL;
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

static struct binary *find_in_root(struct debug_files *files, uint64_t process,
                                   struct string name, struct string build_id)
{
    char root[64];

    if (process == 0 || build_id.size == 0 || name.size == 0 || name.data[0] != '/' ||
        name.size > PATH_SIZE_MAX || leads_up(name) ||
        memchr(name.data, '\0', name.size) != NULL)
        return NULL;
    snprintf(root, sizeof(root), "/proc/%" PRIu64 "/root", process);
    return try_in(files, root, name, build_id);
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
    char link[PATH_SIZE_MAX];
    const struct dirent *entry;
    size_t n_tried = 0;
    DIR *list;

    if (process == 0 || build_id.size == 0 || name.size == 0 || name.data[0] != '/')
        return NULL;
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
        binary = try_path(files, &path, build_id);
        n_tried++;
    }
    if (list != NULL)
        closedir(list);
    text_free(&path);
    return binary;
}

static struct binary *find_of_process(struct debug_files *files, uint64_t process,
                                      struct string name, struct string build_id)
{
    struct binary *binary = find_in_root(files, process, name, build_id);

    return binary != NULL ? binary : find_mapped(files, process, name, build_id);
}

static struct binary *finish_find(struct debug_files *files, struct binary *binary)
{
    if (binary == NULL)
        debug_file_report_confirm(&files->report);
    debug_file_report_forget(&files->report);
    if (binary != NULL)
        debug_files_attach(files, binary);
    return binary;
}

struct binary *debug_files_find_of_process(struct debug_files *files, uint64_t process,
                                           struct string name, struct string build_id)
{
    struct binary *binary = find_of_process(files, process, name, build_id);

    return binary != NULL ? finish_find(files, binary) : NULL;
}

struct binary *debug_files_find(struct debug_files *files, uint64_t process,
                                struct string name, struct string build_id)
{
    struct binary *binary = find_by_path(files, name, build_id);

    if (binary == NULL)
        binary = find_vdso(name, build_id);
    if (binary == NULL)
        binary = find_by_build_id(files, build_id, "");
    if (binary == NULL)
        binary = find_by_build_id(files, build_id, ".debug");
    if (binary == NULL)
        binary = find_of_process(files, process, name, build_id);
    if (binary == NULL)
        binary = fetch_by_build_id(files, build_id);
    return finish_find(files, binary);
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
