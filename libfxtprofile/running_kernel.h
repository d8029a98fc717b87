/* SPDX-License-Identifier: BSD-2-Clause */
/* The symbols of the kernel that runs here, for recordings of this boot that lack them.
 */
#ifndef FXTPROFILE_RUNNING_KERNEL_H
#define FXTPROFILE_RUNNING_KERNEL_H

#include "libfxtprofile/profile/mappings/modules.h"
#include "libfxtprofile/profile/profile_builder.h"
#include "libfxtprofile/symbols/symbolize.h"

/* Adds /proc/kallsyms, for processes of this boot, if some PC is in a kernel, the input
 * has a recording of this boot without names of the kernel's functions, and the user gave
 * no symbols of a kernel. Adds nothing where addresses are hidden. */
void running_kernel_add(struct symbolizer *symbolizer, const struct modules *modules,
                        const struct profile_builder *builder);

#endif
