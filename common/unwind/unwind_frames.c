/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_walk.h. */
#include "unwind_walk.h"

#include "unwind_code.h"
#include "unwind_step.h"

struct unwind_numbers unwind_numbers_of(enum unwind_machine machine)
{
    struct unwind_columns columns = unwind_columns_of(machine);

    return (struct unwind_numbers){columns.sp, columns.fp,
                                   columns.link != UNWIND_NO_REGISTER ? columns.link
                                                                      : (uint8_t)32};
}

/* ---- PCs -------------------------------------------------------------------------- */

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

/* ---- Cached rules ------------------------------------------------------------------ */

/* Where the rule of a caller is, by its return address. What comes next can only begin
 * when this is known, so that it is as little work as can be: `mask_bytes` is the mask
 * times the size of an entry. */
static inline const struct unwind_cache_entry *cache_at(
    const struct unwind_cache_entry *entries, uint64_t mask_bytes, uint64_t pc)
{
    return (const struct unwind_cache_entry *)(const void *)((const char *)entries +
                                                             (pc & mask_bytes));
}

static inline uint64_t mask_bytes_of(const struct unwind_cache *cache)
{
    return (uint64_t)cache->mask * sizeof(struct unwind_cache_entry);
}

static void cache_store(const struct unwind_state *s, uint64_t pc, uint32_t rule)
{
    const struct unwind_cache *cache = s->start->cache;
    uint64_t value = (uint64_t)s->space->generation << 32 | rule;
    struct unwind_cache_entry *entry;

    if (!cache || !cache->entries || s->is_exact)
        return;
    entry = &cache->entries[(pc & mask_bytes_of(cache)) / sizeof(*entry)];
    FXT_STORE_RELAXED(&entry->key, pc ^ value);
    FXT_STORE_RELAXED(&entry->value, value);
}

/* What walk_cached needs, apart from the state so that it is kept in registers. */
struct unwind_quick {
    uint64_t pc;
    uint64_t sp;
    uint64_t fp;
    uint64_t *pcs;
    /* Why it ended; NONE if it is not known. */
    uint32_t rule;
    struct unwind_words words;
};

static inline void note_word(struct unwind_words *words, uint64_t address)
{
    if (words->n < words->max)
        words->addresses[words->n] = address;
    words->n++;
}

/*
 * Walks over callers whose rules are cached, are simple, and lead to words in the current
 * chunk, from the stack pointer up. Whatever is not so is left to the steps, which also
 * find out how a stack ends.
 */
static FXT_ALWAYS_INLINE FXT_NO_SANITIZE void walk_cached(const struct unwind_state *s,
                                                          struct unwind_quick *q,
                                                          bool has_link)
{
    const struct unwind_cache_entry *entries = s->start->cache->entries;
    uint64_t mask_bytes = mask_bytes_of(s->start->cache);
    uintptr_t to_bytes = (uintptr_t)s->bytes - (uintptr_t)s->low;
    uint64_t high = s->low + s->span;
    uint32_t generation = s->space->generation;
    uint64_t *pcs = q->pcs;
    uint64_t *limit = s->pcs + s->max;
    struct unwind_words words = q->words;
    uint64_t pc = q->pc;
    uint64_t sp = q->sp;
    uint64_t fp = q->fp;

    while (pcs < limit) {
        const struct unwind_cache_entry *entry = cache_at(entries, mask_bytes, pc);
        uint64_t value = FXT_LOAD_RELAXED(&entry->value);
        uint32_t rule = (uint32_t)value;
        uint64_t cfa = sp;
        uint64_t slot;
        uint64_t at;
        uint64_t ra;

        if (FXT_UNLIKELY((FXT_LOAD_RELAXED(&entry->key) ^ value) != pc ||
                         value >> 32 != generation))
            break;
        if (FXT_UNLIKELY((rule & UNWIND_RULE_SIMPLE) == 0)) {
            q->rule = rule;
            break;
        }
        if ((rule & UNWIND_RULE_FROM_FRAME) != 0) {
            cfa = fp;
            note_word(&words, words.fp_at);
        }
        cfa += unwind_rule_cfa_bytes(rule);
        slot = cfa - unwind_rule_slot_bytes(rule);
        at = cfa - UNWIND_WORD;
        if (unwind_rule_return(rule) != UNWIND_RETURN_TOP) {
            if (!has_link || unwind_rule_return(rule) != UNWIND_RETURN_ABOVE_FRAME)
                break;
            at = slot + UNWIND_WORD;
        }
        /* With a CFA near 0 the slot may be at the other end of the address space. */
        if (FXT_UNLIKELY(cfa <= sp || slot < sp || slot > cfa || at < sp || at >= high))
            break;
        ra = unwind_word((const unsigned char *)(to_bytes + (uintptr_t)at));
        if (has_link)
            ra = unwind_strip(s->signature_bits, ra);
        if (FXT_UNLIKELY(ra == 0))
            break;
        note_word(&words, at);
        if (slot != cfa) {
            fp = unwind_word((const unsigned char *)(to_bytes + (uintptr_t)slot));
            words.fp_at = slot;
        }
        *pcs++ = pc;
        pc = ra;
        sp = cfa;
    }
    q->pc = pc;
    q->sp = sp;
    q->fp = fp;
    q->pcs = pcs;
    q->words = words;
}

/* Returns whether there is more to do. */
static FXT_NO_SANITIZE bool walk_quickly(struct unwind_state *s)
{
    struct unwind_quick q = {s->pc, s->sp, s->fp, s->pcs + s->n, UNWIND_RULE_NONE, {0}};
    struct unwind_words *words = s->n == 0 ? s->start->words : NULL;
    uint32_t n;

    if (s->sp - s->low >= s->span)
        return true;
    if (words)
        q.words = *words;
    if (s->columns.link == UNWIND_NO_REGISTER)
        walk_cached(s, &q, false);
    else
        walk_cached(s, &q, true);
    n = (uint32_t)(q.pcs - s->pcs);
    for (uint32_t i = (s->n + 63) / 64; i < (n + 63) / 64 && s->start->exact; i++)
        s->start->exact[i] = 0;
    s->has_saved = s->has_saved && n == s->n;
    s->pc = q.pc;
    s->sp = q.sp;
    s->fp = q.fp;
    s->n = n;
    if (q.rule != UNWIND_RULE_END)
        return true;
    if (words && q.words.n <= words->max)
        words->n = q.words.n;
    /* An earlier step that failed may have set another end. */
    return store(s) && state_end(s, UNWIND_END_OUTERMOST, 0);
}

/* ---- Any frame --------------------------------------------------------------------- */

/* The rule for the PC. Those of modules that need more than rules are not cached. */
static uint32_t find_rule(const struct unwind_state *s,
                          const struct unwind_module *module)
{
    uint64_t pc = state_lookup_pc(s);
    uint32_t rule;

    if (!module->table)
        return UNWIND_RULE_NONE;
    rule = unwind_table_find(module->table, pc - module->bias);
    if (((rule & UNWIND_RULE_SIMPLE) != 0 && module->table->n_saved == 0) ||
        rule == UNWIND_RULE_END)
        cache_store(s, s->pc, rule);
    return rule;
}

/* What signal handlers return to may be the first instruction of a mapping: no call comes
 * before. */
static bool is_at_sigreturn(const struct unwind_state *s)
{
    const struct unwind_module *module = unwind_space_find(s->space, s->pc);

    return module && code_is_sigreturn(s->start, module, s->space->machine, s->pc);
}

static bool step(struct unwind_state *s)
{
    const struct unwind_module *module = unwind_space_find(s->space, state_lookup_pc(s));
    uint32_t rule;

    if (!module && is_at_sigreturn(s))
        return store(s) && step_signal(s);
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
        return step_switch(s, module);
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
    s->is_elsewhere = false;
    s->low = 0;
    s->span = 0;
    s->bytes = NULL;
    s->pcs = pcs;
    s->n = 0;
    s->max = max_pcs;
    s->first_guess = UINT32_MAX;
    s->n_at_record = UINT32_MAX;
    s->end = UNWIND_END_OUTERMOST;
    s->address = 0;
    state_find_chunk(s, s->sp);
    if (start->words)
        start->words->n = 0;
}

/* Of the last PC that was stored, where that is of interest. */
static uint32_t index_of_module(const struct unwind_state *s)
{
    bool is_exact = s->n == 1 && !s->start->is_return;
    const struct unwind_module *module = NULL;

    if (s->n > 0 && s->end != UNWIND_END_OUTERMOST && s->end != UNWIND_END_DEPTH)
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
    while (more)
        more = (!has_cache || s.is_exact || walk_quickly(&s)) && step(&s);
    result->end = s.end;
    result->n_pcs = s.n;
    result->module = index_of_module(&s);
    result->first_guess = s.first_guess < s.n ? s.first_guess : UINT32_MAX;
    result->address = s.address;
    result->sp = s.sp;
    result->fp = s.fp;
    return s.n;
}
