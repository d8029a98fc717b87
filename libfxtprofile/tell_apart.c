/* SPDX-License-Identifier: BSD-2-Clause */
/* See tell_apart.h. */
#include "tell_apart.h"

#include <stdlib.h>
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
    /* Its file; and what its name is to be followed by. */
    uint32_t home;
    uint32_t place;
};

struct teller {
    struct profile *profile;
    struct string_table places;
    /* The functions by their names. */
    struct place_row *rows;
    /* By the numbers of places: the first row, plus one, of the last name that has a
     * function there. */
    size_t *used;
    struct text name;
};

/* ---- Places ------------------------------------------------------------------------ */

static uint32_t add_place(struct teller *t, uint32_t file)
{
    struct string place;

    if (file == PROFILE_NO_FILE)
        return NO_PLACE;
    place = string_last_component(string_table_get(&t->profile->files, file));
    if (place.size == 0)
        return NO_PLACE;
    return string_table_add(&t->places, place.data,
                            place.size < PLACE_SIZE_MAX ? place.size : PLACE_SIZE_MAX);
}

static int order_rows(const void *left, const void *right)
{
    const struct place_row *a = (const struct place_row *)left;
    const struct place_row *b = (const struct place_row *)right;
    int order = order_numbers(a->name, b->name);

    return order != 0 ? order : order_numbers(a->function, b->function);
}

static void list_rows(struct teller *t)
{
    const struct profile *p = t->profile;

    t->rows = (struct place_row *)memory_allocate(p->n_functions * sizeof(*t->rows));
    for (uint32_t i = 0; i < p->n_functions; i++) {
        const struct profile_function *function = &p->functions[i];

        t->rows[i] = (struct place_row){.function = i,
                                        .name = function->name,
                                        .home = add_place(t, function->home),
                                        .place = NO_PLACE};
    }
    if (p->n_functions > 0)
        qsort(t->rows, p->n_functions, sizeof(*t->rows), order_rows);
    t->used = (size_t *)memory_allocate(t->places.n * sizeof(*t->used));
}

/* ---- Functions of one name --------------------------------------------------------- */

static bool is_vague(const struct teller *t, const struct place_row *row)
{
    return t->profile->functions[row->function].is_vague;
}

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

void profile_tell_apart(struct profile *p)
{
    struct teller t = {.profile = p};
    size_t n;

    list_rows(&t);
    for (size_t first = 0; first < p->n_functions; first += n) {
        struct place_row *rows = t.rows + first;

        for (n = 1; first + n < p->n_functions && rows[n].name == rows[0].name;)
            n++;
        if (n == 1 || !choose_places(&t, rows, n, first + 1))
            continue;
        for (size_t i = 0; i < n; i++)
            rename_function(&t, &rows[i]);
    }
    memory_release(t.rows);
    memory_release(t.used);
    string_table_free(&t.places);
    text_free(&t.name);
}
