/* SPDX-License-Identifier: BSD-2-Clause */
/* See own_space.h. */
#include "own_space.h"

#include <signal.h>
#include <sys/auxv.h>

#include <fxt/compiler.h>

#include "own_version.h"

/* ---- Walks under way --------------------------------------------------------------- */

/*
 * Walks are counted, in one of several counters so that threads seldom share one. A
 * version that was replaced is not used any more when each counter has been 0 since.
 */
enum { COUNTERS = 32 };

static struct counter {
    _Alignas(64) uint32_t n;
} counters[COUNTERS];

static struct own_version *current;
static struct own_version *retired;

/* Threads differ by where their stacks are. */
static uint32_t *own_counter(void)
{
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);

    return &counters[(stack >> 16) * UINT64_C(0x9e3779b97f4a7c15) >> 59].n;
}

static void push_retired(struct own_version *v)
{
    struct own_version *head = __atomic_load_n(&retired, __ATOMIC_RELAXED);

    do
        v->next = head;
    while (!__atomic_compare_exchange_n(&retired, &head, v, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

/* Releases what no walk uses any more. The caller is counted as a walk no longer. */
static void release_retired(void)
{
    struct own_version *v = __atomic_exchange_n(&retired, NULL, __ATOMIC_ACQUIRE);

    while (v) {
        struct own_version *next = v->next;

        for (uint32_t i = 0; i < COUNTERS; i++) {
            if (__atomic_load_n(&counters[i].n, __ATOMIC_SEQ_CST) == 0)
                v->pending &= ~(UINT32_C(1) << i);
        }
        if (v->pending == 0)
            own_version_free(v);
        else
            push_retired(v);
        v = next;
    }
}

/* Makes `v` the current version if that is still `old`, which may be NULL. */
static bool publish(struct own_version *old, struct own_version *v)
{
    if (!__atomic_compare_exchange_n(&current, &old, v, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST)) {
        own_version_free(v);
        return false;
    }
    return true;
}

static void retire(struct own_version *old)
{
    if (!old)
        return;
    old->pending = UINT32_MAX;
    push_retired(old);
}

static void replace(struct own_version *old, struct own_version *v)
{
    if (v && publish(old, v))
        retire(old);
}

/* ---- What a walk lacks ------------------------------------------------------------- */

enum lack { LACKS_NOTHING, LACKS_TABLE, LACKS_MODULES };

/* When to read the mappings again for code that the dynamic linker does not know. */
static uint64_t next_scan_ns;
static uint64_t pause_ns;

#define FIRST_PAUSE_NS UINT64_C(1000000)
#define LAST_PAUSE_NS UINT64_C(100000000)

static bool may_scan(uint64_t now_ns)
{
    return now_ns >= __atomic_load_n(&next_scan_ns, __ATOMIC_RELAXED);
}

static void set_pause(uint64_t now_ns, bool found_any)
{
    uint64_t pause = __atomic_load_n(&pause_ns, __ATOMIC_RELAXED);

    pause = pause == 0 || found_any ? FIRST_PAUSE_NS : pause * 2;
    pause = pause < LAST_PAUSE_NS ? pause : LAST_PAUSE_NS;
    __atomic_store_n(&pause_ns, pause, __ATOMIC_RELAXED);
    __atomic_store_n(&next_scan_ns, now_ns + pause, __ATOMIC_RELAXED);
}

/* Where modules are that may be unmapped. */
static bool may_go(const struct own_version *v, uint64_t pc)
{
    return v->low < v->high && pc - v->low < v->high - v->low;
}

/* PCs in modules that may have been replaced. */
static bool are_valid(const struct own_version *v, const uint64_t *pcs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (may_go(v, pcs[i]) && !own_version_is_valid(v, pcs[i] - 1))
            return false;
    }
    return true;
}

/* A later walk may find other code at the same PCs. */
static void forget_words(const struct own_version *v, struct unwind_words *words,
                         const uint64_t *pcs, uint32_t n)
{
    for (uint32_t i = 0; i < n && words; i++) {
        if (may_go(v, pcs[i]))
            words->n = 0;
    }
}

static enum lack find_lack(const struct own_version *v, const uint64_t *pcs,
                           const struct unwind_result *result, uint64_t now_ns)
{
    if (v->low < v->high && !are_valid(v, pcs, result->n_pcs))
        return LACKS_MODULES;
    switch (result->end) {
    case UNWIND_END_NO_RULE:
        if (result->module < v->space.n_modules &&
            (v->modules[result->module].flags & UNWIND_IS_PENDING) != 0)
            return LACKS_TABLE;
        return may_scan(now_ns) ? LACKS_MODULES : LACKS_NOTHING;
    case UNWIND_END_NOT_CODE:
        if (own_version_is_loaded(result->address) || may_scan(now_ns))
            return LACKS_MODULES;
        return LACKS_NOTHING;
    default:
        return LACKS_NOTHING;
    }
}

static bool has_more(const struct own_version *v, const struct own_version *old)
{
    if (v->space.n_modules != old->space.n_modules)
        return true;
    for (uint32_t i = 0; i < v->space.n_modules; i++) {
        if (v->modules[i].start != old->modules[i].start ||
            v->modules[i].limit != old->modules[i].limit)
            return true;
    }
    return false;
}

/* A scan that finds nothing new leaves the version as it is, with all rules cached. */
static bool scan(struct own_version *old, uint64_t now_ns, bool must_replace)
{
    struct own_version *v = own_version_scan(old, false);
    bool found_any = v && (must_replace || has_more(v, old));

    set_pause(now_ns, found_any);
    if (v && !found_any)
        own_version_free(v);
    else
        replace(old, v);
    return found_any;
}

/* To build tables takes some of the stack, which may be a small one of a signal handler
 * or a coroutine. Without room they are left to another walk. */
enum { STACK_ROOM = 6144 };

static bool has_room(void)
{
    uint64_t here = (uintptr_t)__builtin_frame_address(0);
    struct own_mapping mapping;
    stack_t alternate;

    if (sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_ONSTACK) != 0)
        return here - (uintptr_t)alternate.ss_sp >= STACK_ROOM;
    return own_maps_find(here, &mapping) && here - mapping.start >= STACK_ROOM;
}

/* The table of a module that lacks it. If another walk replaces the version first, the
 * table is still of use if the module is there. */
static void build(struct own_version *old, uint32_t module)
{
    struct own_elf elf;
    struct own_table *table = own_table_build(old->infos[module].header, &elf);
    uint64_t start = old->modules[module].start;
    const void *link_map = old->infos[module].link_map;

    for (;;) {
        struct own_version *v = __atomic_load_n(&current, __ATOMIC_SEQ_CST);
        const struct unwind_module *found = unwind_space_find(&v->space, start);
        struct own_version *with;

        if (!found || (found->flags & UNWIND_IS_PENDING) == 0 ||
            v->infos[found->id].link_map != link_map)
            break;
        with = own_version_with(v, found->id, table, &elf);
        if (!with)
            break;
        if (publish(v, with)) {
            retire(v);
            break;
        }
    }
    own_table_release(table);
}

/* ---- Walking ----------------------------------------------------------------------- */

enum { ROUNDS = 64, CACHE_ENTRIES = 1 << 14 };

static struct unwind_cache_entry cached[CACHE_ENTRIES];
static struct unwind_cache cache = {cached, CACHE_ENTRIES - 1};

static bool read_code(void *context, const struct unwind_module *module, uint64_t address,
                      unsigned char *bytes, size_t n)
{
    (void)context;
    (void)module;
    return own_copy(bytes, address, n);
}

/* Returns whether to walk again. */
static bool walk_once(struct unwind_start *start, uint64_t now_ns, uint64_t *pcs,
                      uint32_t max_pcs, struct unwind_result *result)
{
    struct own_version *v = __atomic_load_n(&current, __ATOMIC_SEQ_CST);
    enum lack lack;

    if (!v) {
        *result =
            (struct unwind_result){.end = UNWIND_END_NOT_CODE, .module = UINT32_MAX};
        if (has_room())
            replace(NULL, own_version_scan(NULL, false));
        return __atomic_load_n(&current, __ATOMIC_RELAXED) != NULL;
    }
    start->space = &v->space;
    unwind_walk(start, pcs, max_pcs, result);
    if (FXT_LIKELY(v->low >= v->high && result->end <= UNWIND_END_DEPTH))
        return false;
    forget_words(v, start->words, pcs, result->n_pcs);
    lack = find_lack(v, pcs, result, now_ns);
    if (lack == LACKS_NOTHING || !has_room())
        return false;
    if (lack == LACKS_TABLE)
        build(v, result->module);
    else
        return scan(v, now_ns, !are_valid(v, pcs, result->n_pcs));
    return true;
}

uint32_t own_space_walk(struct unwind_start *start, uint64_t now_ns, uint64_t *pcs,
                        uint32_t max_pcs, struct unwind_result *result)
{
    uint32_t *counter = own_counter();
    bool again = true;
    int i;

    start->cache = &cache;
    if (!start->read_code)
        start->read_code = read_code;
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    for (i = 0; i < ROUNDS && again; i++)
        again = walk_once(start, now_ns, pcs, max_pcs, result);
    __atomic_fetch_sub(counter, 1, __ATOMIC_SEQ_CST);
    if (i > 1)
        release_retired();
    return result->n_pcs;
}

/* ---- The process ------------------------------------------------------------------- */

void own_space_keep_modules(void)
{
    replace(NULL, own_version_scan(NULL, true));
}

static void build_at(uint64_t address)
{
    struct own_version *v = __atomic_load_n(&current, __ATOMIC_SEQ_CST);
    const struct unwind_module *module = v ? unwind_space_find(&v->space, address) : NULL;

    if (module && (module->flags & UNWIND_IS_PENDING) != 0)
        build(v, module->id);
}

/* The function is one of the C library. */
void own_space_prepare(void)
{
    uint32_t *counter = own_counter();

    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&current, __ATOMIC_SEQ_CST))
        replace(NULL, own_version_scan(NULL, false));
    build_at(getauxval(AT_ENTRY));
    build_at((uintptr_t)sigaltstack);
    __atomic_fetch_sub(counter, 1, __ATOMIC_SEQ_CST);
    release_retired();
}

void own_space_forked(void)
{
    for (uint32_t i = 0; i < COUNTERS; i++)
        __atomic_store_n(&counters[i].n, 0, __ATOMIC_RELAXED);
}

/* Of the version itself: a copy of the number beside it could be an older one's. */
uint32_t own_space_scans(void)
{
    uint32_t *counter = own_counter();
    const struct own_version *v;
    uint32_t scan;

    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    v = __atomic_load_n(&current, __ATOMIC_SEQ_CST);
    scan = v ? v->scan : 0;
    __atomic_fetch_sub(counter, 1, __ATOMIC_SEQ_CST);
    return scan;
}
