/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_cfi.h: entries, CIEs and FDEs. */
#include "unwind_cfi.h"

void cfi_cies_init(struct cfi_cies *cies)
{
    for (unsigned i = 0; i < CFI_CIES; i++)
        cies->cies[i].position = UINT64_MAX;
}

/* ---- Entries ----------------------------------------------------------------------- */

/* The id of a CIE, or the distance from an FDE's id back to its CIE, or where the CIE is
 * in .debug_frame. */
static void take_id(const struct cfi_section *section, struct unwind_cursor *c,
                    bool is_64, struct cfi_entry *entry)
{
    uint64_t at = c->at;
    uint64_t id = cursor_number(c, is_64 && section->is_debug_frame ? 8 : 4);
    uint64_t cie_id = is_64 ? UINT64_MAX : UINT32_MAX;

    if (!section->is_debug_frame)
        cie_id = 0;
    entry->kind = id == cie_id ? CFI_CIE : CFI_FDE;
    entry->at = c->at;
    entry->cie = section->is_debug_frame ? id : at - id;
    if (!section->is_debug_frame && id > at)
        entry->cie = UINT64_MAX;
}

/* The length and the id, both of 64 bits. */
enum { ENTRY_START_MAX = 20 };

bool cfi_entry_read(const struct cfi_section *section, uint64_t position,
                    struct cfi_entry *entry)
{
    struct unwind_cursor c = cursor_at(&section->bytes, position, section->bytes.size);
    uint64_t length;
    bool is_64;

    unwind_load(section->loader, position, position + ENTRY_START_MAX);
    length = cursor_number(&c, 4);
    is_64 = length == UINT32_MAX;
    *entry = (struct cfi_entry){.kind = CFI_TERMINATOR};
    if (is_64)
        length = cursor_number(&c, 8);
    if (c.failed || length > c.end - c.at)
        return false;
    entry->at = c.at;
    entry->end = c.at + length;
    c.end = entry->end;
    unwind_load(section->loader, entry->at, entry->end);
    if (length == 0)
        return !is_64;
    take_id(section, &c, is_64, entry);
    return !c.failed;
}

/* ---- CIEs -------------------------------------------------------------------------- */

/* The augmentation's letters: each says what is in the augmentation data. What follows an
 * unknown letter can be skipped, since the data have a size, but not read. */
static bool take_augmentation(struct unwind_cursor *c, uint64_t letters,
                              struct cfi_cie *cie)
{
    const unsigned char *letter = c->bytes + letters;

    if (*letter == '\0')
        return true;
    if (*letter != 'z')
        return false;
    cie->has_augmentation_size = true;
    for (letter++; *letter != '\0'; letter++) {
        if (*letter == 'R')
            cie->encoding = cursor_byte(c);
        else if (*letter == 'S')
            cie->is_signal = true;
        else if (*letter == 'L')
            cursor_byte(c);
        else if (*letter == 'P')
            cursor_encoded_size(c, cursor_byte(c));
        else if (*letter != 'B' && *letter != 'G')
            break;
    }
    return !c->failed;
}

/* The letters have an end, so that they need no further check. */
static void skip_letters(struct unwind_cursor *c)
{
    while (cursor_byte(c) != '\0' && !c->failed)
        ;
}

static bool take_cie_fields(struct unwind_cursor *c, struct cfi_cie *cie)
{
    uint8_t version = cursor_byte(c);
    uint64_t letters = c->at;
    struct unwind_cursor data;
    uint64_t size;

    skip_letters(c);
    if (c->failed || (version != 1 && version != 3 && version != 4))
        return false;
    /* The sizes of addresses and of segment selectors. */
    if (version == 4 && (cursor_byte(c) != 8 || cursor_byte(c) != 0))
        return false;
    cie->code_align = cursor_uleb(c);
    cie->data_align = cursor_sleb(c);
    cie->ra_column = version == 1 ? cursor_byte(c) : cursor_uleb(c);
    size = c->bytes[letters] == 'z' ? cursor_uleb(c) : 0;
    data = *c;
    cursor_skip(c, size);
    data.end = c->at;
    return !c->failed && take_augmentation(&data, letters, cie);
}

static bool read_cie(struct cfi_section *section, uint64_t position, struct cfi_cie *cie)
{
    struct cfi_entry entry;
    struct unwind_cursor c;

    if (!cfi_entry_read(section, position, &entry) || entry.kind != CFI_CIE)
        return false;
    if (entry.end - entry.at > section->budget)
        return false;
    section->budget -= entry.end - entry.at;
    *cie = (struct cfi_cie){.position = position, .encoding = ENCODING_ABSOLUTE};
    c = cursor_at(&section->bytes, entry.at, entry.end);
    return take_cie_fields(&c, cie) && cfi_initial_run(section, cie, c);
}

static const struct cfi_cie *find_cie(struct cfi_section *section, struct cfi_cies *cies,
                                      uint64_t position)
{
    struct cfi_cie *cie = &cies->cies[position >> 3 & (CFI_CIES - 1)];

    if (cie->position == position)
        return cie;
    if (read_cie(section, position, cie))
        return cie;
    cie->position = UINT64_MAX;
    return NULL;
}

/* ---- FDEs -------------------------------------------------------------------------- */

bool cfi_fde_read(struct cfi_section *section, struct cfi_cies *cies,
                  const struct cfi_entry *entry, struct cfi_fde *fde)
{
    struct unwind_cursor c = cursor_at(&section->bytes, entry->at, entry->end);
    uint64_t size;

    if (entry->cie >= section->bytes.size)
        return false;
    fde->cie = find_cie(section, cies, entry->cie);
    if (!fde->cie)
        return false;
    fde->start =
        cursor_encoded(&c, fde->cie->encoding, section->bytes.address, UINT64_MAX);
    size = cursor_encoded_size(&c, fde->cie->encoding);
    if (fde->cie->has_augmentation_size)
        cursor_skip(&c, cursor_uleb(&c));
    if (c.failed || size > UINT64_MAX - fde->start)
        return false;
    fde->limit = fde->start + size;
    fde->program = c;
    return true;
}
