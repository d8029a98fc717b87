/* SPDX-License-Identifier: BSD-2-Clause */
/* See ../import.h: without cJSON. */
#include "libfxtprofile/import/import.h"

void import_json(struct import *im)
{
    import_fault(im, "capture", 0, "this program was built without cJSON");
}
