/* SPDX-License-Identifier: BSD-2-Clause */
/* See rsp_packet.h. */
#include "rsp_packet.h"

#include "common/base/hex.h"

/* A repeat's count is the byte less this. */
enum { REPEAT_BIAS = 29, REPEAT_MIN = 32, REPEAT_MAX = 126 };

int rsp_hex_byte(const char *at)
{
    int high = hex_digit(at[0]);
    int low = hex_digit(at[1]);

    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

bool rsp_hex_word(const struct text *from, uint64_t offset, uint64_t *word)
{
    uint64_t value = 0;

    if (offset > from->size / 2 || from->size / 2 - offset < sizeof(value))
        return false;
    for (size_t i = sizeof(value); i > 0; i--) {
        int byte = rsp_hex_byte(from->data + 2 * (offset + i - 1));

        if (byte < 0)
            return false;
        value = value << 8 | (uint64_t)byte;
    }
    *word = value;
    return true;
}

uint64_t rsp_hex_number(const char *at)
{
    uint64_t value = 0;

    for (; hex_digit(*at) >= 0; at++)
        value = value << 4 | (uint64_t)hex_digit(*at);
    return value;
}

static void start_packet(struct rsp_parser *p, bool is_notice)
{
    p->packet.size = 0;
    p->at = RSP_INSIDE;
    p->is_notice = is_notice;
    p->is_bad = false;
    p->sum = 0;
}

static void add_byte(struct rsp_parser *p, char c)
{
    if (p->packet.size < RSP_PACKET_MAX)
        text_char(&p->packet, c);
    else
        p->is_bad = true;
}

static void repeat_byte(struct rsp_parser *p, unsigned char c)
{
    if (c < REPEAT_MIN || c > REPEAT_MAX || p->packet.size == 0) {
        p->is_bad = true;
        return;
    }
    for (int i = c - REPEAT_BIAS; i > 0; i--)
        add_byte(p, p->packet.data[p->packet.size - 1]);
}

/* A packet's data, and what ends it. */
static void take_data(struct rsp_parser *p, unsigned char c)
{
    if (c == '#') {
        p->is_bad = p->is_bad || p->at != RSP_INSIDE;
        p->at = RSP_SUM_1;
        return;
    }
    p->sum = (unsigned char)(p->sum + c);
    if (p->at == RSP_ESCAPED) {
        add_byte(p, (char)(c ^ 0x20));
        p->at = RSP_INSIDE;
    } else if (p->at == RSP_REPEATED) {
        repeat_byte(p, c);
        p->at = RSP_INSIDE;
    } else if (c == '}') {
        p->at = RSP_ESCAPED;
    } else if (c == '*') {
        p->at = RSP_REPEATED;
    } else {
        add_byte(p, (char)c);
    }
}

static void take_sum(struct rsp_parser *p, unsigned char c)
{
    int digit = hex_digit((char)c);

    p->is_bad = p->is_bad || digit < 0;
    p->expected = (unsigned char)(p->expected << 4 | (digit & 15));
    p->at = p->at == RSP_SUM_1 ? RSP_SUM_2 : RSP_OUTSIDE;
}

static enum rsp_event take_byte(struct rsp_parser *p, unsigned char c)
{
    /* An unfinished packet before it is dropped. */
    if (c == '$') {
        start_packet(p, false);
        return RSP_MORE;
    }
    switch (p->at) {
    case RSP_OUTSIDE:
        if (c == '%')
            start_packet(p, true);
        return c == '+' ? RSP_ACK : (c == '-' ? RSP_NAK : RSP_MORE);
    case RSP_INSIDE:
    case RSP_ESCAPED:
    case RSP_REPEATED:
        take_data(p, c);
        return RSP_MORE;
    case RSP_SUM_1:
        take_sum(p, c);
        return RSP_MORE;
    case RSP_SUM_2:
        take_sum(p, c);
        break;
    }
    if (p->is_bad || p->sum != p->expected)
        return p->is_notice ? RSP_MORE : RSP_BAD;
    return p->is_notice ? RSP_NOTICE : RSP_PACKET;
}

enum rsp_event rsp_parse(struct rsp_parser *p, const unsigned char *data, size_t size,
                         size_t *pos)
{
    while (*pos < size) {
        enum rsp_event event = take_byte(p, data[(*pos)++]);

        if (event != RSP_MORE)
            return event;
    }
    return RSP_MORE;
}

void rsp_put(struct text *to, const char *data, size_t size)
{
    unsigned char sum = 0;
    size_t first;

    text_char(to, '$');
    first = to->size;
    for (size_t i = 0; i < size; i++) {
        char c = data[i];

        if (c == '$' || c == '#' || c == '}' || c == '*') {
            text_char(to, '}');
            c = (char)(c ^ 0x20);
        }
        text_char(to, c);
    }
    for (size_t i = first; i < to->size; i++)
        sum = (unsigned char)(sum + (unsigned char)to->data[i]);
    text_char(to, '#');
    text_hex(to, sum, 2);
}
