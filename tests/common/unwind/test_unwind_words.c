/* SPDX-License-Identifier: BSD-2-Clause */
/* What a walk has read, which decides whether it is to be walked again; and modules. */
#include "scene.h"

/* ---- What a walk has read ---------------------------------------------------------- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t draw_word(uint64_t *state)
{
    uint64_t number = draw(state);

    return number % 2 == 0 ? STACK + number / 2 % WORDS * 8
                           : CODE + 1 + number / 2 % (16 * 256 - 1);
}

static bool is_named(const struct unwind_words *words, unsigned word)
{
    for (uint32_t i = 0; i < words->n; i++) {
        if (words->addresses[i] == STACK + 8 * (uint64_t)word)
            return true;
    }
    return false;
}

/* The frame pointer is the last word. */
static void draw_words(struct scene *s, const struct unwind_words *kept, uint64_t *state)
{
    for (unsigned i = 0; i < WORDS; i++) {
        if (!is_named(kept, i))
            s->words[i] = draw_word(state);
    }
    s->registers.r[unwind_numbers_of(UNWIND_X86_64).fp] = s->words[WORDS - 1];
}

static void set_random_scene(struct scene *s, uint64_t *state)
{
    set_scene(s, UNWIND_X86_64);
    s->start.is_return = true;
    s->registers.pc = function(0) + 5;
    for (unsigned i = 0; i < 15; i++) {
        uint32_t cfa = 2 + (uint32_t)(draw(state) % 12);
        uint32_t slot =
            draw(state) % 2 == 0 ? 0 : 2 + (uint32_t)(draw(state) % (cfa - 1));

        set_rule(s, i,
                 i > 0 && draw(state) % 3 == 0
                     ? UNWIND_RULE_END
                     : simple(draw(state) % 4 == 0, cfa, UNWIND_RETURN_TOP, slot));
    }
}

/* Whatever the others are. */
Test(unwind, a_walk_depends_only_on_the_words_that_it_names)
{
    static struct unwind_cache_entry entries[1024];
    struct unwind_cache cache = {entries, 1023};
    uint64_t addresses[PCS * 2];
    uint64_t pcs[PCS];
    uint64_t state = 88172645463325252;
    unsigned n_named = 0;
    struct scene s;

    for (unsigned i = 0; i < 20000; i++) {
        struct unwind_words words = {addresses, PCS * 2, 0, STACK + 8 * (WORDS - 1)};
        uint32_t n;

        set_random_scene(&s, &state);
        s.space.generation = i + 1;
        draw_words(&s, &words, &state);
        s.start.cache = &cache;
        s.start.words = &words;
        n = walk(&s);
        cr_assert(n == 1 || words.n == 0, "rules that are not cached may be any");
        memcpy(pcs, s.pcs, sizeof(pcs));
        cr_assert(eq(u32, walk(&s), n));
        cr_assert(words.n == 0 ||
                  (s.result.end == UNWIND_END_OUTERMOST && words.n >= n - 1));
        n_named += words.n > 0;
        if (words.n == 0)
            continue;
        draw_words(&s, &words, &state);
        s.start.words = NULL;
        expect(&s, n, UNWIND_END_OUTERMOST);
        cr_assert(memcmp(pcs, s.pcs, n * sizeof(*pcs)) == 0, "%u", i);
    }
    cr_assert(n_named > 1000, "%u", n_named);
}

/* ---- Modules ----------------------------------------------------------------------- */

Test(unwind, modules_are_put_in_order_and_later_ones_win)
{
    struct unwind_module modules[8] = {
        {.start = 0x5000, .limit = 0x9000, .id = 1},
        {.start = 0x1000, .limit = 0x2000, .id = 2},
        {.start = 0x6000, .limit = 0x7000, .id = 3},
        {.start = 0x8000, .limit = 0xa000, .id = 4},
    };
    static const uint64_t starts[] = {0x1000, 0x5000, 0x6000, 0x7000, 0x8000};
    static const uint64_t limits[] = {0x2000, 0x6000, 0x7000, 0x8000, 0xa000};
    static const uint32_t ids[] = {2, 1, 3, 1, 4};

    cr_assert(eq(u32, unwind_space_arrange(modules, 4, 8), 5));
    for (unsigned i = 0; i < 5; i++) {
        cr_assert(eq(u64, modules[i].start, starts[i]));
        cr_assert(eq(u64, modules[i].limit, limits[i]));
        cr_assert(eq(u32, modules[i].id, ids[i]));
    }
}
