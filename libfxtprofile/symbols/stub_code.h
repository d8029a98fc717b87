/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of PLT stubs. */
#ifndef FXTPROFILE_SYMBOLS_STUB_CODE_H
#define FXTPROFILE_SYMBOLS_STUB_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/elf/elf_headers.h"

/* A decoded stub. */
struct stub {
    /* Its maximum size, if no other one begins before; and where the next one may begin.
     */
    uint64_t size;
    uint64_t least_size;
    /* The word of the GOT that it loads its target from; or the number of the relocation
     * of the PLT that it gives to the dynamic linker. */
    bool is_numbered;
    uint64_t got_word;
    uint64_t number;
};

/* A section of stubs. */
struct stub_code {
    const unsigned char *bytes;
    uint64_t size;
    uint64_t address;
    uint16_t machine;
    bool is_64;
    /* The address that i386's position-independent stubs have in %ebx. */
    uint64_t got;
    /* Stubs begin at multiples of it. */
    uint64_t step;
};

/* Returns false if the stubs of the machine are not known. */
bool stub_code_init(struct stub_code *code, const struct elf_headers *headers,
                    const unsigned char *bytes, uint64_t size, uint64_t address);

/* Decodes the stub at an offset, if there is one. */
bool stub_decode(const struct stub_code *code, uint64_t at, struct stub *stub);

#endif
