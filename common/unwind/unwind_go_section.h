/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a file has .gopclntab. */
#ifndef FXTUNWIND_UNWIND_GO_SECTION_H
#define FXTUNWIND_UNWIND_GO_SECTION_H

#include "common/elf/elf_headers.h"
#include "unwind_table.h"

/* Reads the section, and sets `go` (see struct unwind_source). The memory is the
 * caller's; NULL if the file has none. */
unsigned char *unwind_go_section_read(const struct elf_headers *headers,
                                      struct unwind_bytes *go);

#endif
