/* SPDX-License-Identifier: BSD-2-Clause */
/* See head.h. */
#include "head.h"

#include <string.h>

#include <fxt/fxt.h>

#include "clock.h"

/* The event of fxtrecord and fxt/trace.h comes within the first kilobyte. */
enum { HEAD_BYTES = 64 << 10 };

/* The text of an argument; empty if there is none. */
static struct fxt_string text_of(const struct fxt_record *record, const char *name)
{
    const struct fxt_arg *arg = fxt_record_arg(record, name);

    return arg != NULL && arg->type == FXT_ARG_STRING ? arg->value.string
                                                      : fxt_string_from("");
}

static void take_recording(struct head *head, const struct fxt_record *record)
{
    struct fxt_string boot_id = text_of(record, "boot_id");

    head->in_turns = fxt_string_is(text_of(record, "method"), "trace.h");
    if (boot_id.data == NULL || boot_id.size >= HEAD_BOOT_ID_MAX)
        return;
    memcpy(head->boot_id, boot_id.data, boot_id.size);
    head->boot_id[boot_id.size] = '\0';
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
        take_recording(head, record);
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
