/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies of an input a part of its records, with the registrations that these need. One
 * pass; another before it where the names of processes, or the instances of a span, are
 * to be found first.
 */
#ifndef FXTCUT_CUT_H
#define FXTCUT_CUT_H

#include "settings.h"

enum cut_status cut(struct cut_settings *settings);

#endif
