/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The colours of frames. All are light enough for black text, and a name has the same
 * colour in every graph (or a near one, where colours stand for modules).
 */
#ifndef FXTPROFILE_OUTPUT_PALETTE_H
#define FXTPROFILE_OUTPUT_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/profile_write.h>

#include "common/base/string_table.h"

enum { PALETTES = FXT_PROFILE_PALETTE_MODULE + 1 };

/* The module of frames that are in none, such as a process. */
#define PALETTE_NO_MODULE UINT32_MAX

/* The colour of a name, as 0xrrggbb. Modules are numbers from 0 on, used by
 * FXT_PROFILE_PALETTE_MODULE only. */
uint32_t palette_color(enum fxt_profile_palette palette, struct string name,
                       uint32_t module);

#endif
