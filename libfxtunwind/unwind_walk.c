/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_walk.h. */
#include "unwind_walk.h"

#include "unwind_step.h"

struct unwind_numbers unwind_numbers_of(enum unwind_machine machine)
{
    struct unwind_columns columns = unwind_columns_of(machine);

    return (struct unwind_numbers){
        columns.sp, columns.fp,
        columns.link != UNWIND_NO_REGISTER ? columns.link : (uint8_t)32};
}

/* ---- Cached rules ------------------------------------------------------------------ */

static inline uint32_t slot_of(uint64_t pc)
{
    return (uint32_t)(pc ^ pc >> 11);
}

static inline uint32_t cache_find(const struct unwind_cache_entry *entries, uint32_t mask,
                                  uint32_t generation, uint64_t pc)
{
    const struct unwind_cache_entry *entry = &entries[slot_of(pc) & mask];
    uint64_t key = FXT_LOAD_RELAXED(&entry->key);
    uint64_t value = FXT_LOAD_RELAXED(&entry->value);

    if ((key ^ value) != pc || value >> 32 != generation)
        return UNWIND_RULE_NONE;
    return (uint32_t)value;
}

static void cache_store(const struct unwind_state *s, uint64_t pc, uint32_t rule)
{
    const struct unwind_cache *cache = s->start->cache;
    uint64_t value = (uint64_t)s->space->generation << 32 | rule;
    struct unwind_cache_entry *entry;

    if (!cache || !cache->entries)
        return;
    entry = &cache->entries[slot_of(pc) & cache->mask];
    FXT_STORE_RELAXED(&entry->key, pc ^ value);
    FXT_STORE_RELAXED(&entry->value, value);
}

/*
 * Walks over callers whose rules are cached, are simple, and lead to a return address in
 * the same chunk. Whatever is not so is left to the steps, which also find out how a
 * stack ends.
 */
static FXT_NO_SANITIZE void walk_quickly(struct unwind_state *s)
{
    const struct unwind_cache *cache = s->start->cache;
    const struct unwind_cache_entry *entries = cache->entries;
    uint32_t generation = s->space->generation;
    uint64_t signature_bits = s->signature_bits;
    const unsigned char *bytes = s->bytes;
    uint32_t mask = cache->mask;
    uint64_t low = s->low;
    uint64_t span = s->span;
    uint64_t pc = s->pc;
    uint64_t sp = s->sp;
    uint64_t fp = s->fp;
    uint32_t n = s->n;
    uint32_t max = s->max;

    while (n < max) {
        uint32_t rule = cache_find(entries, mask, generation, pc - 1);
        uint64_t cfa = (rule & UNWIND_RULE_FROM_FRAME) != 0 ? fp : sp;
        uint64_t slot = unwind_rule_slot_bytes(rule);
        uint64_t at = 0;
        uint64_t ra;

        if ((rule & UNWIND_RULE_SIMPLE) == 0)
            break;
        cfa += unwind_rule_cfa_bytes(rule);
        switch (unwind_rule_return(rule)) {
        case UNWIND_RETURN_TOP:
            at = cfa - UNWIND_WORD;
            break;
        case UNWIND_RETURN_ABOVE_FRAME:
            at = cfa - slot + UNWIND_WORD;
            break;
        case UNWIND_RETURN_LINK:
        case UNWIND_RETURN_SLOT:
            at = low - 1;
            break;
        }
        if (cfa <= sp || at - low >= span || (slot > 0 && cfa - slot - low >= span))
            break;
        ra = unwind_strip(signature_bits, unwind_word(bytes + (at - low)));
        if (ra == 0)
            break;
        if (slot > 0)
            fp = unwind_word(bytes + (cfa - slot - low));
        s->pcs[n++] = pc;
        pc = ra;
        sp = cfa;
    }
    for (uint32_t i = (s->n + 63) / 64; i < (n + 63) / 64 && s->start->exact; i++)
        s->start->exact[i] = 0;
    s->has_saved = s->has_saved && n == s->n;
    s->pc = pc;
    s->sp = sp;
    s->fp = fp;
    s->n = n;
}

/* ---- Any frame --------------------------------------------------------------------- */

static uint32_t find_cached(const struct unwind_state *s, uint64_t pc)
{
    const struct unwind_cache *cache = s->start->cache;

    if (!cache || !cache->entries)
        return UNWIND_RULE_NONE;
    return cache_find(cache->entries, cache->mask, s->space->generation, pc);
}

/* The rule for the PC. Those of modules that need more than rules are not cached. */
static uint32_t find_rule(const struct unwind_state *s,
                          const struct unwind_module *module)
{
    uint64_t pc = state_lookup_pc(s);
    uint32_t rule = find_cached(s, pc);

    if (!module->table || rule != UNWIND_RULE_NONE)
        return rule;
    rule = unwind_table_find(module->table, pc - module->bias);
    if (((rule & UNWIND_RULE_SIMPLE) != 0 && module->table->n_saved == 0) ||
        rule == UNWIND_RULE_END)
        cache_store(s, pc, rule);
    return rule;
}

static void mark_exact(struct unwind_state *s, bool is_exact)
{
    uint64_t *exact = s->start->exact;
    uint64_t bit = (uint64_t)1 << (s->n % 64);

    if (!exact)
        return;
    if (s->n % 64 == 0)
        exact[s->n / 64] = 0;
    exact[s->n / 64] |= is_exact ? bit : 0;
}

/* Stores the PC. It is in a module, or it is the first one. */
static bool store(struct unwind_state *s)
{
    bool is_leaf_or_marked = s->n == 0 || s->start->exact || !s->is_exact;

    if (s->n == s->max)
        return state_end(s, UNWIND_END_DEPTH, 0);
    mark_exact(s, s->is_exact);
    s->pcs[s->n++] = s->pc + !is_leaf_or_marked;
    return true;
}

static bool step(struct unwind_state *s)
{
    const struct unwind_module *module = unwind_space_find(s->space, state_lookup_pc(s));
    uint32_t rule;

    if (!module) {
        if (s->n == 0 && !store(s))
            return false;
        return state_end(s, UNWIND_END_NOT_CODE, s->pc);
    }
    if (!store(s))
        return false;
    if (FXT_UNLIKELY((module->flags & UNWIND_IS_PENDING) != 0))
        return state_end(s, UNWIND_END_NO_RULE, 0);
    rule = find_rule(s, module);
    if ((rule & UNWIND_RULE_SIMPLE) != 0)
        return step_simple(s, module, rule);
    if ((rule & UNWIND_RULE_ODD) != 0)
        return step_odd(s, module, rule);
    switch (rule) {
    case UNWIND_RULE_NONE:
        return step_without_rule(s, module);
    case UNWIND_RULE_SIGNAL:
        return step_signal(s);
    case UNWIND_RULE_END:
        return state_end(s, UNWIND_END_OUTERMOST, 0);
    case UNWIND_RULE_SWITCH:
        return state_end(s, UNWIND_END_STACK_SWITCH, 0);
    default:
        return state_end(s, UNWIND_END_SPECIAL_RULE, 0);
    }
}

/* ---- Start and end ----------------------------------------------------------------- */

static uint64_t default_signature_bits(const struct unwind_space *space)
{
    if (space->signature_bits != 0 || space->machine != UNWIND_AARCH64)
        return space->signature_bits;
    return UINT64_MAX << 48;
}

static void begin(struct unwind_state *s, const struct unwind_start *start, uint64_t *pcs,
                  uint32_t max_pcs)
{
    const struct unwind_registers *registers = start->registers;

    s->start = start;
    s->space = start->space;
    s->columns = unwind_columns_of(s->space->machine);
    s->signature_bits = default_signature_bits(s->space);
    s->pc = registers->pc;
    s->sp = registers->r[s->columns.sp];
    s->fp = registers->r[s->columns.fp];
    s->has_saved = s->columns.saved != UNWIND_NO_REGISTER &&
                   (registers->known >> s->columns.saved & 1) != 0;
    s->saved = s->has_saved ? registers->r[s->columns.saved] : 0;
    s->is_exact = !start->is_return;
    s->registers = registers;
    s->low = 0;
    s->span = 0;
    s->bytes = NULL;
    s->pcs = pcs;
    s->n = 0;
    s->max = max_pcs;
    s->first_guess = UINT32_MAX;
    s->end = UNWIND_END_OUTERMOST;
    s->address = 0;
    state_find_chunk(s, s->sp);
}

/* Of the last PC that was stored. */
static uint32_t index_of_module(const struct unwind_state *s)
{
    bool is_exact = s->n == 1 && !s->start->is_return;
    const struct unwind_module *module = NULL;

    if (s->n > 0)
        module = unwind_space_find(s->space, s->pcs[s->n - 1] - !is_exact);
    return module ? (uint32_t)(module - s->space->modules) : UINT32_MAX;
}

uint32_t unwind_walk(const struct unwind_start *start, uint64_t *pcs, uint32_t max_pcs,
                     struct unwind_result *result)
{
    bool has_cache = start->cache && start->cache->entries;
    struct unwind_state s;
    bool more = true;

    begin(&s, start, pcs, max_pcs);
    while (more) {
        if (has_cache && !s.is_exact)
            walk_quickly(&s);
        more = step(&s);
    }
    result->end = s.end;
    result->n_pcs = s.n;
    result->module = index_of_module(&s);
    result->first_guess = s.first_guess < s.n ? s.first_guess : UINT32_MAX;
    result->address = s.address;
    result->sp = s.sp;
    result->fp = s.fp;
    return s.n;
}
