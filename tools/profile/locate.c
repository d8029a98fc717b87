/* SPDX-License-Identifier: BSD-2-Clause */
/* See locate.h. */
#include "locate.h"

#include <stdlib.h>
#include <string.h>

#include "locate_order.h"
#include "place.h"

/* Where a kernel's half of the addresses starts. */
#define UPPER_HALF ((uint64_t)1 << 63)

/* An address that was looked up before. */
struct visit {
    uint64_t process;
    uint64_t pc;
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
    size_t mapping_capacity;
    struct table mapping_table;

    /* For putting a name together. */
    struct text name;
    /* Some file offset is not known. */
    bool lacks_offsets;
};

/* ---- Mappings ---------------------------------------------------------------------- */

/* Whether a reader should not take this for the main program. */
static bool is_library(struct string name)
{
    for (size_t i = 0; i + 3 <= name.size; i++) {
        if (memcmp(name.data + i, ".so", 3) == 0 &&
            (i + 3 == name.size || name.data[i + 3] == '.'))
            return true;
    }
    return name.size == 0 || name.data[0] == '[';
}

/* Where in its file a mapping of the input starts. Its record does not say; the file's
 * own headers do. */
static uint64_t offset_of(const struct mapping *mapping, const struct elf_code *code)
{
    uint64_t ahead = code->vaddr - mapping->vaddr;

    if (mapping->vaddr >= code->vaddr)
        return code->offset + (mapping->vaddr - code->vaddr);
    return ahead <= code->offset ? code->offset - ahead : 0;
}

static struct profile_mapping from_image(struct locator *l, struct place place)
{
    struct profile *p = l->profile;
    const char *build_id = place.image->build_id;

    return (struct profile_mapping){
        .start = place.code->vaddr + place.image->bias,
        .limit = place.code->limit + place.image->bias,
        .file_offset = place.code->offset,
        .file = strings_add(&p->files, place.image->name, strlen(place.image->name)),
        .build_id = strings_add(&p->build_ids, build_id, strlen(build_id)),
        .rank = (uint32_t)(place.image - l->map.symbolizer->images),
    };
}

static struct profile_mapping from_module(struct locator *l,
                                          const struct mapping *mapping)
{
    struct profile *p = l->profile;
    struct string name = modules_name(l->map.modules, mapping);
    struct string build_id = modules_build_id(l->map.modules, mapping);

    return (struct profile_mapping){
        .start = mapping->start,
        .limit = mapping->limit,
        .file_offset = mapping->vaddr,
        .file = strings_add(&p->files, name.data, name.size),
        .build_id = strings_add(&p->build_ids, build_id.data, build_id.size),
        .rank = (uint32_t)l->map.symbolizer->n + (is_library(name) ? 1 : 0),
    };
}

/* A mapping of the input whose file is at hand. */
static struct profile_mapping from_both(struct locator *l, struct place place)
{
    struct profile_mapping module = from_module(l, place.mapping);
    struct profile_mapping image = from_image(l, place);

    image.start = module.start;
    image.limit = module.limit;
    image.file_offset = offset_of(place.mapping, place.code);
    if (place.image->build_id[0] == '\0')
        image.build_id = module.build_id;
    return image;
}

static bool same_mapping(const struct profile_mapping *a, const struct profile_mapping *b)
{
    return a->start == b->start && a->limit == b->limit &&
           a->file_offset == b->file_offset && a->file == b->file &&
           a->build_id == b->build_id && a->rank == b->rank;
}

/* Processes that have the same file at the same place share its mapping. */
static uint32_t add_mapping(struct locator *l, const struct profile_mapping *mapping)
{
    struct profile *p = l->profile;
    uint64_t hash = hash_word(hash_word(0, mapping->start), mapping->file);
    struct table_probe probe = table_probe(&l->mapping_table, hash);
    uint32_t number;

    while (table_next(&l->mapping_table, &probe, &number)) {
        if (same_mapping(&p->mappings[number], mapping))
            return number;
    }
    table_add(&l->mapping_table, hash, p->n_mappings);
    p->mappings = (struct profile_mapping *)must_grow(
        p->mappings, p->n_mappings, &l->mapping_capacity, sizeof(*p->mappings));
    p->mappings[p->n_mappings] = *mapping;
    return (uint32_t)p->n_mappings++;
}

/* Readers take a mapping in the kernel's half of the addresses that says it starts at
 * offset 0 for a kernel's code, wherever that starts in its file, and no other. */
static uint32_t find_mapping(struct locator *l, struct place place)
{
    struct profile_mapping mapping;

    if (!place_is_known(place))
        return PROFILE_NO_MAPPING;
    if (place.mapping == NULL)
        mapping = from_image(l, place);
    else if (place.image == NULL)
        mapping = from_module(l, place.mapping);
    else
        mapping = from_both(l, place);
    if (mapping.start >= UPPER_HALF)
        mapping.file_offset = 0;
    else if (place.image == NULL)
        l->lacks_offsets = true;
    return add_mapping(l, &mapping);
}

/* ---- Names ------------------------------------------------------------------------- */

static struct string last_component(struct string path)
{
    for (size_t i = path.size; i > 0; i--) {
        if (path.data[i - 1] == '/')
            return (struct string){path.data + i, path.size - i};
    }
    return path;
}

/* What to call the module at a place; a build id where it has no name. */
static struct string module_name(const struct locator *l, struct place place)
{
    struct string name = {"", 0};

    if (place.mapping != NULL) {
        name = last_component(modules_name(l->map.modules, place.mapping));
        if (name.size == 0)
            name = modules_build_id(l->map.modules, place.mapping);
    }
    if (name.size == 0 && place.image != NULL)
        name =
            last_component((struct string){place.image->name, strlen(place.image->name)});
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
                                    : place.image->bias;
    }
    text_str(&l->name, "0x");
    text_hex(&l->name, pc, 1);
}

/* ---- Locations --------------------------------------------------------------------- */

static bool same_location(const struct profile_location *a,
                          const struct profile_location *b)
{
    return a->address == b->address && a->mapping == b->mapping &&
           a->function == b->function && a->symbolized == b->symbolized;
}

static uint32_t add_location(struct locator *l, const struct profile_location *location)
{
    struct profile *p = l->profile;
    uint64_t hash = hash_word(hash_word(0, location->address), location->function);
    struct table_probe probe = table_probe(&l->location_table, hash);
    uint32_t number;

    while (table_next(&l->location_table, &probe, &number)) {
        if (same_location(&p->locations[number], location))
            return number;
    }
    table_add(&l->location_table, hash, p->n_locations);
    p->locations = (struct profile_location *)must_grow(
        p->locations, p->n_locations, &l->location_capacity, sizeof(*p->locations));
    p->locations[p->n_locations] = *location;
    return (uint32_t)p->n_locations++;
}

static uint32_t make_location(struct locator *l, uint64_t process, uint64_t pc,
                              bool is_leaf)
{
    struct profile *p = l->profile;
    uint64_t address = is_leaf ? pc : place_of_call(&l->map, process, pc);
    struct place place = place_find(&l->map, process, address);
    const char *symbol = place_symbol(place, address);
    struct profile_location location = {
        .address = address,
        .mapping = find_mapping(l, place),
        .symbolized = symbol != NULL,
    };

    l->name.size = 0;
    if (symbol != NULL)
        text_str(&l->name, symbol);
    else
        name_by_address(l, place, pc);
    location.function = strings_add(&p->functions, l->name.data, l->name.size);
    if (symbol != NULL)
        p->mappings[location.mapping].has_functions = true;
    return add_location(l, &location);
}

static bool same_visit(const struct visit *a, const struct visit *b)
{
    return a->pc == b->pc && a->process == b->process && a->is_leaf == b->is_leaf;
}

static uint32_t find_visit(struct locator *l, struct visit visit)
{
    uint64_t hash = hash_word(hash_word(visit.is_leaf, visit.process), visit.pc);
    struct table_probe probe = table_probe(&l->visit_table, hash);
    uint32_t number;

    while (table_next(&l->visit_table, &probe, &number)) {
        if (same_visit(&l->visits[number], &visit))
            return l->visits[number].location;
    }
    visit.location = make_location(l, visit.process, visit.pc, visit.is_leaf);
    table_add(&l->visit_table, hash, l->n_visits);
    l->visits = (struct visit *)must_grow(l->visits, l->n_visits, &l->visit_capacity,
                                          sizeof(*l->visits));
    l->visits[l->n_visits++] = visit;
    return visit.location;
}

static uint32_t locate(struct locator *l, uint64_t process, uint64_t pc, bool is_leaf)
{
    struct visit visit = {process, pc, is_leaf, 0};
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
    for (uint32_t i = 0; i < stack->n; i++)
        frames[i] = locate(l, process, pcs[i], i == 0);
}

/* How many frames all samples have, and how many of these are named. */
static void count_frames(struct profile *p)
{
    unsigned char *is_named = (unsigned char *)must_allocate(p->n_locations);

    for (size_t i = 0; i < p->n_locations; i++)
        is_named[i] = p->locations[i].symbolized;
    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
        uint64_t n = (uint64_t)p->values[i * p->n_types];
        uint64_t n_named = 0;

        for (uint32_t j = 0; j < stack->n; j++)
            n_named += is_named[p->frames[stack->first + j]];
        p->n_frames += n * stack->n;
        p->n_named_frames += n * n_named;
    }
    free(is_named);
}

void profile_locate(struct profile *p, const struct modules *modules,
                    const struct symbolizer *symbolizer)
{
    struct locator l = {.profile = p, .map = {modules, symbolizer}};

    p->frames = (uint32_t *)must_allocate(p->n_pcs * sizeof(*p->frames));
    memset(p->frames, 0xff, p->n_pcs * sizeof(*p->frames));
    for (size_t i = 0; i < p->n_samples; i++)
        locate_stack(&l, &p->stacks[p->samples[i].stack]);
    count_frames(p);
    if (l.lacks_offsets)
        profile_comment(p, "file offsets of mappings are addresses in the file where no "
                           "ELF file was given");
    profile_order_locations(p);
    free(l.visits);
    table_free(&l.visit_table);
    table_free(&l.location_table);
    table_free(&l.mapping_table);
    text_free(&l.name);
}
