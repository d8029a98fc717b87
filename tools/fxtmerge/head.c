/* SPDX-License-Identifier: BSD-2-Clause */
/* See head.h. */
#include "head.h"

#include <string.h>

#include <fxt/fxt.h>

#include "clock.h"

/* fxtrecord's event comes within the first kilobyte. */
enum { HEAD_BYTES = 64 << 10 };

static void take_boot_id(struct head *head, const struct fxt_record *record)
{
    const struct fxt_arg *arg = fxt_record_arg(record, "boot_id");

    if (arg == NULL || arg->type != FXT_ARG_STRING || arg->value.string.data == NULL ||
        arg->value.string.size >= HEAD_BOOT_ID_MAX)
        return;
    memcpy(head->boot_id, arg->value.string.data, arg->value.string.size);
    head->boot_id[arg->value.string.size] = '\0';
}

/* Stops once all is known. */
static int take_record(void *context, const struct fxt_record *record)
{
    struct head *head = (struct head *)context;

    if (record->type == FXT_RECORD_INITIALIZATION && !head->has_zero)
        head->has_zero = clock_zero(record->provider, &head->zero_ns);
    if (record->type == FXT_RECORD_EVENT &&
        fxt_string_is(record->event.category, "fxtrecord") &&
        fxt_string_is(record->event.name, "recording"))
        take_boot_id(head, record);
    return head->has_zero && head->boot_id[0] != '\0';
}

void head_read(struct head *head, struct input *input)
{
    struct fxt_reader_options options = {
        .size = sizeof(options), .on_record = take_record, .context = head};

    *head = (struct head){.has_zero = false};
    input_want(input, HEAD_BYTES);
    fxt_read_memory(&options, input_data(input),
                    input_size(input) < HEAD_BYTES ? input_size(input) : HEAD_BYTES);
}
