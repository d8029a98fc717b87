/* SPDX-License-Identifier: BSD-2-Clause */
/* Eight bytes at a time: a word as hex digits, and its bytes as characters to look at. */
#ifndef TOOLS_HEX_H
#define TOOLS_HEX_H

#include <stdint.h>
#include <string.h>

/* The two lower-case digits of each byte, one pair behind the other. */
extern const char hex_pairs[];

/* Stores the two digits of a byte. */
static inline void hex_byte(char *to, unsigned byte)
{
    memcpy(to, hex_pairs + 2 * (byte & 0xff), 2);
}

/* Stores all 16 digits of a word. */
static inline void hex_word(char *to, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        hex_byte(to + 2 * i, (unsigned)(word >> (56 - 8 * i)));
}

/* The same byte eight times. */
#define HEX_BYTES(byte) ((uint64_t)(byte)*0x0101010101010101)

/* Stores eight bytes with a dot for each that is not printable ASCII. */
static inline void hex_characters(char *to, const void *bytes)
{
    uint64_t x;
    uint64_t low;
    uint64_t printable;

    memcpy(&x, bytes, sizeof(x));
    /* The top bit of each byte becomes the answer: from 0x20 on, and not 0x7f. */
    low = x & HEX_BYTES(0x7f);
    printable = (low + HEX_BYTES(0x60)) & ~(low + HEX_BYTES(1)) & ~x & HEX_BYTES(0x80);
    printable = (printable >> 7) * 0xff;
    x = (x & printable) | (HEX_BYTES('.') & ~printable);
    memcpy(to, &x, sizeof(x));
}

#endif
