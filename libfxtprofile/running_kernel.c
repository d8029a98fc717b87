/* SPDX-License-Identifier: BSD-2-Clause */
/* See pipeline.h: the symbols of the kernel that runs here, for recordings of this boot
 * that lack them. */
#include "pipeline.h"

#include <stdio.h>
#include <string.h>

#include "libfxtprofile/symbols/kernel/kallsyms.h"

/* The number of this boot, or of no boot. */
static uint32_t find_boot(const struct boots *boots)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    char id[64] = "";
    uint32_t boot = 0;

    if (file == NULL)
        return BOOTS_NONE;
    if (fgets(id, (int)sizeof(id), file) == NULL)
        id[0] = '\0';
    fclose(file);
    id[strcspn(id, "\n")] = '\0';
    for (; boot < boots->ids.n; boot++) {
        struct string known = string_table_get(&boots->ids, boot);

        if (id[0] != '\0' && string_compare(known, string_from(id)) == 0)
            return boot;
    }
    return BOOTS_NONE;
}

static bool has_kernel_pcs(const struct profile_builder *b)
{
    for (size_t i = 0; i < b->pcs.n; i++) {
        uint64_t pc = b->pcs.pcs[i];

        if (profile_is_in_kernel(pc) &&
            !(b->profile.is_of_waits && profile_builder_is_name(pc)))
            return true;
    }
    return false;
}

static bool has_names(const struct modules *m, uint32_t boot)
{
    for (size_t i = 0; i < m->functions.n; i++) {
        const struct mapping *function = &m->functions.all[i];
        struct boot_koid process = boots_koid(m->boots, function->process);

        if (process.koid == 0 && process.boot == boot &&
            profile_is_in_kernel(function->start))
            return true;
    }
    return false;
}

static bool has_kernel(const struct symbolizer *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (profile_is_in_kernel(s->images[i].binary->elf.image.lowest +
                                 s->images[i].bias))
            return true;
    }
    return s->n > s->n_files;
}

void running_kernel_add(struct symbolizer *s, const struct modules *m,
                        const struct profile_builder *b)
{
    struct text why = {NULL, 0, 0};
    size_t n_before = s->n;

    if (m->boots == NULL || m->boots->ids.n == 0 || has_kernel(s) ||
        profile_is_of_names(&b->profile) || !has_kernel_pcs(b))
        return;
    s->running_boot = find_boot(m->boots);
    if (s->running_boot == BOOTS_NONE || has_names(m, s->running_boot))
        return;
    kallsyms_add(s, "/proc/kallsyms", &why);
    s->n_running = s->n - n_before;
    text_free(&why);
}
