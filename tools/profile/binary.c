/* SPDX-License-Identifier: BSD-2-Clause */
/* See binary.h. */
#include "binary.h"

#include <stdlib.h>
#include <string.h>

static char *hex_of(const unsigned char *bytes, size_t size)
{
    struct text hex = {NULL, 0, 0};

    text_hex_bytes(&hex, bytes, size);
    text_char(&hex, '\0');
    return hex.data;
}

struct binary *binary_open(const char *name, struct text *why)
{
    struct file *file = file_open(name, why);
    struct binary *binary;
    struct elf elf;
    bool ok;

    if (file == NULL)
        return NULL;
    ok = elf_read(&elf, file, why);
    file_close(file);
    if (!ok)
        return NULL;
    binary = (struct binary *)must_allocate(sizeof(*binary));
    *binary = (struct binary){
        .name = must_copy(name),
        .build_id = hex_of(elf.build_id, elf.build_id_size),
        .elf = elf,
    };
    return binary;
}

void binary_take_debug(struct binary *binary, struct binary *debug)
{
    binary->debug = debug;
}

bool binary_lacks_debug(const struct binary *binary)
{
    return binary->debug == NULL &&
           !(binary->elf.has_symbol_table && binary->elf.has_debug_info);
}

bool binary_has_build_id(const struct binary *binary, const char *build_id, size_t size)
{
    size_t own = strlen(binary->build_id);

    return own == size && memcmp(binary->build_id, build_id, size) == 0;
}

const struct elf_code *binary_code_in(const struct binary *binary, uint64_t start,
                                      uint64_t limit)
{
    for (size_t i = 0; i < binary->elf.n_code; i++) {
        const struct elf_code *code = &binary->elf.code[i];

        if (code->vaddr < limit && start < code->limit)
            return code;
    }
    return NULL;
}

const char *binary_symbol(const struct binary *binary, uint64_t address)
{
    const struct binary *from = binary;
    const struct elf_symbol *symbol;

    if (binary->debug != NULL && binary->debug->elf.has_symbol_table)
        from = binary->debug;
    symbol = elf_find_symbol(&from->elf, address);
    return symbol != NULL ? symbol->name : NULL;
}

void binary_lines(struct binary *binary, uint64_t address, struct source_lines *lines)
{
    const char *symbol = binary_symbol(binary, address);

    lines->n = 0;
    if (symbol == NULL)
        return;
    lines->items = (struct source_line *)must_grow(
        lines->items, lines->n, &lines->capacity, sizeof(*lines->items));
    lines->items[lines->n++] = (struct source_line){.name = symbol};
}

void binary_close(struct binary *binary)
{
    if (binary == NULL)
        return;
    binary_close(binary->debug);
    free(binary->name);
    free(binary->build_id);
    elf_free(&binary->elf);
    free(binary);
}
