/* SPDX-License-Identifier: BSD-2-Clause */
/* See blob_store.h. */
#include "blob_store.h"

#include "common/base/memory.h"

bool blob_store_add(struct blob_store *s, const struct stored_blob *blob,
                    const void *bytes, uint64_t size)
{
    struct stored_blob *kept;

    if (s->bytes.bytes.size >= BLOB_STORE_MEMORY && !s->is_full)
        s->is_full = !spill_move(&s->bytes);
    if (s->is_full || s->n == UINT32_MAX)
        return false;
    s->blobs = memory_grow(s->blobs, s->n, &s->capacity, sizeof(*s->blobs));
    kept = &s->blobs[s->n++];
    *kept = *blob;
    kept->is_cut = size > BLOB_BYTES_MAX;
    kept->size = kept->is_cut ? BLOB_BYTES_MAX : (uint32_t)size;
    kept->offset = spill_size(&s->bytes);
    text_add(&s->bytes.bytes, bytes, kept->size);
    return true;
}

void blob_store_read(const struct blob_store *s, const struct stored_blob *blob,
                     unsigned char *bytes)
{
    size_t n = 0;

    while (n < blob->size)
        n += spill_read(&s->bytes, blob->offset + n, bytes + n, blob->size - n);
}

void blob_store_free(struct blob_store *s)
{
    memory_release(s->blobs);
    spill_free(&s->bytes);
    *s = (struct blob_store){.n = 0};
}
