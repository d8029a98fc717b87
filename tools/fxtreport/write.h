/* SPDX-License-Identifier: BSD-2-Clause */
/* From a profile to the report that the user wants. */
#ifndef FXTREPORT_WRITE_H
#define FXTREPORT_WRITE_H

#include "common/base/io/output.h"
#include "tools/convert/conversion.h"

/* Writes the report of a conversion, whose options have the settings (settings.h).
 * Returns its exit status. */
int write_report(const struct conversion *conversion, struct output *output);

#endif
