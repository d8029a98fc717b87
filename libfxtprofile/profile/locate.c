/* SPDX-License-Identifier: BSD-2-Clause */
/* See locate.h. */
#include "locate.h"

#include <string.h>

#include <fxt/compiler.h>

#include "address_lookup.h"
#include "common/base/table_items.h"
#include "function_list.h"
#include "locate_mapping.h"
#include "locate_order.h"
#include "location_list.h"
#include "prune.h"
#include "stack_ends.h"
#include "stacks/sum_frames.h"

/* A PC that is looked up, once for each process and time. */
struct visit {
    uint64_t process;
    /* The PC's number. */
    uint32_t pc;
    uint32_t epoch;
    /* Where it is looked up, which may be before the PC. */
    uint64_t address;
    /* What is found there. */
    uint32_t location;
};

struct locator {
    struct profile_builder *builder;
    struct profile *profile;
    struct map map;

    /* The process of the current stack, and by the number of each PC that was visited in
     * that process its visit, plus one; 0 for other PCs. And the numbers of these PCs, by
     * which `known` is cleared. */
    uint64_t process;
    uint32_t *known;
    uint32_t *known_pcs;
    size_t n_known_pcs;

    /* All look-ups: first the addresses, and when all are known, the locations. */
    struct visit *visits;
    size_t n_visits;
    size_t visit_capacity;
    struct table visit_table;

    struct location_list locations;
    struct function_list functions;
    struct mapping_list mappings;

    /* For making names of addresses, and the functions found at an address. */
    struct text name;
    struct source_lines found;
};

/* ---- Names ------------------------------------------------------------------------- */

/* The name of the module at an address, or its build id where it has no name. */
static struct string module_name(const struct locator *l, struct address_info info)
{
    struct string name = {"", 0};

    if (info.mapping != NULL) {
        name = string_last_component(modules_name(l->map.modules, info.mapping));
        if (name.size == 0)
            name = modules_build_id(l->map.modules, info.mapping);
    }
    if (name.size == 0 && info.binary != NULL)
        name = string_last_component(string_from(info.binary->name));
    return name;
}

/* Makes the name module+0xoffset, by which a symbol can still be found later, or only the
 * address. */
static void name_by_address(struct locator *l, struct address_info info, uint64_t address)
{
    struct string module = module_name(l, info);

    if (module.size > 0) {
        text_add(&l->name, module.data, module.size);
        text_char(&l->name, '+');
        address -=
            info.mapping != NULL ? info.mapping->start - info.mapping->vaddr : info.bias;
    }
    text_str(&l->name, "0x");
    text_hex(&l->name, address, 1);
}

/* Functions of one name in one file are at home where they begin. */
static void find_home(struct locator *l, struct address_info info,
                      struct source_line *line)
{
    if (line->home != NULL || line->start == 0)
        return;
    l->name.size = 0;
    name_by_address(l, info, line->start + info.bias);
    text_char(&l->name, '\0');
    line->home = l->name.data;
}

/* ---- Locations --------------------------------------------------------------------- */

/* Adds a line of which only a name is known. */
static void add_name_line(struct locator *l, struct string name)
{
    uint32_t function = function_list_add_name(&l->functions, name, string_from(""));

    location_list_add_line(&l->locations, (struct profile_line){function, 0});
}

/* Adds the lines of a location, after all others. Without a symbol the function has the
 * name of where it begins, and if that is not known, either, of `pc`, the PC as it was
 * recorded. */
static void add_lines(struct locator *l, struct profile_location *location,
                      struct address_info info, uint64_t pc)
{
    struct profile *p = l->profile;
    uint64_t start;

    location->first_line = (uint32_t)p->n_lines;
    location->is_of_file = address_lines(&l->map, info, location->address, &l->found);
    for (size_t i = 0; i < l->found.n; i++) {
        struct source_line *line = &l->found.items[i];

        find_home(l, info, line);
        location_list_add_line(
            &l->locations,
            (struct profile_line){function_list_add(&l->functions, line), line->line});
    }
    location->symbolized = l->found.n > 0;
    if (!location->symbolized) {
        l->name.size = 0;
        location->has_function = address_function(info, location->address, &start);
        name_by_address(l, info, location->has_function ? start : pc);
        add_name_line(l, (struct string){l->name.data, l->name.size});
    }
    location->n_lines = (uint32_t)p->n_lines - location->first_line;
}

/* The location of a name. */
static uint32_t make_named(struct locator *l, uint64_t number)
{
    struct profile *p = l->profile;
    struct string name = string_table_get(&l->builder->pc_names, (uint32_t)number);
    struct profile_location location = {
        .mapping = PROFILE_NO_MAPPING,
        .first_line = (uint32_t)p->n_lines,
        .n_lines = 1,
        .symbolized = true,
    };

    add_name_line(l, name);
    return location_list_add(&l->locations, &location);
}

/* The location of frames that were added up elsewhere. */
static uint32_t make_summed(struct locator *l, uint64_t number)
{
    struct string frames = string_table_get(&l->builder->pc_names, (uint32_t)number);
    struct profile_location location = {.first_line = (uint32_t)l->profile->n_lines,
                                        .symbolized = true};
    struct sum_frame frame = {.line = 0};

    for (; sum_frames_next(&frames, &frame); location.n_lines++)
        location_list_add_line(
            &l->locations,
            (struct profile_line){
                function_list_add_name(&l->functions, frame.name, frame.source_file),
                frame.line});
    location.mapping = mapping_list_find_file(&l->mappings, frame.module, frame.build_id);
    return location_list_add(&l->locations, &location);
}

static uint32_t make_location(struct locator *l, const struct visit *visit)
{
    struct address_info info = address_find(&l->map, visit->process, visit->address);
    struct profile_location location = {
        .address = visit->address,
        .mapping = mapping_list_find(&l->mappings, &l->map, info, visit->address),
    };

    add_lines(l, &location, info, l->builder->pcs.pcs[visit->pc]);
    return location_list_add(&l->locations, &location);
}

/* Whether a PC is the number of a name, which is stored. */
static bool is_name(const struct locator *l, uint64_t pc, uint64_t *number)
{
    const struct profile *p = l->profile;

    *number = p->is_of_waits ? pc - PROFILE_BUILDER_FIRST_NAME : pc;
    return p->is_of_waits ? profile_builder_is_name(pc) : profile_is_of_names(p);
}

/* In heaps, the innermost PC is that of a call, too. */
static bool is_leaf(const struct profile_builder *b, uint32_t pc)
{
    return b->pcs.is_leaf[pc] && !b->profile.is_of_heap;
}

static uint64_t looked_up(const struct locator *l, uint32_t pc)
{
    uint64_t address = l->builder->pcs.pcs[pc];

    return is_leaf(l->builder, pc) ? address
                                   : address_of_call(&l->map, l->process, address);
}

/* Finds the address to look up, and announces that look-up to the symbolizer. */
static struct visit prepare_visit(struct locator *l, uint32_t pc)
{
    uint64_t address = l->builder->pcs.pcs[pc];
    struct visit visit = {.process = l->process, .pc = pc, .epoch = l->map.epoch};
    uint64_t number;

    if (is_name(l, address, &number))
        return visit;
    visit.address = looked_up(l, pc);
    /* With more symbols another address may be that of the call. */
    if (address_fetch(&l->map, address_find(&l->map, l->process, visit.address)))
        visit.address = looked_up(l, pc);
    address_announce(address_find(&l->map, l->process, visit.address), visit.address);
    return visit;
}

static uint32_t find_visit(struct locator *l, uint32_t pc)
{
    struct visit visit = {.process = l->process, .pc = pc, .epoch = l->map.epoch};
    uint32_t number = TABLE_FIND(&l->visit_table, l->visits, &visit, process, pc, epoch);

    if (number != TABLE_NONE)
        return number;
    visit = prepare_visit(l, pc);
    return TABLE_PUT(&l->visit_table, l->visits, l->n_visits, l->visit_capacity, &visit,
                     process, pc, epoch);
}

static void make_locations(struct locator *l)
{
    symbolizer_read_lines(l->map.symbolizer);
    for (size_t i = 0; i < l->n_visits; i++) {
        struct visit *visit = &l->visits[i];
        uint64_t number;

        l->map.epoch = visit->epoch;
        if (!is_name(l, l->builder->pcs.pcs[visit->pc], &number))
            visit->location = make_location(l, visit);
        else if (l->profile->is_of_sums)
            visit->location = make_summed(l, number);
        else
            visit->location = make_named(l, number);
    }
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* Switches to the stacks of another process, or of another of its epochs. */
static void enter_process(struct locator *l, uint64_t process, uint32_t epoch)
{
    if (process == l->process && epoch == l->map.epoch)
        return;
    for (size_t i = 0; i < l->n_known_pcs; i++)
        l->known[l->known_pcs[i]] = 0;
    l->n_known_pcs = 0;
    l->process = process;
    l->map.epoch = epoch;
}

static uint32_t look_up_pc(struct locator *l, uint32_t pc)
{
    l->known_pcs[l->n_known_pcs++] = pc;
    return l->known[pc] = find_visit(l, pc) + 1;
}

static void visit_stack(struct locator *l, const struct profile_sample *sample)
{
    const struct profile_stack *stack = &l->profile->stacks[sample->stack];
    uint64_t process = l->profile->labels[sample->labels].process;
    uint32_t *frames = stack->frames;
    const uint32_t *known = l->known;

    /* Without mappings, an address means the same in all processes. */
    enter_process(l, modules_have_processes(l->map.modules) ? process : 0, stack->epoch);
    for (uint32_t i = 0; i < stack->n; i++) {
        uint32_t visit = known[frames[i]];

        if (FXT_UNLIKELY(visit == 0))
            visit = look_up_pc(l, frames[i]);
        frames[i] = visit - 1;
    }
}

/* Replaces visits by their locations. Stacks that no sample has any more get any valid
 * location. */
static void place_visits(struct locator *l, const bool *is_done)
{
    struct profile *p = l->profile;

    for (size_t i = 0; i < p->n_stacks; i++) {
        uint32_t *frames = p->stacks[i].frames;

        for (uint32_t j = 0; j < p->stacks[i].n; j++)
            frames[j] = is_done[i] ? l->visits[frames[j]].location : 0;
    }
}

static void keep_pcs(struct profile *p)
{
    p->stack_pcs = (uint32_t **)memory_allocate(p->n_stacks * sizeof(uint32_t *));
    for (size_t i = 0; i < p->n_stacks; i++) {
        p->stack_pcs[i] = arena_add(&p->kept, p->stacks[i].n + (p->stacks[i].end > 0));
        memcpy(p->stack_pcs[i], p->stacks[i].frames,
               p->stacks[i].n * sizeof(*p->stacks[i].frames));
    }
}

/* Locates each stack separately: the meaning of a PC depends on the process or epoch, or
 * there are PCs that no sample has any more. */
static void locate_stacks(struct locator *l)
{
    struct profile *p = l->profile;
    bool *is_done = (bool *)memory_allocate(p->n_stacks * sizeof(*is_done));
    size_t n_pcs = l->builder->pcs.n;

    l->known = (uint32_t *)memory_allocate(n_pcs * sizeof(*l->known));
    l->known_pcs = (uint32_t *)memory_allocate(n_pcs * sizeof(*l->known_pcs));
    for (size_t i = 0; i < p->n_samples; i++) {
        uint32_t stack = p->samples[i].stack;

        profile_prefetch(p, i);
        if (!is_done[stack])
            visit_stack(l, &p->samples[i]);
        is_done[stack] = true;
    }
    make_locations(l);
    place_visits(l, is_done);
    memory_release(is_done);
    memory_release(l->known);
    memory_release(l->known_pcs);
}

/* Renumbers locations, so that each has the number of its PC. */
static void place_locations(struct profile *p, const uint32_t *pcs)
{
    struct profile_location *locations =
        (struct profile_location *)memory_reserve(p->n_locations * sizeof(*locations));

    for (size_t i = 0; i < p->n_locations; i++)
        locations[pcs[i]] = p->locations[i];
    memory_release(p->locations);
    p->locations = locations;
}

/* Locates PCs instead of stacks: each PC means the same in all stacks. If no two PCs have
 * the same location, stacks stay as they are. */
static void locate_pcs(struct locator *l)
{
    struct profile *p = l->profile;
    size_t n_pcs = l->builder->pcs.n;
    uint32_t *pcs = pc_set_sort(&l->builder->pcs);
    uint32_t *locations = (uint32_t *)memory_reserve(n_pcs * sizeof(*locations));
    bool all_differ;

    for (size_t i = 0; i < n_pcs; i++)
        MEMORY_ADD(l->visits, l->n_visits, l->visit_capacity, prepare_visit(l, pcs[i]));
    make_locations(l);
    for (size_t i = 0; i < n_pcs; i++)
        locations[pcs[i]] = l->visits[i].location;
    all_differ = p->n_locations == n_pcs;
    if (all_differ)
        place_locations(p, pcs);
    for (size_t i = 0; i < p->n_stacks && !all_differ; i++) {
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
    if (l->builder->keeps_pcs)
        keep_pcs(l->profile);
    if (!modules_have_processes(l->map.modules) && !l->builder->has_epochs &&
        are_all_used(l->profile))
        locate_pcs(l);
    else
        locate_stacks(l);
}

void profile_locate(struct profile_builder *b, const struct modules *modules,
                    struct symbolizer *symbolizer)
{
    struct locator l = {
        .builder = b,
        .profile = &b->profile,
        .map = {modules, symbolizer, 0},
        .locations = {.builder = b},
        .functions = {.builder = b},
        .mappings = {.builder = b},
    };

    locate_all(&l);
    mapping_list_add_main(&l.mappings, &l.map);
    if (b->merges_mappings)
        profile_merge_mappings(b);
    stack_ends_find_files(b);
    stack_ends_show(b, &l.functions);
    profile_builder_count_frames(b);
    if (l.mappings.lacks_offsets)
        profile_builder_add_comment(
            b, "file offsets of mappings are addresses in the file where the ELF file "
               "was not found");
    profile_flag_mappings(b);
    profile_order_mappings(b);
    if (b->may_have_equals)
        profile_merge_samples(b);
    memory_release(l.visits);
    table_free(&l.visit_table);
    table_free(&l.locations.table);
    function_list_free(&l.functions);
    table_free(&l.mappings.table);
    text_free(&l.name);
    memory_release(l.found.items);
}
