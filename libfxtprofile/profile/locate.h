/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns the addresses in the stacks of a profile into locations, with mappings, functions
 * and lines, from the modules in the input and the ELF files that the user named.
 *
 * The innermost address of a stack is that of an instruction; the others are return
 * addresses, which are looked up one byte before, inside the call: a call that never
 * returns may be the last instruction of its function. If nothing is known one byte
 * before, but something is at the address itself, that is taken: some code pushes an
 * address to return to.
 */
#ifndef FXTPROFILE_PROFILE_LOCATE_H
#define FXTPROFILE_PROFILE_LOCATE_H

#include "mappings/modules.h"
#include "profile_builder.h"
#include "libfxtprofile/symbols/symbolize.h"

/* After profile_builder_sort and modules_finish. The result for sorted samples depends
 * only on the content, except for the order of locations and of their lines: an output
 * that shows them sorts them (see locate_order.h). */
void profile_locate(struct profile_builder *builder, const struct modules *modules,
                    struct symbolizer *symbolizer);

#endif
