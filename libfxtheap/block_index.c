/* SPDX-License-Identifier: BSD-2-Clause */
/* See block_index.h. */
#include "block_index.h"

#include <stddef.h>
#include <sys/mman.h>

#include <fxt/compiler.h>

/* The first level has so many words, as a power of two; a bucket 8, which are 64 bytes.
 */
enum { FIRST_BITS = 13, BUCKET_WORDS = 8, N_BUCKETS = 2 };

/* So many levels are tried before there is one more. */
enum { LEVELS_TRIED = 3 };

/* These fit into the processor's caches. */
enum { CACHED_LEVELS = 4 };

/* The levels of this process, by which its children find them: their own memory has
 * forgotten the rest. */
static void *known[BLOCK_INDEX_LEVELS];

/* ---- Where ------------------------------------------------------------------------- */

static uint64_t level_words(uint32_t level)
{
    return UINT64_C(1) << (FIRST_BITS + (level > 0 ? level - 1 : 0));
}

static uint64_t hash_address(uint64_t address)
{
    uint64_t hash = address / HEAP_ADDRESS_UNIT * 0x9e3779b97f4a7c15;

    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93;
    return hash ^ hash >> 32;
}

static uint64_t *bucket_of(uint64_t *words, uint32_t level, uint64_t hash, int which)
{
    uint64_t mask = level_words(level) / BUCKET_WORDS - 1;
    uint64_t place = which == 0 ? hash : (hash >> 32) * 0x9e3779b97f4a7c15 >> 32;

    return &words[(place & mask) * BUCKET_WORDS];
}

static uint64_t make_word(uint64_t hash, uint32_t number)
{
    return hash >> 32 << 32 | (number + 1);
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

/* Exchanges one word of a level for another where it may be; false if it is not there. */
static bool exchange_word(const struct block_index *index, uint32_t level, uint64_t hash,
                          uint64_t old, uint64_t new)
{
    uint64_t *words = load_level(index, level);

    for (int which = 0; which < N_BUCKETS; which++) {
        uint64_t *bucket = bucket_of(words, level, hash, which);

        for (int i = 0; i < BUCKET_WORDS; i++) {
            uint64_t expected = old;

            if (__atomic_load_n(&bucket[i], __ATOMIC_RELAXED) == old &&
                __atomic_compare_exchange_n(&bucket[i], &expected, new, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                return true;
        }
    }
    return false;
}

bool block_index_add(struct block_index *index, uint64_t address, uint32_t number)
{
    uint64_t hash = hash_address(address);
    uint64_t word = make_word(hash, number);

    for (;;) {
        uint32_t n = __atomic_load_n(&index->n_levels, __ATOMIC_ACQUIRE);

        for (uint32_t level = n; level-- > 0 && n - level <= LEVELS_TRIED;) {
            if (exchange_word(index, level, hash, 0, word))
                return true;
        }
        if (!add_level(index, n))
            return false;
    }
}

/* What is in no cache is waited for once, and not for each level. */
static void prefetch_buckets(const struct block_index *index, uint32_t n, uint64_t hash)
{
    for (uint32_t level = n; level-- > CACHED_LEVELS && n - level <= LEVELS_TRIED;)
        FXT_PREFETCH(bucket_of(load_level(index, level), level, hash, 0));
}

/* Where a block's word is, which is stored in `*word`; or NULL. */
static uint64_t *find_in_bucket(uint64_t *bucket, uint64_t hash,
                                const struct heap_slot_v1 *slots, uint64_t key,
                                uint64_t *word)
{
    for (int i = 0; i < BUCKET_WORDS; i++) {
        *word = __atomic_load_n(&bucket[i], __ATOMIC_ACQUIRE);
        if (*word >> 32 == hash >> 32 && *word != 0 &&
            (__atomic_load_n(&slots[(uint32_t)*word - 1].key, __ATOMIC_RELAXED) &
             ~HEAP_KEY_USE) == key)
            return &bucket[i];
    }
    return NULL;
}

/* Most words are in the first one of their buckets: those of all levels come before the
 * second ones. */
static uint64_t *find_word(const struct block_index *index, uint64_t address,
                           const struct heap_slot_v1 *slots, uint64_t key, uint64_t *word)
{
    uint64_t hash = hash_address(address);
    uint32_t n = __atomic_load_n(&index->n_levels, __ATOMIC_ACQUIRE);

    prefetch_buckets(index, n, hash);
    for (int which = 0; which < N_BUCKETS; which++) {
        for (uint32_t level = n; level-- > 0;) {
            uint64_t *bucket = bucket_of(load_level(index, level), level, hash, which);
            uint64_t *found = find_in_bucket(bucket, hash, slots, key, word);

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
    uint64_t hash = hash_address(address);
    uint32_t level = __atomic_load_n(&index->n_levels, __ATOMIC_ACQUIRE);

    while (level-- > 0) {
        if (exchange_word(index, level, hash, make_word(hash, number), 0))
            return true;
    }
    return false;
}

void block_index_prefetch(const struct block_index *index, uint64_t address)
{
    uint32_t n = __atomic_load_n(&index->n_levels, __ATOMIC_ACQUIRE);

    if (n > 0)
        FXT_PREFETCH(
            bucket_of(load_level(index, n - 1), n - 1, hash_address(address), 0));
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
