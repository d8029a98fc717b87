/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for the fxt/fxt.h of another library that is called FxT, which Debian has. */
#ifndef OTHER_FXT_H
#define OTHER_FXT_H

int other_fxt_version(void);

#endif
