/* SPDX-License-Identifier: BSD-2-Clause */
/* See boots.h. */
#include "boots.h"

#include "common/base/table_items.h"

uint32_t boots_find(struct boots *b, struct string id)
{
    return string_table_add(&b->ids, id.data, id.size);
}

uint64_t boots_number(struct boots *b, uint32_t boot, uint64_t koid)
{
    struct boot_koid added = {.boot = boot, .koid = koid};

    if (boot == 0)
        return koid;
    return BOOTS_FIRST_KOID +
           TABLE_PUT(&b->table, b->koids, b->n_koids, b->capacity, &added, koid, boot);
}

struct boot_koid boots_koid(const struct boots *b, uint64_t number)
{
    if (number < BOOTS_FIRST_KOID || number - BOOTS_FIRST_KOID >= b->n_koids)
        return (struct boot_koid){.boot = 0, .koid = number};
    return b->koids[number - BOOTS_FIRST_KOID];
}

uint32_t boots_of(const struct boots *b, uint64_t process, uint64_t thread)
{
    return boots_koid(b, thread != 0 ? thread : process).boot;
}

uint64_t boots_kernel(const struct boots *b, uint64_t process)
{
    struct boot_koid kernel = {.boot = boots_koid(b, process).boot, .koid = 0};
    uint32_t number;

    if (kernel.boot == 0)
        return 0;
    number = TABLE_FIND(&b->table, b->koids, &kernel, koid, boot);
    return number != TABLE_NONE ? BOOTS_FIRST_KOID + number : UINT64_MAX;
}
