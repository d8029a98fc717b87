/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_tree.h. */
#include "debug_tree.h"

#include <dwarf.h>

#include "common/base/memory.h"

/* Reads the header up to its abbreviations; the rest of it depends on the unit's type. */
static void read_header(struct debug_tree *t, const struct debug_sections *sections)
{
    struct debug_format format = {.offset_size = debug_length(sections, &t->in)};
    uint64_t abbreviations;

    format.version = debug_number(sections, &t->in, 2);
    if (format.version >= 5) {
        cursor_skip(&t->in, 1);
        format.address_size = cursor_byte(&t->in);
        abbreviations = debug_number(sections, &t->in, format.offset_size);
    } else {
        abbreviations = debug_number(sections, &t->in, format.offset_size);
        format.address_size = cursor_byte(&t->in);
    }
    debug_abbreviations_read(&t->abbreviations, sections, format, abbreviations);
}

/* Reads the DIE at the cursor. Returns its abbreviation; NULL for an entry that ends
 * siblings, and for damage. */
static const struct debug_abbreviation *read_die(struct debug_tree *t)
{
    uint64_t code = cursor_uleb(&t->in);
    const struct debug_abbreviation *found;

    if (code == 0)
        return NULL;
    found = debug_abbreviations_find(&t->abbreviations, code);
    if (found != NULL)
        debug_abbreviations_skip(&t->abbreviations, found, &t->in);
    t->in.failed |= found == NULL;
    return t->in.failed ? NULL : found;
}

static void enter_die(struct debug_tree *t, uint64_t at,
                      const struct debug_abbreviation *abbreviation)
{
    t->nodes[t->depth] = (struct debug_node){at, abbreviation->tag};
    t->has_children = abbreviation->has_children;
    t->has_code = abbreviation->has_code;
    t->skips_children = false;
}

struct debug_tree *debug_tree_start(struct debug_place unit)
{
    const struct unwind_bytes *section =
        unit.is_in_types ? &unit.sections->types : &unit.sections->info;
    struct debug_tree *t = memory_allocate(sizeof(*t));
    const struct debug_abbreviation *abbreviation;

    t->in = cursor_at(section, unit.header, section->size);
    read_header(t, unit.sections);
    if (unit.die < t->in.at || unit.die > t->in.end)
        t->in.failed = true;
    if (t->in.failed)
        return t;
    t->in.at = unit.die;
    abbreviation = read_die(t);
    if (abbreviation != NULL)
        enter_die(t, unit.die, abbreviation);
    return t;
}

/* DIEs that are too deep are gone past. */
bool debug_tree_next(struct debug_tree *t)
{
    size_t deepest = t->skips_children ? t->depth : DEBUG_DEPTH_MAX - 1;
    size_t depth = t->depth + t->has_children;

    while (depth > 0 && !t->in.failed) {
        uint64_t at = t->in.at;
        const struct debug_abbreviation *abbreviation = read_die(t);

        if (abbreviation == NULL) {
            depth--;
        } else if (depth <= deepest) {
            t->depth = depth;
            enter_die(t, at, abbreviation);
            return true;
        } else {
            depth += abbreviation->has_children;
        }
    }
    return false;
}

void debug_tree_free(struct debug_tree *t)
{
    debug_abbreviations_free(&t->abbreviations);
    memory_release(t);
}
