/* SPDX-License-Identifier: BSD-2-Clause */
/* What single records have that some readers lose, and texts that are none. */
#ifndef FXTLINT_CHECK_READERS_H
#define FXTLINT_CHECK_READERS_H

#include <fxt/record.h>

#include "findings.h"

void check_readers(struct findings *findings, const struct fxt_record *record);

/* Texts are UTF-8, except for the names of kernel objects. */
void check_texts(struct findings *findings, const struct fxt_record *record);

#endif
