/* SPDX-License-Identifier: BSD-2-Clause */
/* See sampler_pcs.h. */
#include "sampler_pcs.h"

enum { INSTRUCTION = 4, LINK_REGISTER = 1, RETURN_ADDRESS = 2 };

struct fxt_words sampler_pcs_restore(struct sampler_pcs *room, struct fxt_words pcs,
                                     uint64_t *n_twice)
{
    size_t n = 0;

    if (pcs.count <= LINK_REGISTER)
        return pcs;
    room->pcs =
        memory_make_room(room->pcs, 0, pcs.count, &room->capacity, sizeof(*room->pcs));
    for (uint64_t i = 0; i < pcs.count; i++) {
        uint64_t pc = fxt_words_get(pcs, i);

        if (i == LINK_REGISTER)
            pc += INSTRUCTION;
        if (i != RETURN_ADDRESS || pc != room->pcs[LINK_REGISTER])
            room->pcs[n++] = pc;
    }
    *n_twice += pcs.count - n;
    return (struct fxt_words){room->pcs, n, false};
}

bool sampler_pcs_look_restorable(const struct profile_builder *b)
{
    enum { ONE_IN = 8, MANY = 16, ENOUGH = 1 << 14 };
    const struct profile *p = &b->profile;
    /* Of very many stacks, a sample is enough: one of every `step`, chosen by a hash,
     * since stacks may alternate. */
    size_t step = p->n_stacks / ENOUGH + 1;
    size_t n = 0;
    size_t n_twice = 0;

    for (size_t i = 0; i < p->n_stacks && profile_is_of_samples(p); i += step) {
        size_t left = p->n_stacks - i < step ? p->n_stacks - i : step;
        const struct profile_stack *stack = &p->stacks[i + hash_word(1, i) % left];

        if (stack->n <= RETURN_ADDRESS)
            continue;
        n++;
        n_twice += profile_builder_pc(b, stack, RETURN_ADDRESS) ==
                   profile_builder_pc(b, stack, LINK_REGISTER) + INSTRUCTION;
    }
    return n_twice >= MANY && n_twice > n / ONE_IN;
}
