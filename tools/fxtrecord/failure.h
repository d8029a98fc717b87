/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures, reported on standard error. */
#ifndef FXTRECORD_FAILURE_H
#define FXTRECORD_FAILURE_H

#include <stdbool.h>

#include <fxt/sampler.h>

/* These report what is wrong, and with what, which may be NULL, and return false. */
bool failure_report(const char *what, const char *why);
bool failure_report_code(const char *what, enum fxt_sampler_code code);

#endif
