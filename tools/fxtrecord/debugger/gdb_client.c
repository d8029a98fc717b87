/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_client.h: the handshake with a stub, and making its target run and stop. */
#include "gdb_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Signals by which a debugger stops a target, which are not passed on to it. */
enum { SIGNAL_INT = 2, SIGNAL_TRAP = 5 };

/* Limits: a packet if the stub states no size, and the files of a description. */
enum { PACKET_SIZE_DEFAULT = 400, DESCRIPTION_FILES_MAX = 64 };

static const char interrupt = 0x03;

/* ---- Introduction ------------------------------------------------------------------ */

static bool supports_feature(const struct text *reply, const char *feature)
{
    const char *at = strstr(reply->data, feature);

    return at != NULL && (at == reply->data || at[-1] == ';');
}

static enum rsp_code negotiate_features(struct gdb_client *c, bool *has_description)
{
    const struct text *reply;
    enum rsp_code code = rsp_ask(&c->rsp, "qSupported:xmlRegisters=i386", &reply);
    const char *size;
    bool can_omit_acks;

    if (code != RSP_OK)
        return code;
    *has_description = supports_feature(reply, "qXfer:features:read+");
    can_omit_acks = supports_feature(reply, "QStartNoAckMode+");
    size = strstr(reply->data, "PacketSize=");
    c->packet_size =
        size != NULL ? rsp_hex_number(size + strlen("PacketSize=")) : PACKET_SIZE_DEFAULT;
    if (c->packet_size < GDB_PACKET_SIZE_MIN)
        c->packet_size = GDB_PACKET_SIZE_MIN;
    if (c->packet_size > RSP_PACKET_MAX)
        c->packet_size = RSP_PACKET_MAX;
    if (!can_omit_acks)
        return RSP_OK;
    /* The reply itself still gets one. */
    code = rsp_ask(&c->rsp, "QStartNoAckMode", &reply);
    c->rsp.without_acks = code == RSP_OK && rsp_is(reply, "OK");
    return code;
}

/* ---- Description ------------------------------------------------------------------- */

/* Reads a file of the description, in as many pieces as it has. */
static enum rsp_code read_file(struct gdb_client *c, const char *name, struct text *file)
{
    const struct text *reply;
    enum rsp_code code;
    char kind;

    do {
        code = rsp_ask_for(&c->rsp, &reply, "qXfer:features:read:%s:%zx,%" PRIx64, name,
                           file->size, c->packet_size - GDB_PACKET_SIZE_MIN / 2);
        if (code != RSP_OK)
            return code;
        kind = reply->size > 0 ? reply->data[0] : '\0';
        if (kind != 'l' && kind != 'm')
            return RSP_OK;
        text_add(file, reply->data + 1, reply->size - 1);
    } while (kind == 'm' && reply->size > 1 && file->size < RSP_PACKET_MAX);
    return RSP_OK;
}

/* All files: those that are included are in the order of their registers. */
static enum rsp_code read_description(struct gdb_client *c,
                                      struct rsp_description *description)
{
    size_t at = 0;
    enum rsp_code code = RSP_OK;

    text_add(&description->includes, "target.xml", sizeof("target.xml"));
    for (int i = 0; i < DESCRIPTION_FILES_MAX && code == RSP_OK; i++) {
        struct text file = {NULL, 0, 0};
        struct text name = {NULL, 0, 0};

        if (at >= description->includes.size)
            break;
        text_str(&name, description->includes.data + at);
        at += name.size + 1;
        text_char(&name, '\0');
        code = read_file(c, name.data, &file);
        if (code == RSP_OK)
            rsp_describe(description, file.data, file.size);
    }
    return code;
}

static enum rsp_code learn_layout(struct gdb_client *c, bool has_description,
                                  const char **why)
{
    struct rsp_description description = {.number = 0};
    enum rsp_code code = RSP_OK;
    bool good = false;

    if (has_description)
        code = read_description(c, &description);
    if (code == RSP_OK && has_description)
        good = rsp_layout_from(&description, &c->layout);
    if (code == RSP_OK && !good && description.number > 0) {
        *why = "its registers are not those of an x86-64, aarch64 or riscv64";
        code = RSP_BROKEN;
    }
    if (code == RSP_OK && !good) {
        c->is_guess = c->assumed == RSP_UNKNOWN_MACHINE;
        rsp_layout_of(c->is_guess ? rsp_machine_here() : c->assumed, &c->layout);
    }
    return code;
}

/* Qemu, where it has a mode for physical memory and so is a machine, takes commands while
 * it answers others, as an acknowledgement, too; and while the machine runs any byte
 * stops it first. Other stubs may lose what comes too early. */
static enum rsp_code recognise_qemu(struct gdb_client *c)
{
    const struct text *reply;
    enum rsp_code code = rsp_ask(&c->rsp, "qqemu.PhyMemMode", &reply);

    if (code == RSP_OK && (rsp_is(reply, "0") || rsp_is(reply, "1"))) {
        c->rsp.is_pipelined = true;
        c->rsp.without_acks = true;
    }
    return code;
}

enum rsp_code gdb_start(struct gdb_client *c, const char **why)
{
    const struct text *reply;
    bool has_description = false;
    enum rsp_code code = negotiate_features(c, &has_description);

    *why = NULL;
    if (code == RSP_OK)
        code = rsp_ask(&c->rsp, "?", &reply);
    if (code == RSP_OK && !rsp_is_stop(reply, &c->signal)) {
        *why = "it does not say that the target is stopped";
        code = RSP_BROKEN;
    }
    /* It was stopped by the connection. */
    c->is_stopped = true;
    c->signal = 0;
    if (code == RSP_OK)
        code = learn_layout(c, has_description, why);
    if (code == RSP_OK)
        code = gdb_list_threads(c);
    if (code == RSP_OK && c->is_system)
        code = recognise_qemu(c);
    return code == RSP_OK ? rsp_ask(&c->rsp, "Hc-1", &reply) : code;
}

/* ---- Running ----------------------------------------------------------------------- */

enum rsp_code gdb_resume(struct gdb_client *c)
{
    char command[8] = "c";

    if (c->signal != 0 && c->signal != SIGNAL_INT && c->signal != SIGNAL_TRAP)
        snprintf(command, sizeof(command), "C%02x", c->signal & 0xff);
    c->is_stopped = false;
    c->signal = 0;
    c->selected = NULL;
    return rsp_send(&c->rsp, command);
}

/* Takes a packet that came while the target ran. */
static enum rsp_code take_running(struct gdb_client *c, const struct text *packet)
{
    if (rsp_is_end(packet))
        return RSP_ENDED;
    c->is_stopped = rsp_is_stop(packet, &c->signal);
    /* A program that requests file I/O of its debugger waits for a result: it gets an
     * error. */
    if (packet->size > 0 && packet->data[0] == 'F')
        return rsp_send(&c->rsp, "F-1,58");
    return RSP_OK;
}

static bool is_over(const struct gdb_client *c, uint64_t until_ns)
{
    return c->rsp.link.now(c->rsp.link.context) >= until_ns;
}

/* A target's output may never end: after the deadline, one more packet is read. */
static enum rsp_code await_stop(struct gdb_client *c, uint64_t until_ns)
{
    enum rsp_code code = RSP_OK;
    bool was_late = false;

    while (code == RSP_OK && !c->is_stopped) {
        const struct text *packet;

        if (was_late)
            return RSP_TIMEOUT;
        was_late = is_over(c, until_ns);
        code = rsp_receive(&c->rsp, until_ns, &packet);
        if (code == RSP_OK)
            code = take_running(c, packet);
    }
    return code;
}

enum rsp_code gdb_stop(struct gdb_client *c)
{
    enum rsp_code code = RSP_OK;

    if (!c->is_stopped)
        code = rsp_send_byte(&c->rsp, interrupt);
    if (code == RSP_OK)
        code = await_stop(c, c->rsp.link.now(c->rsp.link.context) + RSP_PATIENCE_NS);
    return code;
}

/* That it has stopped arrives before the replies, as a packet that nothing has asked for.
 */
void gdb_stop_with_next(struct gdb_client *c)
{
    if (!c->is_stopped)
        rsp_add_byte(&c->rsp, interrupt);
    c->is_stopped = true;
}

enum rsp_code gdb_wait(struct gdb_client *c, uint64_t until_ns)
{
    enum rsp_code code;

    do {
        code = await_stop(c, until_ns);
        if (code == RSP_OK)
            code = gdb_resume(c);
    } while (code == RSP_OK && !is_over(c, until_ns));
    return code == RSP_TIMEOUT ? RSP_OK : code;
}

void gdb_detach(struct gdb_client *c)
{
    const struct text *reply;

    if (gdb_stop(c) != RSP_OK)
        return;
    /* What is not sent yet would be lost with the connection. */
    rsp_ask(&c->rsp, "D", &reply);
}
