/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes all of libfxt that needs a C library. The emitter and the unwinder, which need
 * none, are fxt/emit.h and fxt/unwind.h. */
#ifndef FXT_FXT_H
#define FXT_FXT_H

#include <fxt/arg.h>
#include <fxt/common.h>
#include <fxt/format.h>
#include <fxt/read.h>
#include <fxt/reader.h>
#include <fxt/record.h>
#include <fxt/rows.h>
#include <fxt/sample.h>
#include <fxt/types.h>
#include <fxt/version.h>
#include <fxt/writer.h>

#endif
