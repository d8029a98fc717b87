/* SPDX-License-Identifier: BSD-2-Clause */
/* See palette.h. */
#include "palette.h"

#include <string.h>

/* A name's colour is somewhere between two. */
struct range {
    uint32_t from;
    uint32_t to;
};

static const struct {
    const char *name;
    struct range range;
} palettes[PALETTES] = {
    [FXT_PROFILE_PALETTE_HOT] = {"hot", {0xf07048, 0xfad264}},
    [FXT_PROFILE_PALETTE_MEM] = {"mem", {0x5cb87a, 0xc4e088}},
    [FXT_PROFILE_PALETTE_IO] = {"io", {0x6ca0dc, 0xa8e0ec}},
    [FXT_PROFILE_PALETTE_MODULE] = {"module", {0xd4d4d4, 0xe2e2e2}},
};

/* Assigned to modules in this order; adjacent ones differ in more than brightness. */
static const struct range module_ranges[] = {
    {0xf2905c, 0xf8b078}, {0x78acdf, 0x98c8f0}, {0x84c47c, 0xa8d898},
    {0xc8a2dc, 0xdcbcec}, {0xe8cc60, 0xf4e088}, {0x6cc8c0, 0x94dcd4},
    {0xf09cac, 0xf8bcc8}, {0xc4b090, 0xd8c8ac},
};

enum { N_MODULE_RANGES = sizeof(module_ranges) / sizeof(module_ranges[0]) };

bool fxt_profile_palette_find(const char *name, enum fxt_profile_palette *palette)
{
    for (int i = 0; i < PALETTES; i++) {
        if (strcmp(palettes[i].name, name) == 0) {
            *palette = (enum fxt_profile_palette)i;
            return true;
        }
    }
    return false;
}

/* FNV-1a with a final mixing step: the same on every machine, and names that differ only
 * in their last byte get distant values. */
static uint32_t hash_name(struct string name)
{
    uint32_t hash = 0x811c9dc5;

    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (unsigned char)name.data[i]) * 0x01000193;
    return (hash ^ hash >> 15) * 0x2c1b3c6d;
}

/* Interpolates between the range's colours: `part` of 255. */
static uint32_t mix_colors(struct range range, uint32_t part)
{
    uint32_t color = 0;

    for (int shift = 16; shift >= 0; shift -= 8) {
        uint32_t from = range.from >> shift & 0xff;
        uint32_t to = range.to >> shift & 0xff;

        color = color << 8 | (from * (255 - part) + to * part) / 255;
    }
    return color;
}

uint32_t palette_color(enum fxt_profile_palette palette, struct string name,
                       uint32_t module)
{
    struct range range = palettes[palette].range;

    if (palette == FXT_PROFILE_PALETTE_MODULE && module != PALETTE_NO_MODULE)
        range = module_ranges[module % N_MODULE_RANGES];
    return mix_colors(range, hash_name(name) >> 24);
}
