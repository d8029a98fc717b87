/* SPDX-License-Identifier: BSD-2-Clause */
/* What compressing with gzip costs at each level, and what it saves. */
#ifndef BENCH_COMPRESS_H
#define BENCH_COMPRESS_H

/* Compresses the file, and prints CPU time and size for each compressor and level. */
void compress_bench(int fd);

#endif
