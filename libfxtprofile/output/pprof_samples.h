/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples of a profile for pprof, which are most of a large profile. */
#ifndef FXTPROFILE_OUTPUT_PPROF_SAMPLES_H
#define FXTPROFILE_OUTPUT_PPROF_SAMPLES_H

#include "pprof_writer.h"

/* Writes all samples, unless the output fails. Their locations have their ids. */
void pprof_write_samples(struct pprof_writer *w);

#endif
