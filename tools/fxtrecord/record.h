/* SPDX-License-Identifier: BSD-2-Clause */
/* One recording, from the beginning of the session to the files that it leaves. */
#ifndef FXTRECORD_RECORD_H
#define FXTRECORD_RECORD_H

#include "record_options.h"

/* Records. Returns the exit status. */
int record(const struct record_options *options);

#endif
