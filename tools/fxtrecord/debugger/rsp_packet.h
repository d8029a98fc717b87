/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packets of the GDB remote protocol, without their meaning:
 *
 *     $m7ff0,100#fa       a packet: data, and the sum of its bytes
 *     %Stop:T05#..        the same, but an unsolicited notification
 *     + and -             the last packet arrived, or did not
 *
 * In data, '}' and a byte stand for that byte xor 0x20, and '*' and a byte for repeats of
 * the byte before (run-length encoding).
 */
#ifndef FXTRECORD_DEBUGGER_RSP_PACKET_H
#define FXTRECORD_DEBUGGER_RSP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/* Longer packets, once they are decoded, are bad. */
enum { RSP_PACKET_MAX = 1 << 20 };

enum rsp_event {
    /* All bytes were consumed. */
    RSP_MORE,
    RSP_ACK,
    RSP_NAK,
    /* A packet is in the parser's text, until the next call. */
    RSP_PACKET,
    /* The same, but it has a wrong checksum, is too long, or repeats no byte. */
    RSP_BAD,
    RSP_NOTICE
};

/* All zero is at the beginning of a stream. */
struct rsp_parser {
    struct text packet;
    enum { RSP_OUTSIDE, RSP_INSIDE, RSP_ESCAPED, RSP_REPEATED, RSP_SUM_1, RSP_SUM_2 } at;
    bool is_notice;
    bool is_bad;
    unsigned char sum;
    unsigned char expected;
};

/* Takes bytes from `*pos` on, up to the next event, and moves `*pos` past them. Other
 * bytes between packets are skipped. */
enum rsp_event rsp_parse(struct rsp_parser *parser, const unsigned char *data,
                         size_t size, size_t *pos);

/* Adds a packet with this data. */
void rsp_put(struct text *to, const char *data, size_t size);

/* A byte as two digits; -1 for anything else, such as "xx" for one that is not known. */
int rsp_hex_byte(const char *at);

/* The little-endian word at byte `offset`. Returns false if it is not there. */
bool rsp_hex_word(const struct text *from, uint64_t offset, uint64_t *word);

/* All hex digits at a position as one number. */
uint64_t rsp_hex_number(const char *at);

#endif
