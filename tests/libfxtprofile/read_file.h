/* SPDX-License-Identifier: BSD-2-Clause */
/* A file's contents, for tests that damage them. */
#ifndef TESTS_LIBFXTPROFILE_READ_FILE_H
#define TESTS_LIBFXTPROFILE_READ_FILE_H

#include <criterion/criterion.h>

#include <stdio.h>

#include "common/base/memory.h"

/* The caller releases the bytes. */
static inline unsigned char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    unsigned char *bytes;
    long end;

    cr_assert_not_null(file, "%s", name);
    fseek(file, 0, SEEK_END);
    end = ftell(file);
    rewind(file);
    bytes = (unsigned char *)memory_reserve((size_t)end);
    *size = fread(bytes, 1, (size_t)end, file);
    fclose(file);
    return bytes;
}

#endif
