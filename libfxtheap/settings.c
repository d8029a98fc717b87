/* SPDX-License-Identifier: BSD-2-Clause */
/* See settings.h. */
#include "settings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

/* ---- Options ----------------------------------------------------------------------- */

static bool set_directory(struct heap_settings *s, const char *directory)
{
    if (directory == NULL || directory[0] == '\0')
        directory = HEAP_TABLE_DIRECTORY;
    if (directory[0] != '/' || strlen(directory) >= sizeof(s->directory))
        return false;
    strcpy(s->directory, directory);
    s->table.directory = s->directory;
    return true;
}

static uint64_t round_up(uint64_t n)
{
    return (n + TABLE_GRANT_SLOTS - 1) / TABLE_GRANT_SLOTS * TABLE_GRANT_SLOTS;
}

bool settings_set(struct heap_settings *s, const struct fxt_heap_options *o)
{
    uint64_t n_blocks = o->n_blocks;

    if (n_blocks == 0)
        n_blocks = o->sample_bytes > 0 ? 1 << 20 : 1 << 24;
    s->table.n_slots = round_up(n_blocks);
    s->table.depth = o->depth > 0 ? o->depth : FXT_HEAP_DEPTH_DEFAULT;
    s->table.sample_bytes = o->sample_bytes;
    s->table.keeps_peak = o->keeps_peak;
    s->no_children = o->no_children;
    return n_blocks <= FXT_HEAP_BLOCKS_MAX && o->depth <= FXT_HEAP_DEPTH_MAX &&
           o->sample_bytes <= FXT_HEAP_SAMPLE_BYTES_MAX &&
           !(o->keeps_peak && o->sample_bytes > 0) && set_directory(s, o->directory);
}

/* ---- The environment --------------------------------------------------------------- */

/* In the first calls, which come from the dynamic loader, the C library has no
 * environment yet: it is read from /proc. */
static bool find_in_proc(const char *name, char *value, size_t size)
{
    int file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    size_t name_size = strlen(name);
    /* How much of NAME= the variable has so far; a mismatch is more than all of it. */
    size_t matched = 0;
    size_t n = 0;
    char bytes[512];
    ssize_t n_read;
    bool found = false;

    while (file >= 0 && !found && (n_read = read(file, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < n_read && !found; i++) {
            if (matched == name_size + 1) {
                value[n++] = bytes[i];
                found = bytes[i] == '\0' || n == size;
            } else if (bytes[i] == '\0') {
                matched = 0;
            } else if (matched <= name_size &&
                       bytes[i] == (matched < name_size ? name[matched] : '=')) {
                matched++;
            } else {
                matched = SIZE_MAX;
            }
        }
    }
    if (file >= 0)
        close(file);
    return found && value[n - 1] == '\0';
}

static bool find_variable(const char *name, char *value, size_t size)
{
    const char *known;

    if (environ == NULL)
        return find_in_proc(name, value, size);
    known = getenv(name);
    if (known == NULL || strlen(known) >= size)
        return false;
    strcpy(value, known);
    return true;
}

/* A number, or `otherwise` if there is none; UINT64_MAX, which is out of range, if it is
 * not a number. */
static uint64_t find_number(const char *name, uint64_t otherwise)
{
    char value[32];
    const char *at = value;
    uint64_t number;

    if (!find_variable(name, value, sizeof(value)) || value[0] == '\0')
        return otherwise;
    number = text_number(&at, 10);
    return *at == '\0' ? number : UINT64_MAX;
}

bool settings_read_environment(struct heap_settings *s)
{
    struct fxt_heap_options o = {.size = sizeof(o)};
    char directory[sizeof(s->directory)] = "";
    uint64_t depth = find_number("FXTHEAP_DEPTH", 0);

    find_variable("FXTHEAP_DIRECTORY", directory, sizeof(directory));
    if (!find_variable("FXTHEAP_KEEP", s->keep, sizeof(s->keep)))
        s->keep[0] = '\0';
    o.directory = directory;
    o.depth = depth <= UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
    o.no_children = find_number("FXTHEAP_CHILDREN", 1) == 0;
    o.sample_bytes = find_number("FXTHEAP_SAMPLE", 0);
    o.n_blocks = find_number("FXTHEAP_BLOCKS", 0);
    o.keeps_peak = find_number("FXTHEAP_PEAK", 0) != 0;
    s->has_mappings = find_number("FXTHEAP_MMAP", 0) != 0;
    return settings_set(s, &o) && !(s->has_mappings && o.sample_bytes > 0);
}

bool settings_keeps_table(const struct heap_settings *s)
{
    return s->keep[0] != '\0' && access(s->keep, F_OK) == 0;
}

/* ---- LD_PRELOAD ------------------------------------------------------------------- */

bool settings_is_preloaded(void)
{
    char value[4096];

    return find_variable("LD_PRELOAD", value, sizeof(value)) &&
           strstr(value, "libfxtheap") != NULL;
}

void settings_remove_library(char *list)
{
    char *to = list;

    while (*list != '\0') {
        size_t size = strcspn(list, ": ");
        size_t whole = size + (list[size] != '\0');
        bool is_own = memmem(list, size, "libfxtheap", strlen("libfxtheap")) != NULL;

        if (!is_own) {
            memmove(to, list, whole);
            to += whole;
        }
        list += whole;
    }
    *to = '\0';
}
