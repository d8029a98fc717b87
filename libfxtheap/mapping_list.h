/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mappings of a process in the order of addresses, and their slots in its table. For
 * one thread at a time. Each is a block of the table, except while it is hidden.
 */
#ifndef LIBFXTHEAP_MAPPING_LIST_H
#define LIBFXTHEAP_MAPPING_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "slots.h"

/* As many as a process may have by default, if no two of them are merged. */
enum { MAPPING_LIST_MAX = 1 << 16 };

struct mapping_range {
    uint64_t start;
    uint64_t end;
};

/* All zero is an empty one. */
struct mapping_list {
    uint32_t lock;
    uint32_t n;
    struct block all[MAPPING_LIST_MAX];
};

/* Takes all mappings that overlap a range out of the table, and widens the range to have
 * them whole. */
void mapping_list_hide(struct mapping_list *list, struct table *table,
                       struct mapping_range *range);

/* Puts the mappings that overlap a range into the table again, as they are now. */
void mapping_list_show(struct mapping_list *list, struct table *table,
                       struct mapping_range range);

/* Removes what mappings, which must be hidden, have of a range. */
void mapping_list_cut(struct mapping_list *list, struct table *table,
                      struct mapping_range range);

/* Adds one, hidden, where there is none. */
void mapping_list_add(struct mapping_list *list, struct table *table,
                      const struct block *mapping);

/* The first mapping that overlaps a range; NULL if none does. */
const struct block *mapping_list_find(const struct mapping_list *list,
                                      struct mapping_range range);

#endif
