/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See pipeline.h: functions of one name are told apart by the file that declares them or
 * the source file of their symbol: "helper (a.c)", "helper (b.c)"; or, if their module
 * has several whose file is not known, by where they begin there: "helper
 * (program+0x1234)", or of a kernel "helper ([kernel]+0x1234)". Others of which no file
 * is known keep theirs: their modules stand beside them, and a name such as _start, which
 * most programs share with the dynamic loader, is the same in every recording. Only the
 * last component of a path counts: a header's function that several files or modules have
 * a copy of is one function. But where one module has functions of one name in different
 * files of one name, the directories in which these differ are added: "helper (x/a.c)",
 * "helper (y/a.c)". Nothing else of a profile changes, and no name that only one function
 * has; so that functions are chosen by their names before this.
 */
#include "pipeline.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"

/* What a function's name is followed by, a number in `places`; or nothing. */
#define NO_PLACE UINT32_MAX

/* The rest of longer ones is left out: many functions could have the same long one. */
enum { PLACE_SIZE_MAX = 255 };

struct place_row {
    uint32_t function;
    uint32_t name;
    /* A file that has it, NO_MODULE where none is known. */
    uint32_t module;
    /* The path of its file, a number in `files`; the last component of that; and what its
     * name is to be followed by. */
    uint32_t path;
    uint32_t home;
    uint32_t place;
};

#define NO_MODULE UINT32_MAX

struct teller {
    struct profile *profile;
    struct string_table places;
    /* The functions by their names, files, and modules. */
    struct place_row *rows;
    /* The modules of functions, which are numbers in `files`. */
    uint32_t *modules;
    /* By the numbers of places: the first row, plus one, of the last name that has a
     * function there. */
    size_t *used;
    struct text name;
    /* Two paths. */
    struct text paths[2];
};

/* ---- Places ------------------------------------------------------------------------ */

static uint32_t add_place(struct teller *t, struct string place)
{
    return string_table_add(&t->places, place.data,
                            place.size < PLACE_SIZE_MAX ? place.size : PLACE_SIZE_MAX);
}

static uint32_t place_of_file(struct teller *t, uint32_t file)
{
    struct string place;

    if (file == PROFILE_NO_FILE)
        return NO_PLACE;
    place = string_last_component(string_table_get(&t->profile->files, file));
    return place.size > 0 ? add_place(t, place) : NO_PLACE;
}

SORT_ORDER(order_rows, struct place_row,
           BY(name) || BY(home) || BY(module) || BY(path) || BY(function));

/* A function that several modules have is in the first of them. */
static void find_modules(struct teller *t)
{
    const struct profile *p = t->profile;

    t->modules = (uint32_t *)memory_allocate(p->n_functions * sizeof(*t->modules));
    for (size_t i = 0; i < p->n_functions; i++)
        t->modules[i] = NO_MODULE;
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *location = &p->locations[i];

        for (uint32_t l = 0; l < location->n_lines; l++) {
            uint32_t *module = &t->modules[p->lines[location->first_line + l].function];

            if (*module == NO_MODULE && location->mapping != PROFILE_NO_MAPPING)
                *module = p->mappings[location->mapping].file;
        }
    }
}

static void list_rows(struct teller *t)
{
    const struct profile *p = t->profile;

    find_modules(t);
    t->rows = (struct place_row *)memory_allocate(p->n_functions * sizeof(*t->rows));
    for (uint32_t i = 0; i < p->n_functions; i++) {
        const struct profile_function *function = &p->functions[i];

        t->rows[i] = (struct place_row){.function = i,
                                        .name = function->name,
                                        .module = t->modules[i],
                                        .path = function->home,
                                        .home = place_of_file(t, function->home),
                                        .place = NO_PLACE};
    }
    SORT(t->rows, p->n_functions, order_rows);
}

static bool is_vague(const struct teller *t, const struct place_row *row)
{
    return t->profile->functions[row->function].is_vague;
}

/* ---- Files of one name ------------------------------------------------------------- */

/* Returns the size of a path without its last component. */
static size_t directory_size(const char *path, size_t size)
{
    return size - string_last_component((struct string){path, size}).size;
}

/* Nothing is above the root; what is above where a relative path begins stays. */
static void add_component(struct text *path, struct string component)
{
    size_t before = path->size > 1 ? directory_size(path->data, path->size - 1) : 0;

    if (component.size == 0 || (component.size == 1 && component.data[0] == '.'))
        return;
    if (component.size == 2 && memcmp(component.data, "..", 2) == 0 && path->size > 0 &&
        (path->size - before != 3 || memcmp(path->data + before, "../", 3) != 0)) {
        path->size = before > 0 || path->data[0] != '/' ? before : 1;
        return;
    }
    text_add(path, component.data, component.size);
    text_char(path, '/');
}

/* The path of a row's file without "." and "..", which depend on who includes it. */
static struct string find_path(struct teller *t, const struct place_row *row,
                               size_t which)
{
    struct string from = string_table_get(&t->profile->files, row->path);
    struct string file = string_last_component(from);
    struct text *path = &t->paths[which];
    size_t n;

    path->size = 0;
    if (from.data[0] == '/')
        text_char(path, '/');
    for (size_t i = 0; i < from.size - file.size; i += n + 1) {
        n = (size_t)((const char *)memchr(from.data + i, '/', from.size - i) -
                     (from.data + i));
        add_component(path, (struct string){from.data + i, n});
    }
    text_add(path, file.data, file.size);
    return (struct string){path->data, path->size};
}

/* Whether its name does not have all that tells it apart. Mangled names have, but for
 * those of functions that are local to a file. */
static bool has_short_name(const struct teller *t, const struct place_row *row)
{
    const struct profile *p = t->profile;
    struct string name =
        string_table_get(&p->names, p->functions[row->function].system_name);

    return name.size < 3 ||
           (memcmp(name.data, "_Z", 2) != 0 && memcmp(name.data, "_R", 2) != 0) ||
           name.data[2] == 'L' ||
           memmem(name.data, name.size, "_GLOBAL__N_", strlen("_GLOBAL__N_")) != NULL;
}

/* A module has no two copies of a header's function by different paths. */
static bool are_different(struct teller *t, const struct place_row *a,
                          const struct place_row *b)
{
    return a->module == b->module && a->module != NO_MODULE && a->path != b->path &&
           string_compare(find_path(t, a, 0), find_path(t, b, 1)) != 0;
}

static bool have_different(struct teller *t, const struct place_row *rows, size_t n)
{
    const struct place_row *last = NULL;

    for (size_t i = 0; i < n; i++) {
        if (is_vague(t, &rows[i]) || !has_short_name(t, &rows[i]))
            continue;
        if (last != NULL && are_different(t, last, &rows[i]))
            return true;
        last = &rows[i];
    }
    return false;
}

/* The directories that the paths of the rows have in common. */
static size_t shared_directories(struct teller *t, const struct place_row *rows, size_t n)
{
    struct string first = find_path(t, &rows[0], 0);
    size_t shared = directory_size(first.data, first.size);

    for (size_t i = 1; i < n; i++) {
        struct string path;
        size_t same = 0;

        if (rows[i].path == rows[i - 1].path)
            continue;
        path = find_path(t, &rows[i], 1);
        while (same < shared && same < path.size && path.data[same] == first.data[same])
            same++;
        shared = directory_size(first.data, same);
    }
    return shared;
}

/* Of rows of one name and one place: where that is of different files, the directories in
 * which their paths differ belong to their places. */
static void lengthen_places(struct teller *t, struct place_row *rows, size_t n)
{
    size_t shared;

    if (rows[0].home == NO_PLACE || !have_different(t, rows, n))
        return;
    shared = shared_directories(t, rows, n);
    for (size_t i = 0; i < n; i++) {
        struct string path;

        if (i > 0 && rows[i].path == rows[i - 1].path) {
            rows[i].home = rows[i - 1].home;
            continue;
        }
        path = find_path(t, &rows[i], 0);
        rows[i].home =
            add_place(t, (struct string){path.data + shared, path.size - shared});
    }
}

/* ---- Functions of one name --------------------------------------------------------- */

/* Returns whether it is the first function in its file. */
static bool choose_home(struct teller *t, struct place_row *row, size_t mark)
{
    row->place = row->home;
    if (row->home == NO_PLACE || t->used[row->home] == mark)
        return false;
    t->used[row->home] = mark;
    return true;
}

/* Parts and copies are local to a file. They belong to the function of that file, or else
 * to one that is not local to any. */
static bool is_part_of_nowhere(const struct teller *t, const struct place_row *row,
                               bool is_nowhere, size_t mark)
{
    return is_nowhere && (row->home == NO_PLACE || t->used[row->home] != mark);
}

/* Chooses the places of the functions of one name. Returns whether they are several. */
static bool choose_places(struct teller *t, struct place_row *rows, size_t n, size_t mark)
{
    bool is_nowhere = false;
    size_t n_places = 0;

    for (size_t i = 0; i < n; i++) {
        if (is_vague(t, &rows[i]))
            continue;
        n_places += choose_home(t, &rows[i], mark);
        is_nowhere |= rows[i].home == NO_PLACE;
    }
    for (size_t i = 0; i < n; i++) {
        if (is_vague(t, &rows[i]) && !is_part_of_nowhere(t, &rows[i], is_nowhere, mark))
            n_places += choose_home(t, &rows[i], mark);
    }
    return n_places + is_nowhere > 1;
}

static void rename_function(struct teller *t, const struct place_row *row)
{
    struct string_table *names = &t->profile->names;
    struct string name = string_table_get(names, row->name);
    struct string place;

    if (row->place == NO_PLACE)
        return;
    place = string_table_get(&t->places, row->place);
    t->name.size = 0;
    text_add(&t->name, name.data, name.size);
    text_str(&t->name, " (");
    text_add(&t->name, place.data, place.size);
    text_char(&t->name, ')');
    t->profile->functions[row->function].name =
        string_table_add(names, t->name.data, t->name.size);
}

static size_t count_same(const struct teller *t, size_t first, bool same_home)
{
    const struct place_row *rows = t->rows + first;
    size_t n = 1;

    while (first + n < t->profile->n_functions && rows[n].name == rows[0].name &&
           (!same_home || rows[n].home == rows[0].home))
        n++;
    return n;
}

void profile_tell_apart(struct profile *p)
{
    struct teller t = {.profile = p};
    size_t n;

    list_rows(&t);
    for (size_t first = 0; first < p->n_functions; first += n) {
        n = count_same(&t, first, true);
        lengthen_places(&t, t.rows + first, n);
    }
    t.used = (size_t *)memory_allocate(t.places.n * sizeof(*t.used));
    for (size_t first = 0; first < p->n_functions; first += n) {
        struct place_row *rows = t.rows + first;

        n = count_same(&t, first, false);
        if (n == 1 || !choose_places(&t, rows, n, first + 1))
            continue;
        for (size_t i = 0; i < n; i++)
            rename_function(&t, &rows[i]);
    }
    memory_release(t.rows);
    memory_release(t.modules);
    memory_release(t.used);
    string_table_free(&t.places);
    for (size_t i = 0; i < 2; i++)
        text_free(&t.paths[i]);
    text_free(&t.name);
}
