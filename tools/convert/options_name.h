/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that say how functions get their names. */
#ifndef CONVERT_OPTIONS_NAME_H
#define CONVERT_OPTIONS_NAME_H

#include "options.h"

extern const struct option_entry options_naming[];

#endif
