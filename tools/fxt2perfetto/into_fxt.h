/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy of an archive in which the samples are once more, as packets of Perfetto's in
 * blob records, which Perfetto reads from archives and all others skip. The packets come
 * after all other records, before what cannot be read as one; those of an earlier copy
 * are left out.
 */
#ifndef FXT2PERFETTO_INTO_FXT_H
#define FXT2PERFETTO_INTO_FXT_H

#include "tools/convert/conversion.h"

/* Complains and returns false for options that do not go together. */
bool into_fxt_check(struct options *options);

/* Writes the copy. Returns an exit status. */
int into_fxt_write(const struct conversion *conversion, struct output *output);

#endif
