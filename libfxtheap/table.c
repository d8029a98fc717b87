/* SPDX-License-Identifier: BSD-2-Clause */
/* See table.h. */
#include "table.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "text.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Each is sparse. */
enum { N_THREADS = 1 << 14, MAPS_SIZE = 1 << 21 };

/* How large the parts for stacks may become: for more than ten million of them, or, where
 * addresses or files are limited, for a million. */
static const struct room {
    uint32_t n_levels;
    uint64_t n_pool_words;
} rooms[] = {{TABLE_LEVELS_MAX, UINT64_C(1) << 30}, {TABLE_LEVELS_MAX - 1, 1 << 25}};

enum { LARGE, SMALL };

/* ---- The file ---------------------------------------------------------------------- */

static uint64_t whole_grants(uint64_t size)
{
    return (size + TABLE_GRANT_BYTES - 1) / TABLE_GRANT_BYTES * TABLE_GRANT_BYTES;
}

/* Where the parts are. The header has the first piece for itself. */
static struct heap_header_v1 lay_out(const struct table_options *options,
                                     const struct room *room)
{
    struct heap_header_v1 h = {.magic = HEAP_MAGIC, .version = HEAP_VERSION};

    if (options->keeps_peak)
        h.version = HEAP_VERSION_PEAK;
    h.header_size = (uint32_t)heap_attached_at(h.version);
    if (options->is_attached)
        h.header_size += (uint32_t)sizeof(struct heap_attached_v1);
    h.n_slots = options->n_slots;
    h.n_index = table_level_start(room->n_levels);
    h.n_pool_words = room->n_pool_words;
    h.n_threads = N_THREADS;
    h.maps_size = MAPS_SIZE;
    h.slots_at = TABLE_GRANT_BYTES;
    h.index_at = h.slots_at + whole_grants(h.n_slots * sizeof(struct heap_slot_v1));
    h.pool_at = h.index_at + whole_grants(h.n_index * sizeof(uint64_t));
    h.threads_at = h.pool_at + whole_grants(h.n_pool_words * sizeof(uint64_t));
    h.maps_at = h.threads_at + whole_grants(h.n_threads * sizeof(struct heap_thread_v1));
    h.file_size = h.maps_at + whole_grants(h.maps_size);
    h.sample_bytes = options->sample_bytes;
    h.depth = options->depth;
    /* No stack is at word 0. */
    h.pool_used = 1;
    return h;
}

size_t table_struct_size(const struct table_options *options)
{
    return sizeof(struct table) +
           lay_out(options, &rooms[LARGE]).file_size / TABLE_GRANT_BYTES;
}

/* ---- Whose it is ------------------------------------------------------------------- */

/* Field 22 of /proc/self/stat, counted from after the name, which may contain any bytes;
 * 0 where there is no /proc. */
static uint64_t read_start_ticks(void)
{
    char line[1024];
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, line, sizeof(line) - 1) : 0;
    const char *at;

    if (file >= 0)
        close(file);
    line[size > 0 ? size : 0] = '\0';
    at = strrchr(line, ')');
    for (int field = 2; at != NULL && field < 22; field++) {
        at = strchr(at, ' ');
        at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL ? text_number(&at, 10) : 0;
}

static void describe_process(struct heap_header_v1 *h)
{
    ssize_t size = readlink("/proc/self/exe", h->program, sizeof(h->program) - 1);

    h->program[size > 0 ? size : 0] = '\0';
    text_thread_name(h->name);
    h->process = (uint64_t)getpid();
    h->start_ticks = read_start_ticks();
    h->monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    h->wall_ns = clock_ns(CLOCK_REALTIME);
}

static struct heap_header_end *end_of_header(struct heap_header_v1 *header)
{
    unsigned char *base = (unsigned char *)header;

    return (struct heap_header_end *)(void *)(base + heap_header_end_at(header->version));
}

static void describe_namespace(struct heap_header_v1 *header)
{
    struct stat status;

    if (stat("/proc/self/ns/pid", &status) == 0)
        end_of_header(header)->pid_namespace = status.st_ino;
}

void table_end(struct table *t)
{
    end_of_header(t->header)->end_ns = clock_ns(CLOCK_MONOTONIC);
}

/* Where another user has taken a name, the time makes one that could not be known
 * before. */
static bool end_name(struct text_line *line, bool is_taken)
{
    if (is_taken) {
        text_add(line, ".");
        text_add_number(line, clock_ns(CLOCK_MONOTONIC));
    }
    errno = ENAMETOOLONG;
    return text_end(line);
}

static bool name_file(struct table *t, const char *directory, bool is_taken)
{
    struct text_line line = {t->path, sizeof(t->path), 0};

    text_add(&line, directory);
    text_add(&line, "/" HEAP_TABLE_NAME ".");
    text_add_number(&line, t->header->process);
    text_add(&line, ".");
    text_add_number(&line, t->header->start_ticks);
    return end_name(&line, is_taken);
}

/* ---- Making it --------------------------------------------------------------------- */

/* What a limit of the process allows. */
static uint64_t limit_of(int resource)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}

/* A file that is larger than files may be would be a signal to the program. */
static bool may_be_so_large(uint64_t size)
{
    if (limit_of(RLIMIT_FSIZE) >= size)
        return true;
    errno = EFBIG;
    return false;
}

static int create_named(char *path, size_t capacity, const char *directory, bool is_taken)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    struct text_line line = {path, capacity, 0};
    int file;

    text_add(&line, directory);
    text_add(&line, "/." HEAP_TABLE_NAME ".");
    text_add_number(&line, (uint64_t)getpid());
    if (!end_name(&line, is_taken))
        return -1;
    file = open(path, flags, S_IRUSR | S_IWUSR);
    /* Left by a program that this process ran before. */
    if (file < 0 && errno == EEXIST && unlink(path) == 0)
        file = open(path, flags, S_IRUSR | S_IWUSR);
    return file;
}

/* A file whose name, stored in `path`, is not one of a table yet. */
static int create_file(char *path, size_t capacity, const char *directory)
{
    int file = create_named(path, capacity, directory, false);

    if (file < 0)
        file = create_named(path, capacity, directory, true);
    return file;
}

static void set_parts(struct table *t, unsigned char *base,
                      const struct heap_header_v1 *h)
{
    if (h->version == HEAP_VERSION_PEAK)
        t->peak = &((struct heap_header_v4 *)(void *)base)->peak;
    if (h->header_size > heap_attached_at(h->version))
        t->attached =
            (struct heap_attached_v1 *)(void *)(base + heap_attached_at(h->version));
    t->slots = (struct heap_slot_v1 *)(void *)(base + h->slots_at);
    t->n_slots = h->n_slots;
    t->index = (uint64_t *)(void *)(base + h->index_at);
    t->pool = (uint64_t *)(void *)(base + h->pool_at);
    t->n_count_words = h->sample_bytes == 0 ? HEAP_COUNT_WORDS : 0;
    t->threads = (struct heap_thread_v1 *)(void *)(base + h->threads_at);
    t->maps = (char *)base + h->maps_at;
    t->size = h->file_size;
}

/* Kernels before 5.14 cannot allocate mapped memory on request: there, all of it is
 * allocated while the file is open, if that is not too much. */
static bool grant_first(struct table *t, int file, const struct room *room)
{
    if (table_ask(t, t->header, 1))
        return true;
    if (errno != EINVAL || room->n_pool_words == rooms[LARGE].n_pool_words)
        return false;
    errno = posix_fallocate(file, 0, (off_t)t->size);
    if (errno != 0 || mprotect(t->header, t->size, PROT_READ | PROT_WRITE) != 0)
        return false;
    memset(t->granted, 1, t->size / TABLE_GRANT_BYTES);
    return true;
}

/* Memory that was not asked for cannot be accessed: so mlockall leaves it alone. */
static bool map_file(struct table *t, int file, const struct heap_header_v1 *h,
                     const struct room *room)
{
    void *base;

    if (!may_be_so_large(h->file_size) || ftruncate(file, (off_t)h->file_size) != 0)
        return false;
    base = mmap(NULL, h->file_size, PROT_NONE, MAP_SHARED, file, 0);
    if (base == MAP_FAILED)
        return false;
    t->header = base;
    set_parts(t, base, h);
    t->n_levels = room->n_levels;
    madvise(base, h->file_size, MADV_DONTDUMP);
    if (grant_first(t, file, room))
        return true;
    table_unmap(t);
    return false;
}

static bool map_room(struct table *t, int file, const struct table_options *options,
                     const struct room *room, struct heap_header_v1 *h)
{
    *h = lay_out(options, room);
    describe_process(h);
    return map_file(t, file, h, room);
}

/* The least that is of use. */
#define SLOTS_MIN (UINT64_C(1) << 14)
#define POOL_WORDS_MIN (UINT64_C(1) << 16)

/* A program whose addresses are limited needs them itself: a part of it has an eighth of
 * them at most, or less if even that cannot be had. */
static bool map_small(struct table *t, int file, const struct table_options *options,
                      struct heap_header_v1 *h)
{
    struct table_options smaller = *options;
    struct room room = rooms[SMALL];

    for (uint64_t bytes = limit_of(RLIMIT_AS) / 8;; bytes /= 2) {
        while (smaller.n_slots / 2 >= SLOTS_MIN &&
               smaller.n_slots > bytes / sizeof(struct heap_slot_v1))
            smaller.n_slots = smaller.n_slots / 2 / TABLE_GRANT_SLOTS * TABLE_GRANT_SLOTS;
        while (room.n_pool_words > POOL_WORDS_MIN &&
               room.n_pool_words > bytes / sizeof(uint64_t))
            room.n_pool_words /= 2;
        while (room.n_levels > 1 &&
               table_level_start(room.n_levels) > bytes / sizeof(uint64_t))
            room.n_levels--;
        if (map_room(t, file, &smaller, &room, h))
            return true;
        if (errno != ENOMEM || bytes < POOL_WORDS_MIN)
            return false;
    }
}

static bool map_either(struct table *t, int file, const struct table_options *options,
                       struct heap_header_v1 *h)
{
    if (limit_of(RLIMIT_AS) == UINT64_MAX && map_room(t, file, options, &rooms[LARGE], h))
        return true;
    return map_small(t, file, options, h);
}

/* The name by which readers find it is set last, when the table is complete. */
static bool give_name(struct table *t, const char *path_while_new,
                      const struct heap_header_v1 *h, const struct table_options *options)
{
    struct heap_header_end *end;

    *t->header = *h;
    end = end_of_header(t->header);
    describe_namespace(t->header);
    end->n_count_words = t->n_count_words > 0 ? t->n_count_words + HEAP_STATE_WORDS : 0;
    end->state_at = t->n_count_words + HEAP_STATE_WORDS;
    if (t->attached != NULL)
        t->attached->bytes_before = options->bytes_before;
    for (int is_taken = 0; is_taken < 2; is_taken++) {
        if (name_file(t, options->directory, is_taken) &&
            rename(path_while_new, t->path) == 0)
            return true;
    }
    return false;
}

bool table_create(struct table *t, const struct table_options *options)
{
    struct heap_header_v1 h;
    char path[sizeof(t->path)];
    int file = create_file(path, sizeof(path), options->directory);
    int error;

    if (file < 0)
        return false;
    if (map_either(t, file, options, &h) && give_name(t, path, &h, options)) {
        close(file);
        return true;
    }
    error = errno;
    unlink(path);
    close(file);
    if (t->header != NULL)
        table_unmap(t);
    errno = error;
    return false;
}

void table_unlink(const struct table *t)
{
    unlink(t->path);
}

void table_unmap(struct table *t)
{
    assert(t->header != NULL);
    munmap(t->header, t->size);
    t->header = NULL;
    block_index_free(&t->blocks);
}

/* ---- Memory ------------------------------------------------------------------------ */

/* How much is made accessible at a time. */
#define OPEN_BYTES (UINT64_C(1) << 22)

static bool open_piece(const struct table *t, uint64_t offset)
{
    uint64_t first = offset / OPEN_BYTES * OPEN_BYTES;
    uint64_t size = t->size - first < OPEN_BYTES ? t->size - first : OPEN_BYTES;

    return mprotect((unsigned char *)t->header + first, size, PROT_READ | PROT_WRITE) ==
           0;
}

bool table_ask(struct table *t, const void *at, uint64_t size)
{
    unsigned char *base = (unsigned char *)t->header;
    uint64_t first = (uint64_t)((const unsigned char *)at - base) / TABLE_GRANT_BYTES;
    uint64_t last =
        ((uint64_t)((const unsigned char *)at - base) + size - 1) / TABLE_GRANT_BYTES;

    assert(size > 0 && last < t->size / TABLE_GRANT_BYTES);
    for (uint64_t i = first; i <= last; i++) {
        if (__atomic_load_n(&t->granted[i], __ATOMIC_ACQUIRE) != 0)
            continue;
        if (!open_piece(t, i * TABLE_GRANT_BYTES) ||
            madvise(base + i * TABLE_GRANT_BYTES, TABLE_GRANT_BYTES,
                    MADV_POPULATE_WRITE) != 0)
            return false;
        __atomic_store_n(&t->granted[i], 1, __ATOMIC_RELEASE);
    }
    return true;
}
