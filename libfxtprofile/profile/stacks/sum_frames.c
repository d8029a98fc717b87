/* SPDX-License-Identifier: BSD-2-Clause */
/* See sum_frames.h. */
#include "sum_frames.h"

enum { SUM_FRAME_STRINGS = 4 };

/* Before the strings. */
struct frame_head {
    uint32_t line;
    uint32_t sizes[SUM_FRAME_STRINGS];
};

void sum_frames_add(struct text *bytes, const struct sum_frame *frame)
{
    const struct string strings[SUM_FRAME_STRINGS] = {
        frame->name, frame->module, frame->build_id, frame->source_file};
    struct frame_head head = {.line = frame->line};

    for (int i = 0; i < SUM_FRAME_STRINGS; i++)
        head.sizes[i] = (uint32_t)strings[i].size;
    text_add(bytes, (const char *)&head, sizeof(head));
    for (int i = 0; i < SUM_FRAME_STRINGS; i++)
        text_add(bytes, strings[i].data, strings[i].size);
}

static struct string take_bytes(struct string *from, size_t size)
{
    struct string first = {from->data, size};

    from->data += size;
    from->size -= size;
    return first;
}

bool sum_frames_next(struct string *bytes, struct sum_frame *frame)
{
    struct frame_head head;

    if (bytes->size == 0)
        return false;
    memcpy(&head, take_bytes(bytes, sizeof(head)).data, sizeof(head));
    frame->line = head.line;
    frame->name = take_bytes(bytes, head.sizes[0]);
    frame->module = take_bytes(bytes, head.sizes[1]);
    frame->build_id = take_bytes(bytes, head.sizes[2]);
    frame->source_file = take_bytes(bytes, head.sizes[3]);
    return true;
}
