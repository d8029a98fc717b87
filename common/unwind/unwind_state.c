/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_state.h. */
#include "unwind_state.h"

/* How far past the end of a copy a stack can reach, at most. */
#define STACK_REACH ((uint64_t)1 << 26)

bool state_find_chunk(struct unwind_state *s, uint64_t address)
{
    for (uint32_t i = 0; i < s->start->n_chunks; i++) {
        const struct unwind_chunk *chunk = &s->start->chunks[i];

        if (chunk->size < UNWIND_WORD ||
            address - chunk->address > chunk->size - UNWIND_WORD)
            continue;
        s->low = chunk->address;
        s->span = chunk->size - UNWIND_WORD + 1;
        s->bytes = (const unsigned char *)chunk->bytes;
        return true;
    }
    return false;
}

/* A longer copy would have it. */
static bool is_past_cut(const struct unwind_state *s, uint64_t address)
{
    for (uint32_t i = 0; i < s->start->n_chunks; i++) {
        const struct unwind_chunk *chunk = &s->start->chunks[i];
        uint64_t distance = address - chunk->address;

        if (chunk->is_cut && address >= chunk->address &&
            distance > chunk->size - UNWIND_WORD && distance < chunk->size + STACK_REACH)
            return true;
    }
    return false;
}

/* Where the word is in no chunk. */
static bool load_elsewhere(struct unwind_state *s, uint64_t address, uint64_t *word)
{
    const struct unwind_start *start = s->start;
    enum unwind_end end =
        s->is_elsewhere ? UNWIND_END_STACK_SWITCH : UNWIND_END_UNREADABLE;

    if (start->read_word && start->read_word(start->context, address, word))
        return true;
    return state_end(s, is_past_cut(s, address) ? UNWIND_END_COPY_TOO_SHORT : end,
                     address);
}

FXT_NO_SANITIZE bool state_load(struct unwind_state *s, uint64_t address, uint64_t *word)
{
    if (FXT_UNLIKELY(address - s->low >= s->span) && !state_find_chunk(s, address))
        return load_elsewhere(s, address, word);
    *word = unwind_word(s->bytes + (address - s->low));
    return true;
}

bool state_register(const struct unwind_state *s, uint64_t number, uint64_t *value)
{
    if (number == s->columns.sp)
        *value = s->sp;
    else if (number == s->columns.fp)
        *value = s->fp;
    else if (number == s->columns.saved && s->has_saved)
        *value = s->saved;
    else if (number == 16 && s->space->machine == UNWIND_X86_64)
        *value = s->pc;
    else if (s->is_exact && s->registers && number < 32 &&
             (s->registers->known >> number & 1) != 0)
        *value = s->registers->r[number];
    else
        return false;
    return true;
}
