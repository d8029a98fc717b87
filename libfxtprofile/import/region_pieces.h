/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One large region as pieces for several threads. Where a piece begins is a guess: it is
 * right if the reading of the piece before it, of which the same is known, ends there.
 */
#ifndef FXTPROFILE_IMPORT_REGION_PIECES_H
#define FXTPROFILE_IMPORT_REGION_PIECES_H

#include "region_reader.h"

/* Replaces the only region by pieces, if it is large: at most as many as threads. */
void region_pieces_guess(const struct import_settings *settings,
                         struct filled_regions *regions, size_t n_threads);

#endif
