/* SPDX-License-Identifier: BSD-2-Clause */
/* See machines.h. */
#include "machines.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/string_table.h"

/*
 * Ids of Linux are below 4,194,304, and stay readable: process 1234 of the second machine
 * becomes 10001234. Larger ones, such as Zircon's, get the number of the machine in bits
 * that they do not use, and can equal none of the former.
 */
enum { IDS_OF_A_MACHINE = 10000000, LARGE_ID_SHIFT = 48 };

enum { CPUS_OF_A_MACHINE = 1000, CPU_NUMBER_MAX = 65535 };

/* "web" for "traces/web.fxt.gz". */
static char *name_from_file(const char *file)
{
    struct string last = string_last_component(string_from(file));
    char *name = memory_copy_string(last.data);
    char *end = strchr(name, '.');

    if (end != NULL && end != name)
        *end = '\0';
    return name;
}

static const char *key_of(const struct merge_input *input, const struct head *head)
{
    return input->machine != NULL ? input->machine : head->boot_id;
}

static struct machine *find_machine(struct machines *machines, const char *key)
{
    for (size_t i = 0; i < machines->n; i++) {
        if (strcmp(machines->all[i].key, key) == 0)
            return &machines->all[i];
    }
    return NULL;
}

size_t machines_add(struct machines *machines, const struct merge_input *input,
                    const struct head *head)
{
    const char *key = key_of(input, head);
    struct machine *found = key[0] != '\0' ? find_machine(machines, key) : NULL;

    if (found == NULL && key[0] == '\0' && machines->n > 0)
        found = &machines->all[0];
    if (found == NULL) {
        struct machine added = {.key = memory_copy_string(key)};

        added.name = input->machine != NULL ? memory_copy_string(input->machine)
                                            : name_from_file(input->name);
        MEMORY_ADD(machines->all, machines->n, machines->capacity, added);
        found = &machines->all[machines->n - 1];
    }
    if (head->has_zero && !found->has_zero) {
        found->has_zero = true;
        found->zero_ns = head->zero_ns;
    }
    return (size_t)(found - machines->all);
}

uint64_t machines_id(const struct machines *machines, size_t machine, uint64_t id)
{
    if (machines->n < 2 || id == 0)
        return id;
    if (id < IDS_OF_A_MACHINE)
        return id + (uint64_t)machine * IDS_OF_A_MACHINE;
    return id ^ (uint64_t)(machine + 1) << LARGE_ID_SHIFT;
}

uint32_t machines_cpu(const struct machines *machines, size_t machine, uint32_t cpu)
{
    uint64_t number = cpu + (uint64_t)machine * CPUS_OF_A_MACHINE;

    return machines->n < 2 || number > CPU_NUMBER_MAX ? cpu : (uint32_t)number;
}

void machines_free(struct machines *machines)
{
    for (size_t i = 0; i < machines->n; i++) {
        memory_release(machines->all[i].key);
        memory_release(machines->all[i].name);
    }
    memory_release(machines->all);
    *machines = (struct machines){.all = NULL};
}
