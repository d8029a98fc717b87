/* SPDX-License-Identifier: BSD-2-Clause */
/* See memo.h. */
#include "memo.h"

#include <stdbool.h>

#include <fxt/compiler.h>

#include "common/unwind/in_process/own_stack.h"

static uint64_t load_word(uint64_t address)
{
    uintptr_t number = (uintptr_t)address;
    const void *at;
    uint64_t word;

    FXT_COPY(&at, &number, sizeof(at));
    FXT_COPY(&word, at, sizeof(word));
    return word;
}

static uint64_t index_of(struct walk_start from)
{
    uint64_t hash = load_word(from.record + WALK_RETURN) * 0xd6e8feb86659fd93;

    return (hash ^ from.top) * 0x9e3779b97f4a7c15 >> (64 - MEMO_BITS);
}

/* What is read while another thread writes it may be anything: only words of this
 * thread's stack, `size` bytes of it, are read. */
static bool is_same(const struct memo_entry *entry, uint64_t record, uint64_t size)
{
    uint32_t n = __atomic_load_n(&entry->n, __ATOMIC_RELAXED);
    uint64_t differences = 0;

    for (uint32_t i = 0; i < n && i < MEMO_WORDS; i++) {
        uint64_t value = __atomic_load_n(&entry->values[i], __ATOMIC_RELAXED);
        uint64_t at = __atomic_load_n(&entry->offsets[i], __ATOMIC_RELAXED);

        if (at + sizeof(value) > size)
            return false;
        differences |= value ^ load_word(record + at);
    }
    return differences == 0;
}

uint32_t memo_find(const struct memo *memo, struct walk_start from)
{
    const struct memo_entry *entry = &memo->entries[index_of(from)];
    uint32_t sequence = __atomic_load_n(&entry->sequence, __ATOMIC_ACQUIRE);
    uint32_t stack = __atomic_load_n(&entry->stack, __ATOMIC_RELAXED);

    if (__atomic_load_n(&entry->top, __ATOMIC_RELAXED) != from.top ||
        __atomic_load_n(&entry->record, __ATOMIC_RELAXED) != from.record ||
        !is_same(entry, from.record, own_stack_size(from.record)))
        return 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (sequence % 2 != 0 ||
        __atomic_load_n(&entry->sequence, __ATOMIC_RELAXED) != sequence)
        return 0;
    return stack;
}

static void set_word(struct memo_entry *entry, uint32_t i, uint64_t record,
                     uint64_t address)
{
    __atomic_store_n(&entry->offsets[i], (uint32_t)(address - record), __ATOMIC_RELAXED);
    __atomic_store_n(&entry->values[i], load_word(address), __ATOMIC_RELAXED);
}

static bool is_refused(struct memo_entry *entry)
{
    uint32_t n = __atomic_load_n(&entry->n_refused, __ATOMIC_RELAXED);

    __atomic_store_n(&entry->n_refused, n + 1, __ATOMIC_RELAXED);
    return n % MEMO_TURNS != 0;
}

/* Another thread, or the one that a signal handler interrupted, may be writing it. */
void memo_add(struct memo *memo, struct walk_start from, const struct unwind_words *words,
              uint32_t stack)
{
    struct memo_entry *entry = &memo->entries[index_of(from)];
    uint32_t sequence = __atomic_load_n(&entry->sequence, __ATOMIC_RELAXED);

    if (words->n == 0 || words->n >= MEMO_WORDS ||
        words->addresses[words->n - 1] - from.record > UINT32_MAX || is_refused(entry) ||
        sequence % 2 != 0 ||
        !__atomic_compare_exchange_n(&entry->sequence, &sequence, sequence + 1, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&entry->stack, stack, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->top, from.top, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->record, from.record, __ATOMIC_RELAXED);
    set_word(entry, 0, from.record, from.record + WALK_RETURN);
    for (uint32_t i = 0; i < words->n; i++)
        set_word(entry, i + 1, from.record, words->addresses[i]);
    __atomic_store_n(&entry->n, words->n + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->sequence, sequence + 2, __ATOMIC_RELEASE);
}
