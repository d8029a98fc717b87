/* SPDX-License-Identifier: BSD-2-Clause */
/* See block_index.h. */
#include "block_index.h"

#include <stddef.h>
#include <sys/mman.h>

/* The first level has so many words, as a power of two; a bucket 8, which are 64 bytes.
 */
enum { FIRST_BITS = 13, BUCKET_BITS = 3, BUCKET_WORDS = 1 << BUCKET_BITS };

/* The buckets where the word of a block may be, in each level: the one of all blocks near
 * its address, since those that are allocated one after the other are often freed so; the
 * one beside it; and two by the hash of the address itself, for when these are full. */
enum { NEAR_BYTES = 128, BUCKET_NEAR = 0, BUCKET_BESIDE, BUCKET_OWN, N_BUCKETS = 4 };

/* So many levels are tried before there is one more. */
enum { LEVELS_TRIED = 3 };

/* The levels of this process, by which its children find them: their own memory has
 * forgotten the rest. */
static void *known[BLOCK_INDEX_LEVELS];

/* ---- Where ------------------------------------------------------------------------- */

static uint32_t level_bits(uint32_t level)
{
    return FIRST_BITS + (level > 0 ? level - 1 : 0);
}

static uint64_t level_words(uint32_t level)
{
    return UINT64_C(1) << level_bits(level);
}

struct hashes {
    /* Of the addresses near this one: those of a heap without gaps are as far from each
     * other as can be, so that few meet in a bucket. */
    uint64_t near;
    uint64_t own;
};

static struct hashes hash_address(uint64_t address)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    uint64_t own = address / HEAP_ADDRESS_UNIT * factor;

    own ^= own >> 32;
    own *= 0xd6e8feb86659fd93;
    return (struct hashes){address / NEAR_BYTES * factor, own ^ own >> 32};
}

static uint64_t *bucket_of(uint64_t *words, uint32_t level, struct hashes hashes,
                           int which)
{
    uint32_t bits = level_bits(level) - BUCKET_BITS;
    uint64_t place;

    if (which < BUCKET_OWN)
        place = hashes.near >> (64 - bits) ^ (which == BUCKET_BESIDE);
    else if (which == BUCKET_OWN)
        place = hashes.own;
    else
        place = (hashes.own >> 32) * 0x9e3779b97f4a7c15 >> 32;
    return &words[(place & ((UINT64_C(1) << bits) - 1)) * BUCKET_WORDS];
}

static uint64_t make_word(struct hashes hashes, uint32_t number)
{
    return hashes.own >> 32 << 32 | (number + 1);
}

static uint64_t *load_level(const struct block_index *index, uint32_t level)
{
    return __atomic_load_n(&index->levels[level], __ATOMIC_ACQUIRE);
}

/* ---- Levels ------------------------------------------------------------------------ */

static uint64_t *map_level(uint32_t level)
{
    size_t size = level_words(level) * sizeof(uint64_t);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    /* Words are anywhere in it: translating addresses takes much of a search. */
    madvise(memory, size, MADV_HUGEPAGE);
    if (madvise(memory, size, MADV_WIPEONFORK) == 0)
        return memory;
    munmap(memory, size);
    return NULL;
}

/* Another thread, or an interrupted one, may be adding the same level. */
static bool add_level(struct block_index *index, uint32_t level)
{
    uint64_t *none = NULL;
    uint64_t *memory;

    if (level == BLOCK_INDEX_LEVELS)
        return false;
    if (load_level(index, level) == NULL) {
        memory = map_level(level);
        if (memory == NULL)
            return false;
        if (__atomic_compare_exchange_n(&index->levels[level], &none, memory, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            known[level] = memory;
        else
            munmap(memory, level_words(level) * sizeof(uint64_t));
    }
    __atomic_compare_exchange_n(&index->n_levels, &level, level + 1, false,
                                __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    return true;
}

/* ---- Words ------------------------------------------------------------------------- */

static bool exchange_in_bucket(uint64_t *bucket, uint64_t old, uint64_t new)
{
    for (int i = 0; i < BUCKET_WORDS; i++) {
        uint64_t expected = old;

        if (__atomic_load_n(&bucket[i], __ATOMIC_RELAXED) == old &&
            __atomic_compare_exchange_n(&bucket[i], &expected, new, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* Exchanges one word of the last levels before `n` for another where it may be, in the
 * order in which find_word looks for it; false if it is not there. */
static bool exchange_word(const struct block_index *index, uint32_t n, uint32_t n_levels,
                          struct hashes hashes, uint64_t old, uint64_t new)
{
    for (int which = 0; which < N_BUCKETS; which++) {
        for (uint32_t level = n; level-- > 0 && n - level <= n_levels;) {
            uint64_t *words = load_level(index, level);

            if (exchange_in_bucket(bucket_of(words, level, hashes, which), old, new))
                return true;
        }
    }
    return false;
}

bool block_index_add(struct block_index *index, uint64_t address, uint32_t number)
{
    struct hashes hashes = hash_address(address);
    uint32_t n;

    do {
        n = __atomic_load_n(&index->n_levels, __ATOMIC_ACQUIRE);
        if (exchange_word(index, n, LEVELS_TRIED, hashes, 0, make_word(hashes, number)))
            return true;
    } while (add_level(index, n));
    return false;
}

/* Where a block's word is, which is stored in `*word`; or NULL. */
static uint64_t *find_in_bucket(uint64_t *bucket, struct hashes hashes,
                                const struct heap_slot_v1 *slots, uint64_t key,
                                uint64_t *word)
{
    for (int i = 0; i < BUCKET_WORDS; i++) {
        *word = __atomic_load_n(&bucket[i], __ATOMIC_ACQUIRE);
        if (*word >> 32 == hashes.own >> 32 && *word != 0 &&
            (__atomic_load_n(&slots[(uint32_t)*word - 1].key, __ATOMIC_RELAXED) &
             ~HEAP_KEY_USE) == key)
            return &bucket[i];
    }
    return NULL;
}

/* Most words are in the first one of their buckets: those of all levels come before the
 * others. */
static uint64_t *find_word(const struct block_index *index, uint64_t address,
                           const struct heap_slot_v1 *slots, uint64_t key, uint64_t *word)
{
    struct hashes hashes = hash_address(address);
    uint32_t n = __atomic_load_n(&index->n_levels, __ATOMIC_ACQUIRE);

    for (int which = 0; which < N_BUCKETS; which++) {
        for (uint32_t level = n; level-- > 0;) {
            uint64_t *bucket = bucket_of(load_level(index, level), level, hashes, which);
            uint64_t *found = find_in_bucket(bucket, hashes, slots, key, word);

            if (found != NULL)
                return found;
        }
    }
    return NULL;
}

uint32_t block_index_find(const struct block_index *index, uint64_t address,
                          const struct heap_slot_v1 *slots, uint64_t key)
{
    uint64_t word;

    return find_word(index, address, slots, key, &word) != NULL ? (uint32_t)word - 1
                                                                : BLOCK_INDEX_NONE;
}

uint32_t block_index_take(struct block_index *index, uint64_t address,
                          const struct heap_slot_v1 *slots, uint64_t key)
{
    uint64_t word;
    uint64_t *at = find_word(index, address, slots, key, &word);

    if (at != NULL && __atomic_compare_exchange_n(at, &word, 0, false, __ATOMIC_ACQ_REL,
                                                  __ATOMIC_RELAXED))
        return (uint32_t)word - 1;
    return BLOCK_INDEX_NONE;
}

bool block_index_remove(struct block_index *index, uint64_t address, uint32_t number)
{
    struct hashes hashes = hash_address(address);
    uint32_t n = __atomic_load_n(&index->n_levels, __ATOMIC_ACQUIRE);

    return exchange_word(index, n, n, hashes, make_word(hashes, number), 0);
}

/* ---- The whole --------------------------------------------------------------------- */

uint64_t block_index_size(const struct block_index *index)
{
    uint64_t n_words = 0;

    for (uint32_t i = 0; i < index->n_levels; i++)
        n_words += level_words(i);
    return n_words * sizeof(uint64_t);
}

static void unmap_level(void **memory, uint32_t level)
{
    if (*memory != NULL)
        munmap(*memory, level_words(level) * sizeof(uint64_t));
    *memory = NULL;
}

void block_index_free(struct block_index *index)
{
    for (uint32_t i = 0; i < BLOCK_INDEX_LEVELS; i++) {
        void *memory = index->levels[i];

        unmap_level(&memory, i);
        index->levels[i] = NULL;
        known[i] = NULL;
    }
    index->n_levels = 0;
}

void block_index_unmap_parents(void)
{
    for (uint32_t i = 0; i < BLOCK_INDEX_LEVELS; i++)
        unmap_level(&known[i], i);
}
