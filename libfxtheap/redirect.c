/* SPDX-License-Identifier: BSD-2-Clause */
/* See redirect.h. */
#include "redirect.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/unwind/in_process/own_maps.h"
#include "dynamic_section.h"

#if defined(__x86_64__)
enum { CALLED = R_X86_64_JUMP_SLOT, TAKEN = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { CALLED = R_AARCH64_JUMP_SLOT, TAKEN = R_AARCH64_GLOB_DAT };
#else
enum { CALLED = R_RISCV_JUMP_SLOT, TAKEN = R_RISCV_64 };
#endif

/* ---- Functions --------------------------------------------------------------------- */

/* In the order in which a module's words are replaced: so what the module allocates by a
 * function that is here it does not free by one that is not. */
enum stage { STAGE_FREE, STAGE_REALLOC, STAGE_ALLOCATE, N_STAGES };

static struct function {
    const char *name;
    enum stage stage;
    /* Where it is in this library, and what the program calls. */
    uintptr_t here;
    uintptr_t there;
} functions[] = {
    {"free", STAGE_FREE, 0, 0},
    {"free_sized", STAGE_FREE, 0, 0},
    {"free_aligned_sized", STAGE_FREE, 0, 0},
    {"realloc", STAGE_REALLOC, 0, 0},
    {"reallocarray", STAGE_REALLOC, 0, 0},
    {"malloc", STAGE_ALLOCATE, 0, 0},
    {"calloc", STAGE_ALLOCATE, 0, 0},
    {"posix_memalign", STAGE_ALLOCATE, 0, 0},
    {"aligned_alloc", STAGE_ALLOCATE, 0, 0},
    {"memalign", STAGE_ALLOCATE, 0, 0},
    {"valloc", STAGE_ALLOCATE, 0, 0},
    {"pvalloc", STAGE_ALLOCATE, 0, 0},
    {"_exit", STAGE_ALLOCATE, 0, 0},
    {"_Exit", STAGE_ALLOCATE, 0, 0},
    {"dlsym", STAGE_ALLOCATE, 0, 0},
};

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static void *(*next_dlsym)(void *handle, const char *name);

static void follow_modules(void);

/* The dynamic loader takes the return address for the module that calls: this must end in
 * a jump, and not in a call. */
static void *find_symbol(void *handle, const char *name)
{
    follow_modules();
    return next_dlsym(handle, name);
}

static const struct function *find_function(const char *name)
{
    for (int i = 0; i < N_FUNCTIONS; i++) {
        if (strcmp(name, functions[i].name) == 0)
            return functions[i].there != 0 ? &functions[i] : NULL;
    }
    return NULL;
}

/* ---- Words ------------------------------------------------------------------------- */

struct replaced {
    uint64_t *at;
    uint64_t old;
};

enum { REPLACED_MAX = 1 << 16 };

static struct replaced *replaced;
static uint32_t n_replaced;

static struct replaced *find_replaced(const uint64_t *at)
{
    for (uint32_t i = 0; i < n_replaced; i++) {
        if (replaced[i].at == at)
            return &replaced[i];
    }
    return NULL;
}

/* A module may be where another one was. */
static bool remember(uint64_t *at, uint64_t old)
{
    struct replaced *known = find_replaced(at);

    if (known == NULL && n_replaced < REPLACED_MAX)
        known = &replaced[n_replaced++];
    if (known != NULL)
        *known = (struct replaced){at, old};
    return known != NULL;
}

static int protection_of(const struct own_mapping *mapping)
{
    return (mapping->is_readable ? PROT_READ : 0) |
           (mapping->is_writable ? PROT_WRITE : 0) |
           (mapping->is_executable ? PROT_EXEC : 0);
}

struct scan {
    /* What the last word was in. */
    struct own_mapping mapping;
    bool stops;
    uint64_t n;
};

/* Replaces one value by another, unless another thread does so first. The dynamic loader
 * has made some of these pages read-only. */
static bool exchange(struct scan *scan, uint64_t *at, uint64_t old, uint64_t new)
{
    uintptr_t address = (uintptr_t)at;
    uintptr_t page = address - address % (uintptr_t)sysconf(_SC_PAGESIZE);
    const struct own_mapping *mapping = &scan->mapping;
    int protection;
    bool good;

    if ((address < mapping->start || address >= mapping->limit) &&
        !own_maps_find(address, &scan->mapping))
        return false;
    protection = protection_of(mapping);
    if (!mapping->is_writable && mprotect((void *)page, (size_t)sysconf(_SC_PAGESIZE),
                                          protection | PROT_WRITE) != 0)
        return false;
    good = __atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_RELEASE,
                                       __ATOMIC_RELAXED);
    if (!mapping->is_writable)
        mprotect((void *)page, (size_t)sysconf(_SC_PAGESIZE), protection);
    return good;
}

/* ---- Where functions are ----------------------------------------------------------- */

static bool is_this(const struct dynamic_module *m)
{
    return dynamic_has_address(m, (uintptr_t)&functions);
}

struct search {
    const char *name;
    bool is_of_this;
    uintptr_t found;
};

static int search_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = (struct search *)context;
    struct dynamic_module m;

    (void)size;
    if (!dynamic_read(&m, info) || is_this(&m) != search->is_of_this)
        return 0;
    search->found = dynamic_find(&m, search->name);
    return search->found != 0;
}

static uintptr_t find_in(const char *name, bool is_of_this)
{
    struct search search = {.name = name, .is_of_this = is_of_this};

    dl_iterate_phdr(search_module, &search);
    return search.found;
}

/* Modules are in the order in which the dynamic loader searches them. */
void *redirect_find(const char *name)
{
    uintptr_t found = find_in(name, false);
    void *function;

    memcpy(&function, &found, sizeof(function));
    return function;
}

static void find_functions(void)
{
    for (int i = 0; i < N_FUNCTIONS; i++) {
        functions[i].here = find_in(functions[i].name, true);
        functions[i].there = find_in(functions[i].name, false);
        if (strcmp(functions[i].name, "dlsym") != 0)
            continue;
        functions[i].here = (uintptr_t)find_symbol;
        memcpy(&next_dlsym, &functions[i].there, sizeof(next_dlsym));
    }
}

/* ---- Words of modules -------------------------------------------------------------- */

/* Does something with each word that is for one of the functions. */
typedef void word_fn(struct scan *scan, const struct dynamic_module *module, uint64_t *at,
                     uint32_t type, const struct function *function);

static void each_word(struct scan *scan, const struct dynamic_module *m, word_fn *fn)
{
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; m->relocations[part] != NULL && i < m->n[part]; i++) {
            const ElfW(Rela) *r = &m->relocations[part][i];
            uint32_t type = ELF64_R_TYPE(r->r_info);
            uintptr_t at = m->base + r->r_offset;
            const struct function *function;

            if ((type != CALLED && type != TAKEN) || r->r_addend != 0 ||
                at % sizeof(uint64_t) != 0 || !dynamic_has_address(m, at))
                continue;
            function =
                find_function(m->names + m->symbols[ELF64_R_SYM(r->r_info)].st_name);
            if (function != NULL)
                fn(scan, m, (uint64_t *)at, type, function);
        }
    }
}

/* ---- Starting ---------------------------------------------------------------------- */

static enum stage stage;
static bool is_on;
/* How many modules the dynamic loader had loaded when they were looked at last. */
static unsigned long long n_loaded;

/* A function that was never called leads to code of the module that binds it. One that is
 * bound to anything else than what the program calls is left alone. */
static void replace_word(struct scan *scan, const struct dynamic_module *m, uint64_t *at,
                         uint32_t type, const struct function *function)
{
    uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);

    if (function->stage != stage || old == function->here ||
        (old != function->there && !(type == CALLED && dynamic_has_address(m, old))))
        return;
    if (!remember(at, old))
        return;
    scan->n += exchange(scan, at, old, function->here);
}

static int replace_all(struct dl_phdr_info *info, size_t size, void *context)
{
    struct scan *scan = (struct scan *)context;
    struct dynamic_module m;

    (void)size;
    if (!is_on || scan->stops)
        return 1;
    if (info->dlpi_adds == n_loaded) {
        scan->stops = true;
        return 1;
    }
    if (!dynamic_read(&m, info) || is_this(&m))
        return 0;
    for (stage = 0; stage < N_STAGES; stage++)
        each_word(scan, &m, replace_word);
    return 0;
}

/* Called with the dynamic loader's lock held. */
static int note_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
    unsigned long long *loaded = (unsigned long long *)context;

    (void)size;
    *loaded = info->dlpi_adds;
    return 1;
}

static uint64_t replace_words(void)
{
    unsigned long long loaded = 0;
    struct scan scan = {.n = 0};

    dl_iterate_phdr(note_loaded, &loaded);
    if (loaded == __atomic_load_n(&n_loaded, __ATOMIC_RELAXED))
        return 0;
    dl_iterate_phdr(replace_all, &scan);
    __atomic_store_n(&n_loaded, loaded, __ATOMIC_RELAXED);
    return scan.n;
}

static void follow_modules(void)
{
    if (__atomic_load_n(&is_on, __ATOMIC_RELAXED))
        replace_words();
}

uint64_t redirect_start(void)
{
    void *memory = replaced;

    find_functions();
    if (memory == NULL)
        memory = mmap(NULL, REPLACED_MAX * sizeof(*replaced), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return 0;
    replaced = (struct replaced *)memory;
    n_loaded = 0;
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return replace_words();
}

/* ---- Stopping ---------------------------------------------------------------------- */

static void restore_word(struct scan *scan, const struct dynamic_module *m, uint64_t *at,
                         uint32_t type, const struct function *function)
{
    const struct replaced *known;

    (void)m;
    (void)type;
    if (__atomic_load_n(at, __ATOMIC_RELAXED) != function->here)
        return;
    known = find_replaced(at);
    scan->n += known == NULL || !exchange(scan, at, function->here, known->old);
}

static int restore_all(struct dl_phdr_info *info, size_t size, void *context)
{
    struct scan *scan = (struct scan *)context;
    struct dynamic_module m;

    (void)size;
    if (dynamic_read(&m, info) && !is_this(&m))
        each_word(scan, &m, restore_word);
    is_on = false;
    return 0;
}

uint64_t redirect_stop(void)
{
    struct scan scan = {.n = 0};

    dl_iterate_phdr(restore_all, &scan);
    n_replaced = 0;
    return scan.n;
}
