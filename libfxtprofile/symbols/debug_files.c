/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_files.h. */
#include "debug_files.h"

#include <string.h>

#include "build_id.h"
#include "common/elf/elf_image.h"
#include "common/elf/vdso.h"
#include "debug_path.h"

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
        binary = debug_path_try(files, &path, build_id);
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

/* A path that is not absolute is one of another machine, and is only looked up in the
 * directories that were given. */
static struct binary *find_by_path(struct debug_files *files, struct string name,
                                   struct string build_id)
{
    struct string last = string_last_component(name);
    bool has_whole = last.size < name.size && !debug_path_leads_up(name);
    struct binary *binary = NULL;

    if (last.size == 0 || !debug_path_is_usable(name))
        return NULL;
    for (size_t i = 0; i < files->n_dirs && binary == NULL; i++) {
        if (has_whole)
            binary = debug_path_try_in(files, files->dirs[i], name, build_id);
        if (binary == NULL)
            binary = debug_path_try_in(files, files->dirs[i], last, build_id);
    }
    if (binary == NULL && name.data[0] == '/')
        binary = debug_path_try_in(files, "", name, build_id);
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

/* ---- What is there ----------------------------------------------------------------- */

bool debug_files_read_build_id(struct string path, struct text *build_id)
{
    struct text name = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf_image image;
    struct file *file;

    if (!debug_path_is_usable(path) || path.data[0] != '/')
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
        debug = debug_link_find(files, binary);
    if (debug != NULL) {
        debug_file_report_forget(&files->report);
        debug_file_report_damage(&files->report, debug);
        binary_take_debug(binary, debug);
    }
    debug_file_report_confirm(&files->report);
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
    struct binary *binary = debug_process_find(files, process, name, build_id);

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
        binary = debug_process_find(files, process, name, build_id);
    return finish_find(files, binary);
}

/* ---- By servers -------------------------------------------------------------------- */

bool debug_files_fetch(struct debug_files *files, struct binary **binary,
                       struct string name, struct string build_id)
{
    struct text path = {NULL, 0, 0};
    struct binary *fetched = NULL;

    if (*binary != NULL)
        build_id = string_from((*binary)->build_id);
    if (debug_servers_fetch(&files->servers, string_last_component(name), build_id,
                            &path))
        fetched = debug_path_try(files, &path, build_id);
    text_free(&path);
    if (fetched != NULL)
        debug_file_report_damage(&files->report, fetched);
    debug_file_report_confirm(&files->report);
    if (*binary == NULL)
        *binary = fetched;
    else if (fetched != NULL)
        binary_take_debug(*binary, fetched);
    return fetched != NULL;
}

void debug_files_complain(struct debug_files *files, const struct binary *binary,
                          struct string build_id)
{
    debug_file_report_build_id(&files->report, binary, build_id);
    debug_file_report_confirm(&files->report);
}

void debug_files_free(struct debug_files *files)
{
    debug_servers_free(&files->servers);
    debug_file_report_free(&files->report);
}
