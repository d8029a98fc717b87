/* SPDX-License-Identifier: BSD-2-Clause */
/* See own_version.h. */
#include "own_version.h"

#include <string.h>

/* ---- The dynamic linker ------------------------------------------------------------ */

/* As <dlfcn.h> has it from glibc 2.35 on. */
struct loaded_object {
    unsigned long long flags;
    void *map_start;
    void *map_end;
    void *link_map;
    void *eh_frame;
    unsigned long long reserved[7];
};

extern int find_object(void *address,
                       struct loaded_object *result) __asm__("_dl_find_object")
    __attribute__((weak));

static const void *link_map_at(uint64_t address)
{
    struct loaded_object object = {0};
    uintptr_t number = (uintptr_t)address;
    void *pointer;

    memcpy(&pointer, &number, sizeof(pointer));
    if (!find_object || find_object(pointer, &object) != 0)
        return NULL;
    return object.link_map;
}

bool own_version_is_loaded(uint64_t pc)
{
    return link_map_at(pc) != NULL;
}

/* What the stack has a return address into is not unmapped. */
static uint64_t load_id(uint64_t address)
{
    const unsigned char *at;
    uintptr_t number = (uintptr_t)address;
    uint64_t id;

    memcpy(&at, &number, sizeof(at));
    memcpy(&id, at, sizeof(id));
    return id;
}

bool own_version_is_valid(const struct own_version *v, uint64_t pc)
{
    const struct unwind_module *module = unwind_space_find(&v->space, pc);
    const struct own_module *info;

    if (!module || !find_object)
        return true;
    info = &v->infos[module->id];
    if (info->stays)
        return true;
    return link_map_at(pc) == info->link_map &&
           (!info->link_map || info->id_at == 0 || load_id(info->id_at) == info->id);
}

/* ---- Tables ------------------------------------------------------------------------ */

struct own_table *own_table_build(uint64_t header, struct own_elf *elf)
{
    struct unwind_table table;
    struct own_table *built;

    if (header == 0 || !own_elf_build(header, elf, &table))
        return NULL;
    built = own_allocator.allocate(NULL, sizeof(*built));
    if (!built) {
        unwind_table_free(&table);
        return NULL;
    }
    built->table = table;
    built->n_users = 1;
    return built;
}

void own_table_release(struct own_table *table)
{
    if (!table || __atomic_sub_fetch(&table->n_users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    unwind_table_free(&table->table);
    own_allocator.release(NULL, table, sizeof(*table));
}

static void keep_table(struct own_table *table)
{
    if (table)
        __atomic_fetch_add(&table->n_users, 1, __ATOMIC_RELAXED);
}

/* ---- Versions ---------------------------------------------------------------------- */

static uint32_t next_generation(void)
{
    static uint32_t last;
    uint32_t generation;

    do
        generation = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    while (generation == 0);
    return generation;
}

static struct own_version *make(uint32_t capacity)
{
    size_t size = sizeof(struct own_version) +
                  capacity * (sizeof(struct unwind_module) + sizeof(struct own_module));
    struct own_version *v = own_allocator.allocate(NULL, size);

    if (!v)
        return NULL;
    v->size = size;
    v->capacity = capacity;
    v->modules = (struct unwind_module *)(void *)(v + 1);
    v->infos = (struct own_module *)(void *)(v->modules + capacity);
    v->space.machine = UNWIND_THIS_MACHINE;
    v->space.generation = next_generation();
    v->space.modules = v->modules;
    v->low = UINT64_MAX;
    return v;
}

void own_version_free(struct own_version *v)
{
    for (uint32_t i = 0; i < v->space.n_modules; i++)
        own_table_release(v->infos[i].table);
    own_allocator.release(NULL, v, v->size);
}

static void add(struct own_version *v, const struct unwind_module *module,
                const struct own_module *info)
{
    uint32_t i = v->space.n_modules++;

    v->modules[i] = *module;
    v->modules[i].id = i;
    v->infos[i] = *info;
    keep_table(info->table);
    if (info->stays)
        return;
    v->low = module->start < v->low ? module->start : v->low;
    v->high = module->limit > v->high ? module->limit : v->high;
}

struct own_version *own_version_with(const struct own_version *old, uint32_t module,
                                     struct own_table *table, const struct own_elf *elf)
{
    struct own_version *v = make(old->space.n_modules);
    struct own_module *info;

    if (!v)
        return NULL;
    for (uint32_t i = 0; i < old->space.n_modules; i++)
        add(v, &old->modules[i], &old->infos[i]);
    v->scan = old->scan;
    v->modules[module].flags &= ~(uint32_t)UNWIND_IS_PENDING;
    info = &v->infos[module];
    info->id_at = elf->id_at;
    info->id = elf->id;
    info->table = table;
    keep_table(table);
    v->modules[module].table = table ? &table->table : NULL;
    v->modules[module].bias = table ? elf->bias : 0;
    return v;
}

/* ---- Reading the mappings ---------------------------------------------------------- */

static bool is_same(const struct own_mapping *a, const struct own_mapping *b)
{
    return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
           a->device == b->device && a->inode == b->inode;
}

/* What is known of a mapping already: only what the dynamic linker still knows as the
 * same module. */
static bool add_known(struct own_version *v, const struct own_version *old,
                      const struct own_mapping *mapping)
{
    const struct unwind_module *module;

    if (!old)
        return false;
    module = unwind_space_find(&old->space, mapping->start);
    if (!module || !is_same(&old->infos[module->id].mapping, mapping) ||
        !own_version_is_valid(old, mapping->start))
        return false;
    add(v, module, &old->infos[module->id]);
    return true;
}

static bool is_elf(uint64_t address)
{
    unsigned char magic[4];

    return own_copy(magic, address, sizeof(magic)) &&
           memcmp(magic, "\177ELF", sizeof(magic)) == 0;
}

/* `header` is the mapping of the file's beginning that was seen last. Code of no file is
 * the vdso, or was made at run time. */
static void add_new(struct own_version *v, const struct own_mapping *mapping,
                    const struct own_mapping *header, bool stays)
{
    struct own_module info = {.mapping = *mapping, .stays = stays};
    struct unwind_module module = {.start = mapping->start, .limit = mapping->limit};

    if (mapping->inode == 0)
        info.header = is_elf(mapping->start) ? mapping->start : 0;
    else if (header->inode == mapping->inode && header->device == mapping->device)
        info.header = header->start;
    info.link_map = link_map_at(mapping->start);
    module.flags = info.header != 0 ? UNWIND_IS_PENDING : UNWIND_KEEPS_FRAMES;
    add(v, &module, &info);
}

/* Returns false if there is no room. */
static bool read_all(struct own_version *v, const struct own_version *old, bool all_stay,
                     struct own_maps *maps)
{
    struct own_mapping header = {0};
    struct own_mapping mapping;

    while (own_maps_next(maps, &mapping)) {
        if (mapping.offset == 0)
            header = mapping;
        if (!mapping.is_executable || mapping.limit <= mapping.start)
            continue;
        if (v->space.n_modules == v->capacity)
            return false;
        if (!add_known(v, old, &mapping))
            add_new(v, &mapping, &header, all_stay);
    }
    return true;
}

enum { ROOM = 64, MODULES_MAX = 1 << 20 };

struct own_version *own_version_scan(const struct own_version *old, bool all_stay)
{
    static uint32_t n_scans;
    uint32_t capacity = (old ? old->space.n_modules : 0) + ROOM;
    uint32_t scan = __atomic_add_fetch(&n_scans, 1, __ATOMIC_RELAXED);

    for (; capacity <= MODULES_MAX; capacity *= 2) {
        struct own_version *v = make(capacity);
        struct own_maps maps;
        bool is_whole;

        if (!v || !own_maps_open(&maps)) {
            if (v)
                own_version_free(v);
            return NULL;
        }
        is_whole = read_all(v, old, all_stay, &maps);
        own_maps_close(&maps);
        v->scan = scan;
        if (is_whole)
            return v;
        own_version_free(v);
    }
    return NULL;
}
