/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls functions of libfxtemit that it does not have from a header. */
#include <fxt/emit_room.h>

bool fxt_emit_init(struct fxt_emit *emit, void *region, uint64_t size);
bool fxt_emit_sample(struct fxt_emit *emit, uint64_t timestamp, uint64_t process,
                     uint64_t thread, const uint64_t *pcs, uint64_t n_pcs);

int main(void)
{
    static uint64_t region[20];
    uint64_t pcs[] = {1, 2, 3};
    struct fxt_emit emit;

    return !fxt_emit_init(&emit, region, sizeof(region)) ||
           !fxt_emit_sample(&emit, 1, 2, 3, pcs, 3) ||
           !fxt_emit_sample(&emit, 1, 2, 3, pcs, 3) ||
           fxt_emit_sample(&emit, 1, 2, 3, pcs, 3) || emit.pos != 18 ||
           emit.dropped_records != 1 || region[17] != 3;
}
