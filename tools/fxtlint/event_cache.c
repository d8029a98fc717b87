/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_cache.h. */
#include "event_cache.h"

#include <fxt/format.h>

#include "common/base/table.h"

static bool is_in_table(struct fxt_string string)
{
    return string.ref < FXT_STRING_REF_INLINE && string.data != NULL;
}

uint64_t event_look(const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;
    uint64_t look;

    if (record->type != FXT_RECORD_EVENT || !is_in_table(e->category) ||
        !is_in_table(e->name))
        return 0;
    look = hash_word(hash_start(), (uint64_t)record->provider->id << 32 |
                                       (uint32_t)e->category.ref << 16 | e->name.ref);
    look = hash_word(look, (uint64_t)record->kind << 32 | record->n_args);
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];
        uint64_t value = 0;

        if (!is_in_table(arg->name))
            return 0;
        if (arg->type == FXT_ARG_STRING) {
            if (!is_in_table(arg->value.string))
                return 0;
            value = arg->value.string.ref;
        }
        look = hash_word(look, value << 32 | arg->type << 16 | arg->name.ref);
    }
    return look;
}

bool event_cache_has(const struct event_cache *cache, uint64_t look)
{
    const uint64_t *looks = &cache->looks[look % EVENT_CACHE_SLOTS & ~UINT64_C(1)];

    return look != 0 && (looks[0] == look || looks[1] == look);
}

void event_cache_add(struct event_cache *cache, uint64_t look)
{
    uint64_t *looks = &cache->looks[look % EVENT_CACHE_SLOTS & ~UINT64_C(1)];

    if (look == 0)
        return;
    looks[1] = looks[0];
    looks[0] = look;
    cache->is_used = true;
}

void event_cache_take(struct event_cache *cache, const struct fxt_record *record)
{
    if (cache->is_used &&
        (record->type == FXT_RECORD_STRING || record->type == FXT_RECORD_METADATA))
        *cache = (struct event_cache){.is_used = false};
}
