/* SPDX-License-Identifier: BSD-2-Clause */
/* See kept.h. */
#include "kept.h"

#include <stdlib.h>
#include <string.h>

static uint64_t size_of(const struct kept_part *kept)
{
    return sizeof(*kept) + kept->part.n_words * FXT_WORD_BYTES;
}

static void remove_first(struct kept *kept)
{
    struct kept_part *first = kept->first;

    kept->first = first->next;
    if (kept->first == NULL)
        kept->last = NULL;
    kept->n_bytes -= size_of(first);
    free(first);
}

bool kept_add(struct kept *kept, uint32_t cpu, const struct region_part *part)
{
    size_t size = (size_t)part->n_words * FXT_WORD_BYTES;
    struct kept_part *added = malloc(sizeof(*added) + size);

    if (added == NULL)
        return false;
    *added = (struct kept_part){.taken_ns = regions_now(), .cpu = cpu, .part = *part};
    if (size > 0)
        memcpy(added->words, part->words, size);
    added->part.words = added->words;
    if (kept->last != NULL)
        kept->last->next = added;
    else
        kept->first = added;
    kept->last = added;
    kept->n_bytes += size_of(added);
    return true;
}

void kept_trim(struct kept *kept, uint64_t max_bytes)
{
    uint64_t now = regions_now();

    while (kept->first != NULL &&
           (now - kept->first->taken_ns > kept->keep_ns || kept->n_bytes > max_bytes))
        remove_first(kept);
}

void kept_free(struct kept *kept)
{
    while (kept->first != NULL)
        remove_first(kept);
}
