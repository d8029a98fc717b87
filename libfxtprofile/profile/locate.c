/* SPDX-License-Identifier: BSD-2-Clause */
/* See locate.h. */
#include "locate.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "libfxtprofile/symbols/demangle.h"
#include "locate_mapping.h"
#include "locate_order.h"
#include "location_list.h"
#include "merge_mappings.h"
#include "address_lookup.h"
#include "prune.h"
#include "visits.h"

struct locator {
    struct profile *profile;
    struct map map;

    /* The process of the stacks that are looked at now, and what is known of it: the
     * visit of each PC, by its number, one higher; 0 is where there is none. And which
     * these are, to forget them. */
    uint64_t process;
    uint32_t *known;
    uint32_t *known_pcs;
    size_t n_known_pcs;

    /* All that is looked up: first where, and when that is known of all, what is there.
     */
    struct visits visits;

    struct location_list locations;
    size_t function_capacity;
    struct table function_table;
    struct mapping_list mappings;

    /* For putting a name together, and what was found at an address. */
    struct text name;
    struct text mangled;
    struct source_lines found;
};

/* ---- Names ------------------------------------------------------------------------- */

/* What to call the module at a place; a build id where it has no name. */
static struct string module_name(const struct locator *l, struct address_info place)
{
    struct string name = {"", 0};

    if (place.mapping != NULL) {
        name = string_last_component(modules_name(l->map.modules, place.mapping));
        if (name.size == 0)
            name = modules_build_id(l->map.modules, place.mapping);
    }
    if (name.size == 0 && place.binary != NULL)
        name = string_last_component(
            (struct string){place.binary->name, strlen(place.binary->name)});
    return name;
}

/* module+0xoffset, by which a symbol can still be found later, or the bare address. The
 * number is that of the PC as it was recorded. */
static void name_by_address(struct locator *l, struct address_info place, uint64_t pc)
{
    struct string module = module_name(l, place);

    if (module.size > 0) {
        text_add(&l->name, module.data, module.size);
        text_char(&l->name, '+');
        pc -= place.mapping != NULL ? place.mapping->start - place.mapping->vaddr
                                    : place.bias;
    }
    text_str(&l->name, "0x");
    text_hex(&l->name, pc, 1);
}

/* ---- Functions --------------------------------------------------------------------- */

static bool same_function(const struct profile_function *a,
                          const struct profile_function *b)
{
    return a->system_name == b->system_name && a->file == b->file &&
           a->start_line == b->start_line;
}

static uint32_t name_for_people(struct locator *l, uint32_t system_name)
{
    struct string_table *names = &l->profile->names;
    struct string name = string_table_get(names, system_name);

    l->mangled.size = 0;
    text_add(&l->mangled, name.data, name.size);
    text_char(&l->mangled, '\0');
    l->name.size = 0;
    if (!demangle(&l->name, l->mangled.data))
        return system_name;
    return string_table_add(names, l->name.data, l->name.size);
}

/* Files in which one function has lines make it several, since a profile's function is in
 * one file. Without a line, the name is of no symbol, and not mangled. */
static uint32_t add_function(struct locator *l, struct string name,
                             const struct source_line *line)
{
    struct profile *p = l->profile;
    const char *file = line != NULL && line->file != NULL ? line->file : "";
    struct profile_function function = {
        .system_name = string_table_add(&p->names, name.data, name.size),
        .file = string_table_add(&p->files, file, strlen(file)),
        .start_line = line != NULL ? line->start_line : 0,
    };
    uint64_t hash =
        hash_word(hash_word(hash_start(), function.system_name), function.file);
    struct table_probe probe = table_probe(&l->function_table, hash);
    uint32_t number;

    while (table_next(&l->function_table, &probe, &number)) {
        if (same_function(&p->functions[number], &function))
            return number;
    }
    table_add(&l->function_table, hash, p->n_functions);
    function.name =
        line != NULL ? name_for_people(l, function.system_name) : function.system_name;
    p->functions = (struct profile_function *)memory_grow(
        p->functions, p->n_functions, &l->function_capacity, sizeof(*p->functions));
    p->functions[p->n_functions] = function;
    return (uint32_t)p->n_functions++;
}

/* A line of which nothing but a name is known. */
static struct profile_line name_only(struct locator *l, struct string name)
{
    return (struct profile_line){add_function(l, name, NULL), 0};
}

/* ---- Locations --------------------------------------------------------------------- */

/* Fills in the lines, behind all others. */
static void add_lines(struct locator *l, struct profile_location *location,
                      struct address_info place, uint64_t pc)
{
    struct profile *p = l->profile;

    location->first_line = (uint32_t)p->n_lines;
    address_lines(&l->map, place, location->address, &l->found);
    for (size_t i = 0; i < l->found.n; i++) {
        const struct source_line *line = &l->found.items[i];
        struct string name = {line->name, strlen(line->name)};

        location_list_add_line(
            &l->locations,
            (struct profile_line){add_function(l, name, line), line->line});
    }
    location->symbolized = l->found.n > 0;
    if (!location->symbolized) {
        l->name.size = 0;
        name_by_address(l, place, pc);
        location_list_add_line(&l->locations,
                               name_only(l, (struct string){l->name.data, l->name.size}));
    }
    location->n_lines = (uint32_t)p->n_lines - location->first_line;
}

/* The location of a name. */
static uint32_t make_named(struct locator *l, uint64_t number)
{
    struct profile *p = l->profile;
    struct string name = string_table_get(&p->pc_names, (uint32_t)number);
    struct profile_location location = {
        .mapping = PROFILE_NO_MAPPING,
        .first_line = (uint32_t)p->n_lines,
        .n_lines = 1,
        .symbolized = true,
    };

    location_list_add_line(&l->locations, name_only(l, name));
    return location_list_add(&l->locations, &location);
}

static uint32_t make_location(struct locator *l, const struct visit *visit)
{
    struct address_info place = address_find(&l->map, visit->process, visit->address);
    struct profile_location location = {
        .address = visit->address,
        .mapping = mapping_list_find(&l->mappings, &l->map, place),
    };

    add_lines(l, &location, place, l->profile->pcs.pcs[visit->pc]);
    return location_list_add(&l->locations, &location);
}

/* What is in heaps was allocated by a call: there is no leaf that was interrupted. */
static bool is_leaf(const struct profile *p, uint32_t pc)
{
    return p->pcs.is_leaf[pc] && !p->is_of_heap;
}

/* Finds out where to look something up, and says that it will be. */
static struct visit prepare(struct locator *l, uint32_t pc)
{
    const struct profile *p = l->profile;
    uint64_t address = p->pcs.pcs[pc];
    struct visit visit = {.process = l->process, .pc = pc, .epoch = l->map.epoch};

    if (profile_is_of_names(p))
        return visit;
    visit.address =
        is_leaf(p, pc) ? address : address_of_call(&l->map, l->process, address);
    place_want(address_find(&l->map, l->process, visit.address), visit.address);
    return visit;
}

static uint32_t find_visit(struct locator *l, uint32_t pc)
{
    struct visit like = {.process = l->process, .pc = pc, .epoch = l->map.epoch};
    uint32_t number;

    if (visits_find(&l->visits, &like, &number))
        return number;
    return visits_add(&l->visits, prepare(l, pc));
}

static void make_locations(struct locator *l)
{
    const struct profile *p = l->profile;

    symbolizer_read_lines(l->map.symbolizer);
    for (size_t i = 0; i < l->visits.n; i++) {
        struct visit *visit = &l->visits.items[i];

        l->map.epoch = visit->epoch;
        visit->location = profile_is_of_names(p) ? make_named(l, p->pcs.pcs[visit->pc])
                                                 : make_location(l, visit);
    }
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* Goes on to the stacks of another process, or of another time in it. */
static void enter(struct locator *l, uint64_t process, uint32_t epoch)
{
    if (process == l->process && epoch == l->map.epoch)
        return;
    for (size_t i = 0; i < l->n_known_pcs; i++)
        l->known[l->known_pcs[i]] = 0;
    l->n_known_pcs = 0;
    l->process = process;
    l->map.epoch = epoch;
}

static uint32_t look_up(struct locator *l, uint32_t pc)
{
    l->known_pcs[l->n_known_pcs++] = pc;
    return l->known[pc] = find_visit(l, pc) + 1;
}

static void visit_stack(struct locator *l, const struct profile_stack *stack)
{
    uint32_t *frames = stack->frames;
    const uint32_t *known = l->known;

    /* Where nobody said what is mapped, an address is the same thing in all processes. */
    enter(l, l->map.modules->n_mappings > 0 ? stack->process : 0, stack->epoch);
    for (uint32_t i = 0; i < stack->n; i++) {
        uint32_t visit = known[frames[i]];

        if (FXT_UNLIKELY(visit == 0))
            visit = look_up(l, frames[i]);
        frames[i] = visit - 1;
    }
}

/* Puts locations where their visits are. A stack that no sample has any more has some
 * location, whichever. */
static void place_visits(struct locator *l, const bool *is_done)
{
    struct profile *p = l->profile;

    for (size_t i = 0; i < p->n_stacks; i++) {
        uint32_t *frames = p->stacks[i].frames;

        for (uint32_t j = 0; j < p->stacks[i].n; j++)
            frames[j] = is_done[i] ? l->visits.items[frames[j]].location : 0;
    }
}

static void keep_pcs(struct profile *p)
{
    p->kept_pcs = (uint32_t **)memory_allocate(p->n_stacks * sizeof(uint32_t *));
    for (size_t i = 0; i < p->n_stacks; i++) {
        p->kept_pcs[i] = arena_add(&p->kept, p->stacks[i].n);
        memcpy(p->kept_pcs[i], p->stacks[i].frames,
               p->stacks[i].n * sizeof(*p->stacks[i].frames));
    }
}

/* Every stack by itself: what a PC is differs between processes or times, or there are
 * PCs that no sample has any more. */
static void locate_stacks(struct locator *l)
{
    struct profile *p = l->profile;
    bool *is_done = (bool *)memory_allocate(p->n_stacks * sizeof(*is_done));

    l->known = (uint32_t *)memory_allocate(p->pcs.n * sizeof(*l->known));
    l->known_pcs = (uint32_t *)memory_allocate(p->pcs.n * sizeof(*l->known_pcs));
    for (size_t i = 0; i < p->n_samples; i++) {
        uint32_t stack = p->samples[i].stack;

        profile_prefetch(p, i);
        if (!is_done[stack])
            visit_stack(l, &p->stacks[stack]);
        is_done[stack] = true;
    }
    make_locations(l);
    place_visits(l, is_done);
    memory_release(is_done);
    memory_release(l->known);
    memory_release(l->known_pcs);
}

/* Puts the location of each PC where the PC's number is that of its location. */
static void place_locations(struct profile *p, const uint32_t *pcs)
{
    struct profile_location *locations =
        (struct profile_location *)memory_reserve(p->n_locations * sizeof(*locations));

    for (size_t i = 0; i < p->n_locations; i++)
        locations[pcs[i]] = p->locations[i];
    memory_release(p->locations);
    p->locations = locations;
}

/* All PCs at once, which are the same thing wherever they are. If no two of them are one
 * thing, no stack need be touched. */
static void locate_pcs(struct locator *l)
{
    struct profile *p = l->profile;
    uint32_t *pcs = pc_set_sort(&p->pcs);
    uint32_t *locations = (uint32_t *)memory_reserve(p->pcs.n * sizeof(*locations));
    bool differ;

    for (size_t i = 0; i < p->pcs.n; i++)
        visits_append(&l->visits, prepare(l, pcs[i]));
    make_locations(l);
    for (size_t i = 0; i < p->pcs.n; i++)
        locations[pcs[i]] = l->visits.items[i].location;
    differ = p->n_locations == p->pcs.n;
    if (differ)
        place_locations(p, pcs);
    for (size_t i = 0; i < p->n_stacks && !differ; i++) {
        for (uint32_t j = 0; j < p->stacks[i].n; j++)
            p->stacks[i].frames[j] = locations[p->stacks[i].frames[j]];
    }
    memory_release(pcs);
    memory_release(locations);
}

/* Whether each stack is that of a sample. */
static bool are_all_used(const struct profile *p)
{
    bool *is_used = (bool *)memory_allocate(p->n_stacks * sizeof(*is_used));
    size_t n = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        n += !is_used[p->samples[i].stack];
        is_used[p->samples[i].stack] = true;
    }
    memory_release(is_used);
    return n == p->n_stacks;
}

static void locate_all(struct locator *l)
{
    struct profile *p = l->profile;

    if (p->keeps_pcs)
        keep_pcs(p);
    if (l->map.modules->n_mappings == 0 && !p->has_epochs && are_all_used(p))
        locate_pcs(l);
    else
        locate_stacks(l);
}

void profile_locate(struct profile *p, const struct modules *modules,
                    struct symbolizer *symbolizer)
{
    struct locator l = {
        .profile = p,
        .map = {modules, symbolizer, 0},
        .locations = {.profile = p},
        .mappings = {.profile = p},
    };

    locate_all(&l);
    mapping_list_add_main(&l.mappings, &l.map);
    if (p->merges_mappings)
        profile_merge_mappings(p);
    profile_count_frames(p);
    if (l.mappings.lacks_offsets)
        profile_comment(p, "file offsets of mappings are addresses in the file where the "
                           "ELF file was not found");
    profile_flag_mappings(p);
    profile_order_mappings(p);
    if (p->may_have_equals)
        profile_merge(p);
    visits_free(&l.visits);
    table_free(&l.locations.table);
    table_free(&l.function_table);
    table_free(&l.mappings.table);
    text_free(&l.name);
    text_free(&l.mangled);
    memory_release(l.found.items);
}
