/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of the GDB remote serial protocol: commands, and the replies to them. Packets
 * that did not arrive are sent again; unsolicited packets, such as that the target has
 * stopped for the connection, are not taken for a reply.
 */
#ifndef FXTRECORD_DEBUGGER_RSP_H
#define FXTRECORD_DEBUGGER_RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rsp_packet.h"

/* Why there is no reply. */
enum rsp_code {
    RSP_OK,
    /* The other side has closed the connection. */
    RSP_CLOSED,
    /* It does not answer. */
    RSP_TIMEOUT,
    /* The user has asked to stop. */
    RSP_INTERRUPTED,
    /* It violates the protocol. */
    RSP_BROKEN,
    /* The target has ended. */
    RSP_ENDED
};

/* A message for a code, without a full stop. */
const char *rsp_code_message(enum rsp_code code);

/* The transport: a socket or, for tests and fuzzing, something else. */
struct rsp_link {
    void *context;
    /* Waits for bytes until a time of now(). Returns how many were read, at least one, or
     * stores why there are none. */
    size_t (*read)(void *context, void *data, size_t size, uint64_t until_ns,
                   enum rsp_code *code);
    bool (*write)(void *context, const void *data, size_t size);
    uint64_t (*now)(void *context);
};

struct rsp {
    struct rsp_link link;
    struct rsp_parser parser;
    unsigned char buffer[1 << 14];
    size_t pos;
    size_t size;
    /* Packets are not acknowledged. */
    bool without_acks;
    /* What goes out next, acknowledgements first; and the last packet, if it may have to
     * be sent again. */
    struct text out;
    struct text last;
    bool is_unacknowledged;
    /* Commands that are queued: where the stub takes them while it answers others, they
     * are in `out`, or were sent, and this many replies are due. Elsewhere they are in
     * `queue`, each with its NUL, from a position on. */
    bool is_pipelined;
    size_t n_due;
    struct text queue;
    size_t queue_pos;
    /* How often something had to be sent again, by either side. */
    uint64_t n_repeats;
};

/* How long to wait for a reply. */
#define RSP_PATIENCE_NS ((uint64_t)10000000000)

/* Sends a command that gets no reply before the target stops. */
enum rsp_code rsp_send(struct rsp *rsp, const char *command);

/* Sends one byte outside of all packets; or adds it to what is sent next. */
enum rsp_code rsp_send_byte(struct rsp *rsp, char byte);
void rsp_add_byte(struct rsp *rsp, char byte);

/* Sends a command, and stores the reply, which is valid until the next call and is
 * zero-terminated. An empty reply means that the stub does not know the command. */
enum rsp_code rsp_ask(struct rsp *rsp, const char *command, const struct text **reply);

/* The same for a command that is formatted as by printf. */
enum rsp_code rsp_ask_for(struct rsp *rsp, const struct text **reply, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/* Adds a command, formatted as by printf, to those whose replies rsp_next takes in the
 * same order, as rsp_ask has them. If the session is pipelined, all that are queued are
 * sent at once; so they are to be few enough that sockets have room for their replies. */
void rsp_queue(struct rsp *rsp, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum rsp_code rsp_next(struct rsp *rsp, const struct text **reply);

/* Drops the replies that were not taken, as rsp_ask does, too. */
enum rsp_code rsp_drop(struct rsp *rsp);

/* Whether a reply is equal to a string; whether it is an error. */
bool rsp_is(const struct text *reply, const char *what);
bool rsp_is_error(const struct text *reply);

/* Waits for the next packet of any kind; RSP_TIMEOUT if none has arrived by then. */
enum rsp_code rsp_receive(struct rsp *rsp, uint64_t until_ns, const struct text **packet);

/* Whether a packet says that the target has stopped ("T05..." or "S05"). The signal is
 * stored. */
bool rsp_is_stop(const struct text *packet, unsigned *signal);

/* Whether a packet says that the target has ended ("W00", "X09"). */
bool rsp_is_end(const struct text *packet);

#endif
