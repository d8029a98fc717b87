/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that look like one before: of the same kind, with the same indices for all their
 * texts. What was found of those texts and their kinds then, which is nothing, holds for
 * them, too, as long as no index changes.
 */
#ifndef FXTLINT_EVENT_CACHE_H
#define FXTLINT_EVENT_CACHE_H

#include <fxt/record.h>

enum { EVENT_CACHE_SLOTS = 4096 };

/* All zero is an empty one. A look is in one of two slots, the newer one first. */
struct event_cache {
    uint64_t looks[EVENT_CACHE_SLOTS];
    bool is_used;
};

/* A number for how an event looks, which no other look has; 0 for records that are no
 * events, and those with texts that are not in the table. */
uint64_t event_look(const struct fxt_record *record);

bool event_cache_has(const struct event_cache *cache, uint64_t look);
void event_cache_add(struct event_cache *cache, uint64_t look);

/* Takes each record: registrations make the cache empty. */
void event_cache_take(struct event_cache *cache, const struct fxt_record *record);

#endif
