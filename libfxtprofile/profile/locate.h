/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the addresses of a profile are: mappings, locations and names, from the modules
 * that the input tells of and the ELF files that the user named.
 *
 * The innermost address of a stack is an instruction; the others are return addresses,
 * and what returns there was called one byte or more before, which is where they are
 * looked up: a call that never returns may be the last instruction of its function. Where
 * nothing is known one byte before, though something is at the address itself, that
 * counts: an address put on the stack by hand to return to.
 */
#ifndef FXTPROFILE_PROFILE_LOCATE_H
#define FXTPROFILE_PROFILE_LOCATE_H

#include "modules.h"
#include "profile.h"
#include "libfxtprofile/symbols/symbolize.h"

/* After profile_finish and modules_finish. What it adds to a profile that is sorted is
 * the same for the same content, but for the order of locations and of their lines: that
 * is for whoever shows them to choose (see locate_order.h). */
void profile_locate(struct profile *profile, const struct modules *modules,
                    struct symbolizer *symbolizer);

#endif
