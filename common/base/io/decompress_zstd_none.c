/* SPDX-License-Identifier: BSD-2-Clause */
/* Without libzstd, what zstd has compressed is refused. */
#include "decompress_format.h"

const struct decompress_format decompress_zstd = {0};
