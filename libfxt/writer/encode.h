/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes the contents of the records that this version knows. */
#ifndef LIBFXT_WRITER_ENCODE_H
#define LIBFXT_WRITER_ENCODE_H

#include <stdint.h>

#include "encode_refs.h"
#include "word_writer.h"

/* Writes what follows the header of a record of known type and kind, of a large blob up
 * to its payload. Returns the header without the record's type and size. */
uint64_t encode_fields(struct word_writer *p, const struct fxt_record *r,
                       const struct encode_refs *refs);

#endif
