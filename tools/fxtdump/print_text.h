/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of print_text that print what kernels, schedulers and profilers write, and
 * what other printers print as it does. */
#ifndef FXTDUMP_PRINT_TEXT_H
#define FXTDUMP_PRINT_TEXT_H

#include <fxt/record.h>
#include <fxt/sample.h>

#include "print.h"
#include "common/base/text.h"

void print_text_region(struct text *out, const struct print_context *context,
                       const char *name);

void print_text_scheduling(struct text *out, const struct print_context *context,
                           const struct fxt_record *record);
void print_text_profiler(struct text *out, const struct print_context *context,
                         const struct fxt_record *record);

/* A large blob that is a kernel sampler's stack. */
void print_text_sample(struct text *out, const struct print_context *context,
                       const struct fxt_record *record, const struct fxt_sample *sample);

/* An event in which a kernel sampler reports what it dropped. */
void print_text_drops(struct text *out, const struct print_context *context,
                      const struct fxt_record *record, const struct fxt_sample *sample);

#endif
