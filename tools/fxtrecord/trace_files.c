/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_files.h. */
#include "trace_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/io/file_lock.h"
#include "common/base/sort.h"
#include "tools/common/output_name.h"

static const char suffix[] = ".fxt";
static const char suffix_compressed[] = ".fxt.zst";

/* What is left free for the end of an archive with a bound. */
enum { END_BYTES = 1024 };

/* ---- Numbers ----------------------------------------------------------------------- */

/* How much of a name is before the end, and is not all. */
static size_t stem_before(const char *name, const char *end)
{
    size_t size = strlen(name);
    size_t n = strlen(end);

    return size > n && strcmp(name + size - n, end) == 0 ? size - n : size;
}

static size_t stem_of(const char *name)
{
    size_t stem = stem_before(name, suffix_compressed);

    return name[stem] != '\0' ? stem : stem_before(name, suffix);
}

/* "trace.fxt" becomes "trace.0001.fxt". */
static struct text numbered_name(const char *name, unsigned long number)
{
    struct text path = {NULL, 0, 0};
    size_t stem = stem_of(name);

    text_add(&path, name, stem);
    text_printf(&path, ".%04lu%s", number, name + stem);
    text_char(&path, '\0');
    return path;
}

/* The number in the name of a file; 0 if it is none of these. */
static unsigned long number_of(const char *entry, const char *base)
{
    size_t stem = stem_of(base);
    unsigned long number;
    struct text name;
    char *end;
    bool is_ours;

    if (strncmp(entry, base, stem) != 0 || entry[stem] != '.')
        return 0;
    errno = 0;
    number = strtoul(entry + stem + 1, &end, 10);
    if (number == 0 || errno != 0)
        return 0;
    name = numbered_name(base, number);
    is_ours = strcmp(name.data, entry) == 0;
    text_free(&name);
    return is_ours ? number : 0;
}

struct numbers {
    unsigned long *all;
    size_t n;
    size_t capacity;
};

static int order_longs(const void *left, const void *right)
{
    return order_numbers(*(const unsigned long *)left, *(const unsigned long *)right);
}

/* The numbers of the files that are there, in order. */
static struct numbers list_numbers(const char *name)
{
    struct numbers numbers = {NULL, 0, 0};
    const char *slash = strrchr(name, '/');
    struct text directory = {NULL, 0, 0};
    const struct dirent *entry;
    DIR *list;

    if (slash != NULL)
        text_add(&directory, name, (size_t)(slash + 1 - name));
    else
        text_str(&directory, ".");
    text_char(&directory, '\0');
    list = opendir(directory.data);
    text_free(&directory);
    while (list != NULL && (entry = readdir(list)) != NULL) {
        unsigned long number = number_of(entry->d_name, slash != NULL ? slash + 1 : name);

        if (number == 0)
            continue;
        MEMORY_ADD(numbers.all, numbers.n, numbers.capacity, number);
    }
    if (list != NULL)
        closedir(list);
    SORT(numbers.all, numbers.n, order_longs);
    return numbers;
}

/* Nothing that is there is replaced. */
static unsigned long next_number(const char *name)
{
    struct numbers numbers = list_numbers(name);
    unsigned long last = numbers.n > 0 ? numbers.all[numbers.n - 1] : 0;

    memory_release(numbers.all);
    return last + 1;
}

/* Puts an empty file with the name of a note in an archive's place. Readers that have the
 * archive open can still read all of it. */
static bool leave_note(const char *path, int fd)
{
    struct text name = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct output *output;
    struct stat status;
    bool good = fstat(fd, &status) == 0;

    if (good)
        dropped_name(&name, path, (uint64_t)status.st_size, file_time_ns(&status));
    good = good && rename(path, name.data) == 0;
    if (good) {
        output = output_open_file(name.data, &why);
        if (output == NULL || !output_close(output, true, &why))
            unlink(name.data);
    }
    text_free(&name);
    text_free(&why);
    return good;
}

/* One that fxtship sends is locked, and goes once it is sent, or the next time. */
static void remove_archive(const struct trace_files *f, const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_sent = fd >= 0 && !file_lock_fd(fd) && errno == EWOULDBLOCK;

    if (!is_sent && !(f->leaves_notes && fd >= 0 && leave_note(path, fd)))
        unlink(path);
    if (fd >= 0)
        close(fd);
}

static void remove_oldest(const struct trace_files *f)
{
    struct numbers numbers = list_numbers(f->name);

    for (size_t i = 0; i + f->n_kept < numbers.n; i++) {
        struct text path = numbered_name(f->name, numbers.all[i]);

        remove_archive(f, path.data);
        text_free(&path);
    }
    memory_release(numbers.all);
}

/* ---- Files ------------------------------------------------------------------------- */

bool trace_files_open(struct trace_files *f, bool has_number)
{
    text_free(&f->path);
    f->path = (struct text){NULL, 0, 0};
    if (has_number) {
        f->number = next_number(f->name);
        f->path = numbered_name(f->name, f->number);
    } else {
        text_str(&f->path, f->name);
        text_char(&f->path, '\0');
    }
    f->n_bytes = 0;
    f->is_published = false;
    f->output = output_open(f->path.data, true, &f->why);
    f->has_failed = f->output == NULL;
    if (f->output != NULL)
        output_lock(f->output);
    if (f->output != NULL && f->are_compressed)
        f->zstd = zstd_create();
    return f->output != NULL;
}

/* Returns false, and nothing of it is in the file, if that has no room. */
static bool write_bytes(struct trace_files *f, const void *data, size_t size)
{
    if (f->max_bytes > 0 &&
        (f->max_bytes < END_BYTES || size > f->max_bytes - END_BYTES ||
         f->n_all_bytes > f->max_bytes - END_BYTES - size)) {
        f->is_full = true;
        return false;
    }
    if (!output_write_whole(f->output, data, size)) {
        f->has_failed = true;
        return false;
    }
    f->n_bytes += size;
    f->n_all_bytes += size;
    return true;
}

static bool write_compressed(struct trace_files *f)
{
    bool good = write_bytes(f, f->compressed.data, f->compressed.size);

    f->compressed.size = 0;
    return good;
}

int trace_files_write(void *context, const void *data, size_t size)
{
    struct trace_files *f = context;
    bool good;

    if (!f->are_compressed)
        return write_bytes(f, data, size) ? 0 : 1;
    zstd_add_part(f->zstd, data, size, &f->compressed);
    good = write_compressed(f);
    zstd_part_done(f->zstd, good);
    return good ? 0 : 1;
}

/* A failure is kept, and returned when the file is closed. */
static void end_compressed(struct trace_files *f, bool keep)
{
    if (keep)
        zstd_end(f->zstd, &f->compressed);
    if (f->compressed.size > 0)
        write_compressed(f);
    zstd_free(f->zstd);
    f->zstd = NULL;
}

static void count_file(struct trace_files *f)
{
    f->n_files++;
    if (f->n_kept > 0 && f->number > 0)
        remove_oldest(f);
}

bool trace_files_publish(struct trace_files *f)
{
    f->is_published = output_publish(f->output);
    f->has_failed = f->has_failed || !f->is_published;
    if (f->is_published)
        count_file(f);
    return f->is_published;
}

void trace_files_spare(struct trace_files *f)
{
    f->max_bytes = 0;
}

bool trace_files_close(struct trace_files *f, bool keep)
{
    bool good;

    if (f->output == NULL)
        return true;
    if (f->are_compressed)
        end_compressed(f, keep || f->is_published);
    good = output_close(f->output, keep || f->is_published, &f->why);
    f->output = NULL;
    f->has_failed = f->has_failed || !good;
    if (good && keep && !f->is_published)
        count_file(f);
    return good;
}
