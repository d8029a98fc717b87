/* SPDX-License-Identifier: BSD-2-Clause */
/* For unwind_cfi_entries.c: the programs of CIEs and FDEs. */
#ifndef FXTUNWIND_UNWIND_CFI_PROGRAM_H
#define FXTUNWIND_UNWIND_CFI_PROGRAM_H

#include "unwind_cfi.h"

/* Runs a CIE's program, which makes the state that each FDE's begins with. */
bool cfi_initial_run(const struct cfi_section *section, struct cfi_cie *cie,
                     struct unwind_cursor program);

#endif
