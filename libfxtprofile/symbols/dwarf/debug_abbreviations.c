/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_abbreviations.h. */
#include "debug_abbreviations.h"

#include <dwarf.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"

/* A step is one of these forms, or a number of bytes and this bit. */
enum { IS_SIZE = 0x8000, SIZE_MAX_OF_STEP = 0x7fff };

/* ---- Forms ------------------------------------------------------------------------- */

enum { VARIABLE = -1, UNKNOWN = -2 };

/* The size of an attribute of a form, if it is always the same. */
static int size_of(const struct debug_format *format, uint64_t form)
{
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
        return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return 8;
    case DW_FORM_data16:
        return 16;
    case DW_FORM_addr:
        return (int)format->address_size;
    case DW_FORM_ref_addr:
        return (int)(format->version == 2 ? format->address_size : format->offset_size);
    case DW_FORM_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return (int)format->offset_size;
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
    case DW_FORM_string:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_block:
    case DW_FORM_exprloc:
    case DW_FORM_indirect:
        return VARIABLE;
    default:
        return UNKNOWN;
    }
}

/* An attribute whose size is in the DIE; an indirect one has its form there. */
static void skip_form(const struct debug_abbreviations *a, struct unwind_cursor *in,
                      uint64_t form)
{
    int size;

    while (form == DW_FORM_indirect && !in->failed)
        form = cursor_uleb(in);
    size = size_of(&a->format, form);
    if (size >= 0) {
        cursor_skip(in, (uint64_t)size);
        return;
    }
    switch (form) {
    case DW_FORM_string:
        debug_string(in);
        break;
    case DW_FORM_block1:
        cursor_skip(in, debug_number(a->sections, in, 1));
        break;
    case DW_FORM_block2:
        cursor_skip(in, debug_number(a->sections, in, 2));
        break;
    case DW_FORM_block4:
        cursor_skip(in, debug_number(a->sections, in, 4));
        break;
    case DW_FORM_block:
    case DW_FORM_exprloc:
        cursor_skip(in, cursor_uleb(in));
        break;
    default:
        in->failed |= size == UNKNOWN;
        cursor_uleb(in);
    }
}

/* ---- Reading ----------------------------------------------------------------------- */

static void add_step(struct debug_abbreviations *a, uint16_t step)
{
    MEMORY_ADD(a->steps, a->n_steps, a->step_capacity, step);
}

/* Attributes of known sizes in a row are one step. */
static void add_form(struct debug_abbreviations *a, const struct debug_abbreviation *to,
                     uint64_t form)
{
    int size = size_of(&a->format, form);
    uint16_t *last = a->n_steps > to->first_step ? &a->steps[a->n_steps - 1] : NULL;

    if (size < 0)
        add_step(a, size == UNKNOWN ? 0 : (uint16_t)form);
    else if (last != NULL && (*last & IS_SIZE) &&
             size <= SIZE_MAX_OF_STEP - (*last & SIZE_MAX_OF_STEP))
        *last = (uint16_t)(*last + size);
    else if (size > 0)
        add_step(a, (uint16_t)(IS_SIZE | size));
}

/* Returns false at the end. */
static bool read_one(struct debug_abbreviations *a, struct unwind_cursor *in)
{
    struct debug_abbreviation next = {.code = cursor_uleb(in)};
    uint64_t attribute;
    uint64_t form;

    if (next.code == 0 || a->n_steps > UINT32_MAX)
        return false;
    next.tag = (int)(cursor_uleb(in) & 0xffff);
    next.has_children = cursor_byte(in) != 0;
    next.first_step = (uint32_t)a->n_steps;
    do {
        attribute = cursor_uleb(in);
        form = cursor_uleb(in);
        if (form == DW_FORM_implicit_const)
            cursor_sleb(in);
        next.has_code |= attribute == DW_AT_low_pc || attribute == DW_AT_ranges;
        if (form != 0)
            add_form(a, &next, form);
    } while ((attribute != 0 || form != 0) && !in->failed);
    next.n_steps = (uint32_t)(a->n_steps - next.first_step);
    if (!in->failed)
        MEMORY_ADD(a->items, a->n, a->capacity, next);
    return !in->failed;
}

SORT_ORDER(order_codes, struct debug_abbreviation, BY(code));

void debug_abbreviations_read(struct debug_abbreviations *a,
                              const struct debug_sections *sections,
                              struct debug_format format, uint64_t offset)
{
    struct unwind_cursor in =
        cursor_at(&sections->abbreviations, offset, sections->abbreviations.size);

    *a = (struct debug_abbreviations){.sections = sections, .format = format};
    while (read_one(a, &in))
        ;
    SORT(a->items, a->n, order_codes);
}

/* Compilers number them from 1 on. */
const struct debug_abbreviation *debug_abbreviations_find(
    const struct debug_abbreviations *a, uint64_t code)
{
    size_t i = (size_t)code - 1;

    if (i >= a->n || a->items[i].code != code)
        i = search_below(a->items, a->n, sizeof(*a->items),
                         offsetof(struct debug_abbreviation, code), code);
    return i < a->n && a->items[i].code == code ? &a->items[i] : NULL;
}

void debug_abbreviations_skip(const struct debug_abbreviations *a,
                              const struct debug_abbreviation *of,
                              struct unwind_cursor *in)
{
    for (uint32_t i = 0; i < of->n_steps && !in->failed; i++) {
        uint16_t step = a->steps[of->first_step + i];

        if (step & IS_SIZE)
            cursor_skip(in, step & SIZE_MAX_OF_STEP);
        else
            skip_form(a, in, step);
    }
}

void debug_abbreviations_free(struct debug_abbreviations *a)
{
    memory_release(a->items);
    memory_release(a->steps);
}
