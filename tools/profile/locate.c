/* SPDX-License-Identifier: BSD-2-Clause */
/* See locate.h. */
#include "locate.h"

#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "locate_mapping.h"
#include "locate_order.h"
#include "place.h"
#include "prune.h"

/* An address that was looked up before. */
struct visit {
    uint64_t process;
    uint64_t pc;
    uint32_t epoch;
    bool is_leaf;
    uint32_t location;
};

enum { RECENT_MAX = 4096 };

struct locator {
    struct profile *profile;
    struct map map;

    /* The last visits by a hash of the PC: most are repeated soon, and these stay in the
     * processor's cache. Their locations are one higher: 0 is where there was none. */
    struct visit recent[RECENT_MAX];
    struct visit *visits;
    size_t n_visits;
    size_t visit_capacity;
    struct table visit_table;

    size_t location_capacity;
    struct table location_table;
    size_t line_capacity;
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
static struct string module_name(const struct locator *l, struct place place)
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
static void name_by_address(struct locator *l, struct place place, uint64_t pc)
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
    struct strings *names = &l->profile->names;
    struct string name = strings_get(names, system_name);

    l->mangled.size = 0;
    text_add(&l->mangled, name.data, name.size);
    text_char(&l->mangled, '\0');
    l->name.size = 0;
    if (!demangle(&l->name, l->mangled.data))
        return system_name;
    return strings_add(names, l->name.data, l->name.size);
}

/* Files in which one function has lines make it several, since a profile's function is in
 * one file. */
static uint32_t add_function(struct locator *l, struct string name,
                             const struct source_line *line)
{
    struct profile *p = l->profile;
    const char *file = line != NULL && line->file != NULL ? line->file : "";
    struct profile_function function = {
        .system_name = strings_add(&p->names, name.data, name.size),
        .file = strings_add(&p->files, file, strlen(file)),
        .start_line = line != NULL ? line->start_line : 0,
    };
    uint64_t hash = hash_word(hash_word(0, function.system_name), function.file);
    struct table_probe probe = table_probe(&l->function_table, hash);
    uint32_t number;

    while (table_next(&l->function_table, &probe, &number)) {
        if (same_function(&p->functions[number], &function))
            return number;
    }
    table_add(&l->function_table, hash, p->n_functions);
    function.name = name_for_people(l, function.system_name);
    p->functions = (struct profile_function *)must_grow(
        p->functions, p->n_functions, &l->function_capacity, sizeof(*p->functions));
    p->functions[p->n_functions] = function;
    return (uint32_t)p->n_functions++;
}

/* ---- Locations --------------------------------------------------------------------- */

static void add_line(struct locator *l, uint32_t function, uint32_t line)
{
    struct profile *p = l->profile;

    p->lines = (struct profile_line *)must_grow(p->lines, p->n_lines, &l->line_capacity,
                                                sizeof(*p->lines));
    p->lines[p->n_lines++] = (struct profile_line){function, line};
}

/* Fills in the lines, behind all others. */
static void add_lines(struct locator *l, struct profile_location *location,
                      struct place place, uint64_t pc)
{
    struct profile *p = l->profile;

    location->first_line = (uint32_t)p->n_lines;
    place_lines(&l->map, place, location->address, &l->found);
    for (size_t i = 0; i < l->found.n; i++) {
        const struct source_line *line = &l->found.items[i];
        struct string name = {line->name, strlen(line->name)};

        add_line(l, add_function(l, name, line), line->line);
    }
    location->symbolized = l->found.n > 0;
    if (!location->symbolized) {
        l->name.size = 0;
        name_by_address(l, place, pc);
        add_line(l, add_function(l, (struct string){l->name.data, l->name.size}, NULL),
                 0);
    }
    location->n_lines = (uint32_t)p->n_lines - location->first_line;
}

/* What a mapping's flags promise is that nobody need look for more. */
static void set_flags(struct locator *l, const struct profile_location *location)
{
    struct profile_mapping *mapping;

    if (!location->symbolized)
        return;
    mapping = &l->profile->mappings[location->mapping];
    mapping->has_functions = true;
    mapping->has_inline_frames |= location->n_lines > 1;
    for (size_t i = 0; i < l->found.n; i++) {
        mapping->has_filenames |= l->found.items[i].file != NULL;
        mapping->has_line_numbers |= l->found.items[i].line > 0;
    }
}

static bool same_location(const struct profile *p, const struct profile_location *a,
                          const struct profile_location *b)
{
    return a->address == b->address && a->mapping == b->mapping &&
           a->symbolized == b->symbolized && a->n_lines == b->n_lines &&
           memcmp(p->lines + a->first_line, p->lines + b->first_line,
                  a->n_lines * sizeof(*p->lines)) == 0;
}

/* If the location is known, its lines, which are the last ones, are taken back. */
static uint32_t add_location(struct locator *l, const struct profile_location *location)
{
    struct profile *p = l->profile;
    uint64_t hash = hash_word(hash_word(0, location->address), location->mapping);
    struct table_probe probe = table_probe(&l->location_table, hash);
    uint32_t number;

    while (table_next(&l->location_table, &probe, &number)) {
        if (same_location(p, &p->locations[number], location)) {
            p->n_lines = location->first_line;
            return number;
        }
    }
    table_add(&l->location_table, hash, p->n_locations);
    p->locations = (struct profile_location *)must_grow(
        p->locations, p->n_locations, &l->location_capacity, sizeof(*p->locations));
    p->locations[p->n_locations] = *location;
    return (uint32_t)p->n_locations++;
}

/* The location of a name. */
static uint32_t make_named(struct locator *l, uint64_t number)
{
    struct profile *p = l->profile;
    struct string name = strings_get(&p->pc_names, (uint32_t)number);
    struct profile_location location = {
        .mapping = PROFILE_NO_MAPPING,
        .first_line = (uint32_t)p->n_lines,
        .n_lines = 1,
        .symbolized = true,
    };

    add_line(l, add_function(l, name, NULL), 0);
    return add_location(l, &location);
}

static uint32_t make_location(struct locator *l, uint64_t process, uint64_t pc,
                              bool is_leaf)
{
    uint64_t address = is_leaf ? pc : place_of_call(&l->map, process, pc);
    struct place place = place_find(&l->map, process, address);
    struct profile_location location = {
        .address = address,
        .mapping = mapping_list_find(&l->mappings, &l->map, place),
    };

    add_lines(l, &location, place, pc);
    set_flags(l, &location);
    return add_location(l, &location);
}

static bool same_visit(const struct visit *a, const struct visit *b)
{
    return a->pc == b->pc && a->process == b->process && a->epoch == b->epoch &&
           a->is_leaf == b->is_leaf;
}

static uint32_t find_visit(struct locator *l, struct visit visit)
{
    uint64_t hash = hash_word((uint64_t)visit.epoch << 1 | visit.is_leaf, visit.process);
    struct table_probe probe;
    uint32_t number;

    hash = hash_word(hash, visit.pc);
    probe = table_probe(&l->visit_table, hash);
    while (table_next(&l->visit_table, &probe, &number)) {
        if (same_visit(&l->visits[number], &visit))
            return l->visits[number].location;
    }
    visit.location = l->profile->is_of_spans
                         ? make_named(l, visit.pc)
                         : make_location(l, visit.process, visit.pc, visit.is_leaf);
    table_add(&l->visit_table, hash, l->n_visits);
    l->visits = (struct visit *)must_grow(l->visits, l->n_visits, &l->visit_capacity,
                                          sizeof(*l->visits));
    l->visits[l->n_visits++] = visit;
    return visit.location;
}

static uint32_t locate(struct locator *l, uint64_t process, uint64_t pc, bool is_leaf)
{
    struct visit visit = {process, pc, l->map.epoch, is_leaf, 0};
    struct visit *recent = &l->recent[hash_word(is_leaf, pc) >> 32 & (RECENT_MAX - 1)];

    if (recent->location == 0 || !same_visit(recent, &visit)) {
        visit.location = find_visit(l, visit) + 1;
        *recent = visit;
    }
    return recent->location - 1;
}

/* ---- Stacks ------------------------------------------------------------------------ */

static void locate_stack(struct locator *l, const struct profile_stack *stack)
{
    /* Where nobody said what is mapped, an address is the same thing in all processes. */
    uint64_t process = l->map.modules->n_mappings > 0 ? stack->process : 0;
    const uint64_t *pcs = l->profile->pcs + stack->first;
    uint32_t *frames = l->profile->frames + stack->first;

    /* Another sample may have the same stack. */
    if (frames[0] != UINT32_MAX)
        return;
    l->map.epoch = stack->epoch;
    for (uint32_t i = 0; i < stack->n; i++)
        frames[i] = locate(l, process, pcs[i], i == 0 && !l->profile->is_of_heap);
}

void profile_locate(struct profile *p, const struct modules *modules,
                    struct symbolizer *symbolizer)
{
    struct locator l = {
        .profile = p, .map = {modules, symbolizer, 0}, .mappings = {.profile = p}};

    p->frames = (uint32_t *)must_allocate(p->n_pcs * sizeof(*p->frames));
    memset(p->frames, 0xff, p->n_pcs * sizeof(*p->frames));
    for (size_t i = 0; i < p->n_samples; i++)
        locate_stack(&l, &p->stacks[p->samples[i].stack]);
    profile_count_frames(p);
    if (l.mappings.lacks_offsets)
        profile_comment(p, "file offsets of mappings are addresses in the file where no "
                           "ELF file was given");
    profile_order_locations(p);
    if (p->has_epochs)
        profile_merge(p);
    free(l.visits);
    table_free(&l.visit_table);
    table_free(&l.location_table);
    table_free(&l.function_table);
    table_free(&l.mappings.table);
    text_free(&l.name);
    text_free(&l.mangled);
    free(l.found.items);
}
