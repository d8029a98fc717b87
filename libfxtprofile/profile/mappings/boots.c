/* SPDX-License-Identifier: BSD-2-Clause */
/* See boots.h. */
#include "boots.h"

#include "common/base/memory.h"

uint32_t boots_find(struct boots *b, struct string id)
{
    return string_table_add(&b->ids, id.data, id.size);
}

static uint64_t hash_koid(uint32_t boot, uint64_t koid)
{
    return hash_word(hash_word(hash_start(), boot), koid);
}

static bool find_koid(const struct boots *b, uint32_t boot, uint64_t koid,
                      uint32_t *number)
{
    struct table_probe probe = table_probe(&b->table, hash_koid(boot, koid));

    while (table_next(&b->table, &probe, number)) {
        if (b->koids[*number].boot == boot && b->koids[*number].koid == koid)
            return true;
    }
    return false;
}

uint64_t boots_number(struct boots *b, uint32_t boot, uint64_t koid)
{
    uint32_t number;

    if (boot == 0)
        return koid;
    if (find_koid(b, boot, koid, &number))
        return BOOTS_FIRST_KOID + number;
    table_add(&b->table, hash_koid(boot, koid), b->n_koids);
    b->koids = (struct boot_koid *)memory_grow(b->koids, b->n_koids, &b->capacity,
                                               sizeof(*b->koids));
    b->koids[b->n_koids] = (struct boot_koid){boot, koid};
    return BOOTS_FIRST_KOID + b->n_koids++;
}

struct boot_koid boots_koid(const struct boots *b, uint64_t number)
{
    if (number < BOOTS_FIRST_KOID || number - BOOTS_FIRST_KOID >= b->n_koids)
        return (struct boot_koid){0, number};
    return b->koids[number - BOOTS_FIRST_KOID];
}

uint64_t boots_kernel(const struct boots *b, uint64_t process)
{
    uint32_t boot = boots_koid(b, process).boot;
    uint32_t number;

    if (boot == 0)
        return 0;
    return find_koid(b, boot, 0, &number) ? BOOTS_FIRST_KOID + number : UINT64_MAX;
}

void boots_free(struct boots *b)
{
    string_table_free(&b->ids);
    memory_release(b->koids);
    table_free(&b->table);
    *b = (struct boots){.n_koids = 0};
}
