/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_files.h. */
#include "debug_files.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "debug_server.h"
#include "quote.h"
#include "vdso.h"

enum { PATH_SIZE_MAX = 4096 };

/* ---- Build ids --------------------------------------------------------------------- */

static void refuse(struct debug_files *files, const struct binary *binary,
                   struct string build_id)
{
    struct text *line = &files->refusal;

    line->size = 0;
    quote_text(line, binary->name, strlen(binary->name));
    if (binary->build_id[0] == '\0') {
        text_str(line, ": not used: it has no build id");
    } else {
        text_str(line, ": not used: its build id is ");
        text_str(line, binary->build_id);
    }
    text_str(line, ", and what was running had ");
    quote_text(line, build_id.data, build_id.size);
}

static void complain_if_refused(struct debug_files *files)
{
    if (files->refusal.size > 0)
        strings_add(&files->complaints, files->refusal.data, files->refusal.size);
    files->refusal.size = 0;
}

void debug_files_complain(struct debug_files *files, const struct binary *binary,
                          struct string build_id)
{
    refuse(files, binary, build_id);
    complain_if_refused(files);
}

/* The file at a path, or NULL: most paths that are tried are of no file. */
static struct binary *open_path(struct text *path)
{
    struct text why = {NULL, 0, 0};
    struct binary *binary;

    text_char(path, '\0');
    binary = binary_open(path->data, &why);
    text_free(&why);
    return binary;
}

/* The same, and it must have the build id that is asked for. */
static struct binary *try_path(struct debug_files *files, struct text *path,
                               struct string build_id)
{
    struct binary *binary = open_path(path);

    if (binary != NULL && build_id.size > 0 &&
        !binary_has_build_id(binary, build_id.data, build_id.size)) {
        refuse(files, binary, build_id);
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

/* A path that is not absolute is one of another machine, and means nothing here but in
 * the directories that were given. */
static struct binary *find_by_path(struct debug_files *files, struct string name,
                                   struct string build_id)
{
    struct string last = string_last_component(name);
    struct binary *binary = NULL;

    if (last.size == 0 || name.size > PATH_SIZE_MAX ||
        memchr(name.data, '\0', name.size) != NULL)
        return NULL;
    for (size_t i = 0; i < files->n_dirs && binary == NULL; i++) {
        if (name.data[0] == '/')
            binary = try_in(files, files->dirs[i], name, build_id);
        if (binary == NULL)
            binary = try_in(files, files->dirs[i], last, build_id);
    }
    if (binary == NULL && name.data[0] == '/')
        binary = try_in(files, "", name, build_id);
    return binary;
}

/* ---- From the kernel --------------------------------------------------------------- */

/* The build id must be there: another kernel's is something else. */
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

static bool has_crc(const char *name, uint32_t expected)
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
    return ok && crc == expected;
}

/* Without build ids it is the CRC that tells whether a file is the one meant. */
static bool is_linked(const struct binary *of, const struct binary *debug)
{
    if (of->build_id[0] == '\0' || debug->build_id[0] == '\0')
        return has_crc(debug->name, of->elf.debug_link_crc);
    return strcmp(of->build_id, debug->build_id) == 0;
}

static struct binary *try_link(const struct binary *of, const char *prefix,
                               const char *middle)
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
    binary = open_path(&path);
    if (binary != NULL && !is_linked(of, binary)) {
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
    binary = try_link(of, "", "");
    if (binary == NULL)
        binary = try_link(of, "", ".debug/");
    for (size_t i = 0; i < files->n_dirs && binary == NULL && of->name[0] == '/'; i++)
        binary = try_link(of, files->dirs[i], "");
    return binary;
}

/* ---- By servers -------------------------------------------------------------------- */

static struct binary *fetch(struct debug_files *files, struct string build_id)
{
    struct text text = {NULL, 0, 0};
    struct binary *binary = NULL;
    char *stored;

    if (!files->asks_servers || !is_hex(build_id))
        return NULL;
    text_add(&text, build_id.data, build_id.size);
    text_char(&text, '\0');
    stored = debug_server_fetch(text.data);
    if (stored != NULL) {
        text.size = 0;
        text_str(&text, stored);
        binary = try_path(files, &text, build_id);
    }
    free(stored);
    text_free(&text);
    return binary;
}

/* ---- The whole --------------------------------------------------------------------- */

void debug_files_attach(struct debug_files *files, struct binary *binary)
{
    struct string build_id = {binary->build_id, strlen(binary->build_id)};
    struct binary *debug;

    if (!binary_lacks_debug(binary))
        return;
    debug = find_by_build_id(files, build_id, ".debug");
    files->refusal.size = 0;
    if (debug == NULL)
        debug = find_by_link(files, binary);
    if (debug == NULL)
        debug = fetch(files, build_id);
    if (debug != NULL)
        binary_take_debug(binary, debug);
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
        binary = fetch(files, build_id);
    if (binary == NULL)
        complain_if_refused(files);
    else
        debug_files_attach(files, binary);
    files->refusal.size = 0;
    return binary;
}

void debug_files_free(struct debug_files *files)
{
    strings_free(&files->complaints);
    text_free(&files->refusal);
}
