/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces of an SVG. Lengths are whole numbers of hundredths of a pixel, so that every
 * machine writes the same digits.
 */
#ifndef FXTPROFILE_OUTPUT_FLAME_SVG_H
#define FXTPROFILE_OUTPUT_FLAME_SVG_H

#include <stdint.h>

#include "common/base/string_table.h"
#include "common/base/text.h"

/* A pixel. */
enum { SVG_PX = 100 };

/* A length in pixels, without trailing zeros. */
void svg_add_px(struct text *text, uint64_t length);

/* Adds a space and an attribute that is a length. */
void svg_add_length(struct text *text, const char *name, uint64_t length);

/* A zero-terminated string, quoted by quote_xml. */
void svg_add_string(struct text *text, const char *string);

/* As in 1,234,567. */
void svg_add_count(struct text *text, uint64_t count);

/* Nanoseconds and bytes in the largest unit of which there is at least one, rounded down
 * to thousandths of it: 1.234 ms, 12 KiB. */
void svg_add_time(struct text *text, uint64_t ns);
void svg_add_bytes(struct text *text, uint64_t bytes);

/* Hundredths of a per cent, as in 12.34 %. */
void svg_add_percent(struct text *text, uint64_t hundredths);

/* Adds as much of a name as fits into `n_cells` cells of a monospaced font, in which a
 * character takes one cell or two, with an ellipsis if it is cut. At least one cell. */
void svg_add_shortened(struct text *text, struct string name, uint64_t n_cells);

#endif
