/* SPDX-License-Identifier: BSD-2-Clause */
/* See rsp.h. */
#include "rsp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/hex.h"

/* Names in commands are the stub's own. */
enum { RSP_COMMAND_MAX = 512 };

/* How often a packet is sent again, by either side, before giving up; and how many
 * unsolicited packets may precede a reply. */
enum { REPEATS_MAX = 8, UNASKED_MAX = 10000 };

const char *rsp_code_message(enum rsp_code code)
{
    switch (code) {
    case RSP_OK:
        return "no error";
    case RSP_CLOSED:
        return "the connection was closed";
    case RSP_TIMEOUT:
        return "there was no answer";
    case RSP_INTERRUPTED:
        return "it was interrupted";
    case RSP_BROKEN:
        return "an answer violates the protocol";
    case RSP_ENDED:
        return "the target has ended";
    }
    return "unknown code";
}

/* ---- Out --------------------------------------------------------------------------- */

static enum rsp_code flush_output(struct rsp *r)
{
    bool good =
        r->out.size == 0 || r->link.write(r->link.context, r->out.data, r->out.size);

    r->out.size = 0;
    return good ? RSP_OK : RSP_CLOSED;
}

static enum rsp_code send_last(struct rsp *r)
{
    text_add(&r->out, r->last.data, r->last.size);
    r->is_unacknowledged = !r->without_acks;
    return flush_output(r);
}

enum rsp_code rsp_send(struct rsp *r, const char *command)
{
    r->last.size = 0;
    rsp_put(&r->last, command, strlen(command));
    return send_last(r);
}

void rsp_add_byte(struct rsp *r, char byte)
{
    text_char(&r->out, byte);
}

enum rsp_code rsp_send_byte(struct rsp *r, char byte)
{
    rsp_add_byte(r, byte);
    return flush_output(r);
}

/* ---- In ---------------------------------------------------------------------------- */

static enum rsp_code fill_parser(struct rsp *r, uint64_t until_ns)
{
    enum rsp_code code = flush_output(r);

    if (code != RSP_OK)
        return code;
    r->pos = 0;
    r->size =
        r->link.read(r->link.context, r->buffer, sizeof(r->buffer), until_ns, &code);
    return r->size > 0 ? RSP_OK : code;
}

static enum rsp_code repeat_packet(struct rsp *r, unsigned *n_repeats, bool is_ours)
{
    r->n_repeats++;
    if (++*n_repeats > REPEATS_MAX)
        return RSP_BROKEN;
    if (is_ours)
        return send_last(r);
    if (!r->without_acks)
        text_char(&r->out, '-');
    return RSP_OK;
}

enum rsp_code rsp_receive(struct rsp *r, uint64_t until_ns, const struct text **packet)
{
    enum rsp_code code = RSP_OK;
    unsigned n_repeats = 0;
    bool was_late = false;

    while (code == RSP_OK) {
        switch (rsp_parse(&r->parser, r->buffer, r->size, &r->pos)) {
        case RSP_MORE:
            /* What arrived by the deadline is still read, but only once if it is noise.
             */
            if (was_late)
                return RSP_TIMEOUT;
            was_late = r->link.now(r->link.context) >= until_ns;
            code = fill_parser(r, until_ns);
            break;
        case RSP_ACK:
            r->is_unacknowledged = false;
            break;
        case RSP_NAK:
            if (r->is_unacknowledged)
                code = repeat_packet(r, &n_repeats, true);
            break;
        case RSP_BAD:
            code = repeat_packet(r, &n_repeats, false);
            break;
        case RSP_NOTICE:
            break;
        case RSP_PACKET:
            /* It goes out with whatever is sent next, or before waiting. */
            if (!r->without_acks)
                text_char(&r->out, '+');
            text_char(&r->parser.packet, '\0');
            r->parser.packet.size--;
            *packet = &r->parser.packet;
            return RSP_OK;
        }
    }
    return code;
}

bool rsp_is_stop(const struct text *packet, unsigned *signal)
{
    const char *p = packet->data;

    if (packet->size < 3 || (p[0] != 'T' && p[0] != 'S') || hex_digit(p[1]) < 0 ||
        hex_digit(p[2]) < 0)
        return false;
    *signal = (unsigned)(hex_digit(p[1]) << 4 | hex_digit(p[2]));
    return true;
}

bool rsp_is_end(const struct text *packet)
{
    const char *p = packet->data;

    return packet->size >= 3 && (p[0] == 'W' || p[0] == 'X') && hex_digit(p[1]) >= 0 &&
           hex_digit(p[2]) >= 0;
}

/* Whether a packet is unsolicited: a stop reply, or output of the target. "OK" is not
 * such output. */
static bool is_unasked(const struct text *packet)
{
    unsigned signal;

    return rsp_is_stop(packet, &signal) ||
           (packet->size > 0 && packet->data[0] == 'O' &&
            !(packet->size == 2 && packet->data[1] == 'K'));
}

static enum rsp_code await_reply(struct rsp *r, bool wants_stop,
                                 const struct text **reply)
{
    uint64_t until_ns = r->link.now(r->link.context) + RSP_PATIENCE_NS;
    enum rsp_code code = RSP_OK;

    for (int i = 0; code == RSP_OK && i < UNASKED_MAX; i++) {
        unsigned signal;

        code = rsp_receive(r, until_ns, reply);
        if (code != RSP_OK)
            return code;
        if (rsp_is_end(*reply))
            return RSP_ENDED;
        if (!is_unasked(*reply) || (wants_stop && rsp_is_stop(*reply, &signal))) {
            r->is_unacknowledged = false;
            return RSP_OK;
        }
    }
    return code != RSP_OK ? code : RSP_BROKEN;
}

enum rsp_code rsp_drop(struct rsp *r)
{
    const struct text *reply;
    enum rsp_code code = RSP_OK;

    while (r->is_pipelined && r->n_due > 0 && code == RSP_OK)
        code = rsp_next(r, &reply);
    r->n_due = 0;
    r->queue.size = 0;
    r->queue_pos = 0;
    return code;
}

enum rsp_code rsp_ask(struct rsp *r, const char *command, const struct text **reply)
{
    enum rsp_code code = rsp_drop(r);

    if (code == RSP_OK)
        code = rsp_send(r, command);
    return code == RSP_OK ? await_reply(r, command[0] == '?', reply) : code;
}

enum rsp_code rsp_ask_for(struct rsp *r, const struct text **reply, const char *format,
                          ...)
{
    char command[RSP_COMMAND_MAX];
    va_list arguments;
    int size;

    va_start(arguments, format);
    size = vsnprintf(command, sizeof(command), format, arguments);
    va_end(arguments);
    if (size < 0 || size >= (int)sizeof(command))
        return RSP_BROKEN;
    return rsp_ask(r, command, reply);
}

/* ---- Queued commands --------------------------------------------------------------- */

void rsp_queue(struct rsp *r, const char *format, ...)
{
    char command[RSP_COMMAND_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof(command), format, arguments);
    va_end(arguments);
    r->n_due++;
    if (r->is_pipelined)
        rsp_put(&r->out, command, strlen(command));
    else
        text_add(&r->queue, command, strlen(command) + 1);
}

enum rsp_code rsp_next(struct rsp *r, const struct text **reply)
{
    const char *command;
    enum rsp_code code;

    r->n_due--;
    if (r->is_pipelined)
        return await_reply(r, false, reply);
    command = r->queue.data + r->queue_pos;
    r->queue_pos += strlen(command) + 1;
    code = rsp_send(r, command);
    if (r->n_due == 0)
        rsp_drop(r);
    return code == RSP_OK ? await_reply(r, false, reply) : code;
}

bool rsp_is(const struct text *reply, const char *what)
{
    return reply->size == strlen(what) && memcmp(reply->data, what, reply->size) == 0;
}

bool rsp_is_error(const struct text *reply)
{
    return reply->size == 0 || reply->data[0] == 'E';
}
