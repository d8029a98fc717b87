/* SPDX-License-Identifier: BSD-2-Clause */
/* See follow.h. */
#include "follow.h"

#include <string.h>

static bool is_text(struct fxt_string string, const char *text)
{
    return string.data != NULL && string.size == strlen(text) &&
           memcmp(string.data, text, string.size) == 0;
}

bool follow_is_end(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_EVENT && !record->unknown &&
           record->kind == FXT_EVENT_INSTANT &&
           is_text(record->event.category, "fxtrecord") &&
           is_text(record->event.name, "recording_end");
}
