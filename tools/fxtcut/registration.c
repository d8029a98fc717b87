/* SPDX-License-Identifier: BSD-2-Clause */
/* See registration.h. */
#include "registration.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/memory.h"

/* A record whose size was not trusted is taken up to its last field. */
uint64_t registration_header(const struct fxt_record *record)
{
    bool is_large = record->type == FXT_RECORD_LARGE;
    uint64_t field =
        is_large ? FXT_PUT(LARGE_WORDS, UINT64_MAX) : FXT_PUT(RECORD_WORDS, UINT64_MAX);
    uint64_t n_words = record->size / FXT_WORD_BYTES;
    uint64_t header =
        (record->header & ~field) |
        (is_large ? FXT_PUT(LARGE_WORDS, n_words) : FXT_PUT(RECORD_WORDS, n_words));

    return record->swapped ? FXT_SWAP64(header) : header;
}

struct registration *registration_make(const struct fxt_record *record, uint64_t serial)
{
    struct registration *made =
        (struct registration *)memory_reserve(sizeof(*made) + (size_t)record->size);
    uint64_t header = registration_header(record);

    memset(made, 0, sizeof(*made));
    made->serial = serial;
    made->n_users = 1;
    made->size = (uint32_t)record->size;
    memcpy(made->bytes, record->data, (size_t)record->size);
    memcpy(made->bytes, &header, sizeof(header));
    return made;
}

void registration_release(struct registration *registration)
{
    if (registration != NULL && --registration->n_users == 0)
        memory_release(registration);
}

bool registration_is(const struct registration *registration,
                     const struct fxt_record *record)
{
    return registration != NULL && registration->size == record->size &&
           memcmp(registration->bytes, record->data, (size_t)record->size) == 0;
}
