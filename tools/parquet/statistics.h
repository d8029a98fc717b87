/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a chunk, by which readers skip row groups. */
#ifndef PARQUET_STATISTICS_H
#define PARQUET_STATISTICS_H

#include "chunk.h"
#include "thrift.h"

/* Adds the struct as this field. */
void statistics_add(struct thrift *thrift, int field, const struct chunk *chunk);

#endif
