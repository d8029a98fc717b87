/* SPDX-License-Identifier: BSD-2-Clause */
/* See jit_files.h. */
#include "jit_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/processes/proc_file.h"
#include "common/processes/proc_stat.h"

enum { NS_PER_S = 1000000000, PATH_SIZE = 4096 + 64 };

struct jit_files *jit_files_of(struct jit_files **files, pid_t process)
{
    if (*files == NULL) {
        *files = memory_allocate(sizeof(**files));
        (*files)->process = process;
    }
    return *files;
}

/* ---- The process ------------------------------------------------------------------- */

/* The id in the innermost namespace is the last one; the second user is the effective
 * one, which files are created with. */
static bool read_status(struct jit_files *files)
{
    char path[64];
    struct proc_file *file;
    const char *line;
    unsigned user;
    bool has_user = false;

    snprintf(path, sizeof(path), "/proc/%ld/status", (long)files->process);
    file = proc_file_open(path);
    if (file == NULL)
        return false;
    files->inner_id = files->process;
    while ((line = proc_file_line(file)) != NULL) {
        if (sscanf(line, "Uid: %*u %u", &user) == 1) {
            files->user = user;
            has_user = true;
        } else if (strncmp(line, "NSpid:", 6) == 0) {
            const char *last = strrchr(line, '\t');

            if (last != NULL)
                sscanf(last, "%d", &files->inner_id);
        }
    }
    proc_file_close(file);
    return has_user;
}

static bool read_start(struct jit_files *files)
{
    struct proc_stat stat;
    uint64_t since_boot_ns;

    if (!proc_stat_read(files->process, files->process, &stat))
        return false;
    since_boot_ns = stat.start_ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    files->started_ns =
        clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_BOOTTIME) - since_boot_ns);
    return true;
}

/* The user of a process may change. One that has ended before anything was known of it is
 * taken to be of this user, in this namespace. */
static void know_process(struct jit_files *files)
{
    if (read_status(files) && read_start(files))
        files->is_known = true;
    if (files->is_known)
        return;
    files->inner_id = files->process;
    files->user = geteuid();
}

/* ---- Opening ----------------------------------------------------------------------- */

/* A process of the same id may have left it. The clock of files is coarse. */
static bool is_old(const struct jit_files *files, const struct stat *status)
{
    return files->is_known && file_time_ns(status) + NS_PER_S < files->started_ns;
}

static bool has_file(const struct jit_files *files, const struct stat *status)
{
    for (size_t i = 0; i < files->n; i++) {
        if (files->all[i].device == (uint64_t)status->st_dev &&
            files->all[i].inode == (uint64_t)status->st_ino)
            return true;
    }
    return false;
}

static struct file *try_open(const struct jit_files *files, const char *path)
{
    struct text why = {NULL, 0, 0};
    struct file *file = file_open_owned(path, files->user, &why);

    text_free(&why);
    return file;
}

/* Keeps a file that is new; returns whether there is one. */
static bool keep_file(struct jit_files *files, struct file *file, const char *path,
                      bool is_dump)
{
    struct stat status;

    if (file == NULL)
        return false;
    if (fstat(file_descriptor(file), &status) != 0 || has_file(files, &status) ||
        is_old(files, &status)) {
        file_close(file);
        return true;
    }
    MEMORY_ADD(files->all, files->n, files->capacity,
               (struct jit_file){
                   .file = file,
                   .device = (uint64_t)status.st_dev,
                   .inode = (uint64_t)status.st_ino,
                   .path = memory_copy_string(path),
                   .is_dump = is_dump,
               });
    return true;
}

/* Tries a path as the process sees it, and then as this process does, in which the other
 * one may have ended. */
static void open_path(struct jit_files *files, const char *path, bool is_dump)
{
    char rooted[PATH_SIZE + 32];

    snprintf(rooted, sizeof(rooted), "/proc/%ld/root%s", (long)files->process, path);
    if (keep_file(files, try_open(files, rooted), path, is_dump))
        return;
    if (files->inner_id == files->process && access(rooted, F_OK) != 0)
        keep_file(files, try_open(files, path), path, is_dump);
}

/* ---- Finding ----------------------------------------------------------------------- */

static struct string file_name(const char *name)
{
    return (struct string){name, mapped_file_name_size(name)};
}

bool jit_files_is_dump(const char *name)
{
    return jitdump_is_name(file_name(name));
}

/* Memory that was mapped twice, to be written in one place and run in the other, has the
 * name of a file. */
bool jit_files_concern(const char *name)
{
    static const char *const shared[] = {"/memfd:", "/dev/zero", "/SYSV", "//anon"};

    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
        if (strncmp(name, shared[i], strlen(shared[i])) == 0)
            return true;
    }
    return name[0] == '\0' || strcmp(name, "[heap]") == 0 ||
           strncmp(name, "[anon", 5) == 0 || jit_files_is_dump(name);
}

void jit_files_take_mapping(struct jit_files *files, const struct file_mapping *mapping)
{
    struct string found = file_name(mapping->name);
    struct text why = {NULL, 0, 0};
    char name[PATH_SIZE];
    char path[64];

    if (!jitdump_is_name(found) || found.size >= sizeof(name))
        return;
    memcpy(name, found.data, found.size);
    name[found.size] = '\0';
    know_process(files);
    open_path(files, name, true);
    /* What is mapped, even if it has been deleted; this needs privileges. */
    snprintf(path, sizeof(path), "/proc/%ld/map_files/%" PRIx64 "-%" PRIx64,
             (long)mapping->process, mapping->start, mapping->start + mapping->length);
    keep_file(files, file_open(path, &why), name, true);
    text_free(&why);
}

void jit_files_look(struct jit_files *files, uint64_t now_ns, uint64_t pause_ns)
{
    char path[64];

    if (now_ns - files->last_look_ns < pause_ns)
        return;
    files->last_look_ns = now_ns;
    know_process(files);
    snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)files->inner_id);
    open_path(files, path, false);
}

/* ---- Reading ----------------------------------------------------------------------- */

/* Notes that a function is in the archive; returns whether it was already. */
static bool note_written(struct jit_files *files, const struct code_names *names,
                         const struct code_name *function)
{
    struct string name = string_table_get(&names->names, function->name);
    uint64_t hash = hash_bytes(name.data, name.size);
    size_t n_before = files->n_written;

    hash = hash_word(hash_word(hash, function->start), function->size);
    hash = hash_word(hash, function->time_ns);
    TABLE_PUT_NUMBER(&files->written_table, files->written, files->n_written,
                     files->written_capacity, hash);
    return files->n_written == n_before;
}

static void leave_out_written(struct jit_files *files, struct code_names *names)
{
    size_t kept = 0;

    for (size_t i = 0; i < names->n; i++) {
        if (!note_written(files, names, &names->all[i]))
            names->all[kept++] = names->all[i];
    }
    names->n = kept;
}

static void read_files(struct jit_files *files, struct sampled_code *code, bool are_dumps)
{
    for (size_t i = 0; i < files->n; i++) {
        struct jit_file *file = &files->all[i];

        if (file->is_dump != are_dumps)
            continue;
        code_names_free(&file->names);
        if (are_dumps)
            jitdump_read(file->file, code, &file->names);
        else
            perf_map_read(file->file, code, &file->names);
        leave_out_written(files, &file->names);
    }
}

/* Names with times first: they count more. */
void jit_files_read(struct jit_files *files)
{
    struct sampled_code sorted = sampled_code_sort(&files->code);

    read_files(files, &sorted, true);
    read_files(files, &sorted, false);
    sampled_code_free(&sorted);
    files->n_code_read = files->code.n;
}

/* Reading a large map takes time: less than a twentieth of it all, and no more than is
 * needed where no code is new. */
bool jit_files_are_due(const struct jit_files *files, uint64_t now_ns)
{
    return files->n > 0 && files->code.n > files->n_code_read &&
           now_ns >= files->next_read_ns;
}

void jit_files_set_read(struct jit_files *files, uint64_t begun_ns, uint64_t now_ns)
{
    uint64_t pause_ns = 20 * (now_ns - begun_ns);

    files->next_read_ns = now_ns + (pause_ns > NS_PER_S ? pause_ns : NS_PER_S);
}

static void forget_written(struct jit_files *files)
{
    table_free(&files->written_table);
    files->written_table = (struct table){0};
    files->n_written = 0;
}

void jit_files_start_archive(struct jit_files *files)
{
    forget_written(files);
    sampled_code_free(&files->code);
    files->n_code_read = 0;
}

void jit_files_free(struct jit_files *files)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < files->n; i++) {
        file_close(files->all[i].file);
        code_names_free(&files->all[i].names);
        memory_release(files->all[i].path);
    }
    memory_release(files->all);
    forget_written(files);
    memory_release(files->written);
    sampled_code_free(&files->code);
    memory_release(files);
}
