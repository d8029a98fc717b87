/* SPDX-License-Identifier: BSD-2-Clause */
/* What the converters print of their inputs while these are read. */
#ifndef CONVERT_IMPORT_REPORTS_H
#define CONVERT_IMPORT_REPORTS_H

#include "libfxtprofile/import/settings.h"
#include "options.h"
#include "tools/common/report.h"

struct import_reports {
    const struct options *options;
    /* Of the input that is being read: faults in FXT data, and in captures. */
    struct report report;
    uint64_t n_faults;
    struct import_client client;
};

/* Starts with all zero; both structs must stay in place as long as the client is used. */
void import_reports_start(struct import_reports *reports, const struct options *options);

#endif
