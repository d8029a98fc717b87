/* SPDX-License-Identifier: BSD-2-Clause */
/* Hex digits: bytes and words as lower-case ones, where it must be fast. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stdint.h>
#include <string.h>

/* The two lower-case digits of each byte, one pair after the other. */
extern const char hex_pairs[];

/* Stores the two digits of a byte. */
static inline void hex_byte(char *to, unsigned byte)
{
    memcpy(to, hex_pairs + 2 * (byte & 0xff), 2);
}

/* The value of a digit of either case; -1 if it is none. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Stores all 16 digits of a word. */
static inline void hex_word(char *to, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        hex_byte(to + 2 * i, (unsigned)(word >> (56 - 8 * i)));
}

#endif
