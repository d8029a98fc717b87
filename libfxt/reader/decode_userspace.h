/* SPDX-License-Identifier: BSD-2-Clause */
/* Userspace objects, whose process is inline in one of two forms. */
#ifndef LIBFXT_READER_DECODE_USERSPACE_H
#define LIBFXT_READER_DECODE_USERSPACE_H

#include "decoder.h"

void decode_userspace_object(struct decoder *d, uint64_t header);

#endif
