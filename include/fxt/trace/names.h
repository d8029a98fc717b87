/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: the strings of sites and their numbers, and
 * which categories are traced. Not for direct use.
 *
 * Nothing here waits or allocates, and all of it may be interrupted by a signal handler
 * that calls it.
 */
#ifndef FXT_TRACE_NAMES_H
#define FXT_TRACE_NAMES_H

#include <string.h>

#include <fxt/trace/layout.h>
#include <fxt/trace/patterns.h>

FXT_BEGIN_DECLS

/* ---- Strings ----------------------------------------------------------------------- */

static uint32_t fxt_trace_hash_(const char *string, size_t size)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)string[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* NULL if there is no room. */
static const char *fxt_trace_copy_text_(struct fxt_trace_names_ *names,
                                        const char *string, uint32_t size)
{
    uint32_t at = __atomic_fetch_add(&names->text_used, size + 1, __ATOMIC_RELAXED);

    if (at > FXT_TRACE_TEXT_BYTES_ || size + 1 > FXT_TRACE_TEXT_BYTES_ - at) {
        __atomic_fetch_sub(&names->text_used, size + 1, __ATOMIC_RELAXED);
        return 0;
    }
    memcpy(names->text + at, string, size);
    names->text[at + size] = 0;
    return names->text + at;
}

static bool fxt_trace_is_string_(const char *known, const char *string, uint32_t size)
{
    return strncmp(known, string, size) == 0 && known[size] == 0;
}

/* The string's index, 0 for "", or FXT_STRING_INDEX_MAX if there is no room; that one is
 * never used. */
static uint16_t fxt_trace_intern_(struct fxt_trace_names_ *names, const char *string)
{
    uint32_t size = (uint32_t)strnlen(string, FXT_TRACE_STRING_MAX);
    uint32_t index = fxt_trace_hash_(string, size);
    const char *copy = 0;

    for (uint32_t i = 0; size > 0 && i < 64; i++, index++) {
        const char **slot = &names->strings[index %= FXT_TRACE_STRINGS_];
        const char *known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

        if (index == 0 || index == FXT_STRING_INDEX_MAX)
            continue;
        if (!known && !copy)
            copy = fxt_trace_copy_text_(names, string, size);
        if (!known &&
            (!copy || __atomic_compare_exchange_n(slot, &known, copy, false,
                                                  __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)))
            return (uint16_t)(copy ? index : FXT_STRING_INDEX_MAX);
        if (fxt_trace_is_string_(known, string, size))
            return (uint16_t)index;
    }
    return (uint16_t)(size > 0 ? FXT_STRING_INDEX_MAX : 0);
}

static const char *fxt_trace_known_string_(const struct fxt_trace_names_ *names,
                                           uint32_t index)
{
    return __atomic_load_n(&names->strings[index], __ATOMIC_ACQUIRE);
}

/* ---- Categories -------------------------------------------------------------------- */

/* Copies patterns from or to where another thread may be changing them. */
static void fxt_trace_copy_patterns_(char *to, const char *from)
{
    uint32_t i = 0;
    char byte;

    do {
        byte = i < FXT_TRACE_PATTERNS_BYTES_ - 1 ? FXT_LOAD_RELAXED(&from[i]) : '\0';
        FXT_STORE_RELAXED(&to[i++], byte);
    } while (byte != 0);
}

static uint32_t fxt_trace_read_patterns_(const struct fxt_trace_names_ *names, char *to)
{
    uint32_t change = __atomic_load_n(&names->n_changes, __ATOMIC_ACQUIRE);

    fxt_trace_copy_patterns_(to, names->patterns[change % FXT_TRACE_PATTERNS_]);
    return change;
}

/* By the patterns that there are, whatever they were when this was called. */
static void fxt_trace_judge_(struct fxt_trace_names_ *names, uint32_t index,
                             const char *category)
{
    char patterns[FXT_TRACE_PATTERNS_BYTES_];
    uint32_t change;
    uint32_t now;

    do {
        change = fxt_trace_read_patterns_(names, patterns);
        __atomic_store_n(&names->is_on[index],
                         (uint8_t)fxt_trace_wants_(patterns, category), __ATOMIC_SEQ_CST);
        now = __atomic_load_n(&names->n_changes, __ATOMIC_SEQ_CST);
    } while (now != change);
}

/* The last change that is being made. */
static uint32_t fxt_trace_n_changing_;

/* Each caller writes to another place, also one that interrupts another. fxttrace makes
 * changes, too. */
static uint32_t fxt_trace_reserve_change_(const struct fxt_trace_names_ *names)
{
    uint32_t last = FXT_LOAD_RELAXED(&fxt_trace_n_changing_);
    uint32_t change;

    do {
        uint32_t made = FXT_LOAD_RELAXED(&names->n_changes);

        change = (made > last ? made : last) + 1;
    } while (!__atomic_compare_exchange_n(&fxt_trace_n_changing_, &last, change, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return change;
}

static void fxt_trace_change_patterns_(struct fxt_trace_names_ *names,
                                       const char *patterns)
{
    uint32_t change = fxt_trace_reserve_change_(names);

    fxt_trace_copy_patterns_(names->patterns[change % FXT_TRACE_PATTERNS_], patterns);
    __atomic_store_n(&names->n_changes, change, __ATOMIC_SEQ_CST);
    fxt_trace_judge_(names, 0, "");
    for (uint32_t i = 1; i < FXT_TRACE_STRINGS_; i++) {
        if (FXT_LOAD_RELAXED(&names->is_category[i]))
            fxt_trace_judge_(names, i, fxt_trace_known_string_(names, i));
    }
}

/* ---- Sites ------------------------------------------------------------------------- */

static uint32_t fxt_trace_number_site_(struct fxt_trace_names_ *names)
{
    uint32_t number = FXT_LOAD_RELAXED(&names->n_sites);

    while (number + 1 < FXT_TRACE_SITES_) {
        if (__atomic_compare_exchange_n(&names->n_sites, &number, number + 1, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return number + 1;
    }
    return 0;
}

/* Gives the site its references, its number (none if there are too many strings or sites:
 * then its events are dropped), and its category's switch. */
static bool fxt_trace_add_site_(struct fxt_trace_names_ *names,
                                struct fxt_trace_site_ *site)
{
    bool is_complete = true;
    uint16_t category;
    uint32_t none = 0;

    for (uint32_t i = 0; i < site->n_texts; i++) {
        uint16_t ref = fxt_trace_intern_(names, site->texts[i]);

        is_complete &= ref != FXT_STRING_INDEX_MAX;
        FXT_STORE_RELAXED(&site->refs[i], ref);
    }
    if (is_complete && FXT_LOAD_RELAXED(&site->number) == 0) {
        uint32_t number = fxt_trace_number_site_(names);

        __atomic_compare_exchange_n(&site->number, &none, number, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
    category = FXT_LOAD_RELAXED(&site->refs[0]);
    if (category != FXT_STRING_INDEX_MAX) {
        FXT_STORE_RELAXED(&names->is_category[category], (uint8_t)1);
        fxt_trace_judge_(names, category, site->texts[0]);
    } else {
        FXT_STORE_RELAXED(&names->is_on[category], (uint8_t)1);
    }
    FXT_STORE_RELEASE(&site->is_on, &names->is_on[category]);
    return FXT_LOAD_RELAXED(&names->is_on[category]) != 0;
}

FXT_END_DECLS

#endif
