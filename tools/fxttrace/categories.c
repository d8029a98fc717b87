/* SPDX-License-Identifier: BSD-2-Clause */
/* See traced.h: categories. */
#include "traced.h"

#include <stddef.h>
#include <string.h>

#include <fxt/trace/patterns.h>

#include "common/base/memory.h"
#include "common/base/quote.h"

struct program_names {
    const struct target *target;
    /* Where they are in the program. */
    uint64_t address;
    /* A copy. */
    struct fxt_trace_names_ *names;
};

static bool read_names(struct program_names *p)
{
    bool good = target_read(p->target, p->address, p->names, sizeof(*p->names));

    p->names->text[sizeof(p->names->text) - 1] = '\0';
    return good;
}

static struct program_names find_names(const struct target *target,
                                       const struct traced *traced)
{
    return (struct program_names){target,
                                  traced_address(traced->control.state) +
                                      offsetof(struct fxt_trace_state_, names),
                                  memory_allocate(sizeof(struct fxt_trace_names_))};
}

/* The category of an index; NULL if it is none. Its text is among all texts. */
static const char *category_at(const struct program_names *p, uint32_t index)
{
    uint64_t text = p->address + offsetof(struct fxt_trace_names_, text);
    uint64_t string = traced_address(p->names->strings[index]);

    if (p->names->is_category[index] == 0 || string < text ||
        string - text >= sizeof(p->names->text))
        return index == 0 ? "" : NULL;
    return p->names->text + (string - text);
}

static bool write_byte(const struct program_names *p, uint32_t index, bool is_on)
{
    uint8_t byte = is_on;

    return p->names->is_on[index] == byte ||
           target_write(p->target,
                        p->address + offsetof(struct fxt_trace_names_, is_on) + index,
                        &byte, sizeof(byte));
}

/* As fxt_trace_change_patterns_: a category that is added at the same time is judged by
 * the patterns, once their number has changed. */
static bool write_patterns(const struct program_names *p, const char *patterns)
{
    char slot[FXT_TRACE_PATTERNS_BYTES_] = "";
    uint32_t change = p->names->n_changes + 1;
    uint64_t at = p->address + offsetof(struct fxt_trace_names_, patterns) +
                  (uint64_t)(change % FXT_TRACE_PATTERNS_) * sizeof(slot);

    memcpy(slot, patterns, strnlen(patterns, sizeof(slot) - 1));
    return target_write(p->target, at, slot, sizeof(slot)) &&
           target_write(p->target,
                        p->address + offsetof(struct fxt_trace_names_, n_changes),
                        &change, sizeof(change));
}

bool categories_switch(const struct target *target, const struct traced *traced,
                       const char *patterns)
{
    struct program_names p = find_names(target, traced);
    /* Read once more, for what has come to be since. */
    bool good = read_names(&p) && write_patterns(&p, patterns) && read_names(&p);

    for (uint32_t i = 0; good && i < FXT_TRACE_STRINGS_; i++) {
        const char *category = category_at(&p, i);

        if (category != NULL)
            good = write_byte(&p, i, fxt_trace_wants_(patterns, category));
    }
    return good;
}

bool categories_list(const struct target *target, const struct traced *traced,
                     struct text *to)
{
    struct program_names p = find_names(target, traced);
    bool good = read_names(&p);
    size_t before = to->size;

    for (uint32_t i = 1; good && i < FXT_TRACE_STRINGS_; i++) {
        const char *category = category_at(&p, i);

        if (category == NULL)
            continue;
        text_str(to, to->size > before ? ", " : "");
        quote_text(to, category, strnlen(category, FXT_TRACE_STRING_MAX));
        text_str(to, p.names->is_on[i] != 0 ? "" : " (off)");
    }
    memory_release(p.names);
    return good;
}
