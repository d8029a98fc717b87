/* SPDX-License-Identifier: BSD-2-Clause */
/* See build_id.h. */
#include "build_id.h"

#include <string.h>

#include "common/elf/elf_image.h"

enum build_id_match build_id_match(const char *file, struct string module)
{
    if (module.size == 0)
        return BUILD_ID_UNKNOWN;
    if (file[0] == '\0')
        return BUILD_ID_MISSING;
    if (strlen(file) != module.size || memcmp(file, module.data, module.size) != 0)
        return BUILD_ID_DIFFERENT;
    return BUILD_ID_EQUAL;
}

bool build_id_is_hex(struct string build_id)
{
    for (size_t i = 0; i < build_id.size; i++) {
        if ((build_id.data[i] < '0' || build_id.data[i] > '9') &&
            (build_id.data[i] < 'a' || build_id.data[i] > 'f'))
            return false;
    }
    return build_id.size >= 4 && build_id.size <= 2 * (size_t)ELF_BUILD_ID_MAX;
}
