/* SPDX-License-Identifier: BSD-2-Clause */
/* See open_slices.h. */
#include "open_slices.h"

#include "common/base/memory.h"

void open_slices_push(struct open_slices *o, uint32_t *top, uint64_t end_ns,
                      uint32_t event)
{
    uint32_t number;

    if (o->first_free != 0) {
        number = o->first_free - 1;
        o->first_free = o->slices[number].below;
    } else {
        o->slices = memory_grow(o->slices, o->n, &o->capacity, sizeof(*o->slices));
        number = (uint32_t)o->n++;
    }
    o->slices[number] = (struct open_slice){end_ns, *top, event};
    *top = number;
}

bool open_slices_pop(struct open_slices *o, uint32_t *top, uint64_t time_ns,
                     struct open_slice *slice)
{
    uint32_t number = *top;

    if (number == OPEN_SLICES_NONE || o->slices[number].end_ns > time_ns)
        return false;
    *slice = o->slices[number];
    *top = slice->below;
    o->slices[number].below = o->first_free;
    o->first_free = number + 1;
    return true;
}
