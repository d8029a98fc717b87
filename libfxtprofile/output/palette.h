/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The colours of frames. All are light enough for black text, and a name has the same
 * colour in every graph (or a near one, where colours stand for modules).
 */
#ifndef FXTPROFILE_OUTPUT_PALETTE_H
#define FXTPROFILE_OUTPUT_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/string_table.h"

/* Red to yellow; greens; blues; and one colour for all of a file's code. */
enum palette { PALETTE_HOT, PALETTE_MEM, PALETTE_IO, PALETTE_MODULE, PALETTES };

/* The module of frames that are in none, such as a process. */
#define PALETTE_NO_MODULE UINT32_MAX

/* Finds a palette by its name, as in "hot"; returns false if there is none. */
bool palette_find(const char *name, enum palette *palette);

/* The colour of a name, as 0xrrggbb. Modules are numbers from 0 on, used by
 * PALETTE_MODULE only. */
uint32_t palette_color(enum palette palette, struct string name, uint32_t module);

#endif
