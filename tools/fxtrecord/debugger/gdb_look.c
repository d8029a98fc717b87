/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_client.h: registers and memory of a stopped target. */
#include <inttypes.h>

#include "gdb_client.h"

enum { PAGE = 4096 };

/* Reads one register, if the packet of all registers lacks it. */
static enum rsp_code ask_register(struct gdb_client *c, const struct rsp_register *which,
                                  uint64_t *value, bool *known)
{
    const struct text *reply;
    enum rsp_code code;

    code = rsp_ask_for(&c->rsp, &reply, "p%" PRIx32, which->number);
    *known = code == RSP_OK && rsp_hex_word(reply, 0, value);
    return code;
}

static enum rsp_code take_registers(struct gdb_client *c, const struct text *all,
                                    struct gdb_registers *registers, bool *known)
{
    const struct {
        const struct rsp_register *which;
        uint64_t *value;
    } wanted[] = {
        {&c->layout.pc, &registers->pc},
        {&c->layout.frame, &registers->frame},
        {&c->layout.stack, &registers->stack},
        {&c->layout.link, &registers->link},
    };
    enum { N_WANTED = sizeof(wanted) / sizeof(wanted[0]) };
    bool found[N_WANTED];
    enum rsp_code code = RSP_OK;

    /* The packet is valid until the next request. */
    for (size_t i = 0; i < N_WANTED; i++)
        found[i] = !wanted[i].which->is_known ||
                   rsp_hex_word(all, wanted[i].which->offset, wanted[i].value);
    for (size_t i = 0; i < N_WANTED && code == RSP_OK; i++) {
        if (!found[i])
            code = ask_register(c, wanted[i].which, wanted[i].value, &found[i]);
    }
    *known = found[0];
    /* The pc is of use without a frame pointer. */
    if (!found[1] || !found[2])
        registers->frame = 0;
    return code;
}

enum rsp_code gdb_read_registers(struct gdb_client *c, const struct gdb_thread *thread,
                                 struct gdb_registers *registers, bool *known)
{
    const struct text *reply;
    enum rsp_code code;

    *known = false;
    *registers = (struct gdb_registers){0, 0, 0, 0};
    c->n_cached = 0;
    code = rsp_ask_for(&c->rsp, &reply, "Hg%s", thread->id);
    if (code != RSP_OK || (!rsp_is(reply, "OK") && reply->size > 0))
        return code;
    code = rsp_ask(&c->rsp, "g", &reply);
    return code == RSP_OK ? take_registers(c, reply, registers, known) : code;
}

/* Reads from an address up to the end of its page: the next one may not be mapped. */
static enum rsp_code fill_cache(struct gdb_client *c, uint64_t address)
{
    uint64_t room = (c->packet_size / 2 - GDB_PACKET_SIZE_MIN / 4) & ~(uint64_t)7;
    uint64_t size = PAGE - address % PAGE;
    const struct text *reply;
    enum rsp_code code;

    if (size > room)
        size = room;
    c->n_cached = 0;
    c->cached = address;
    code = rsp_ask_for(&c->rsp, &reply, "m%" PRIx64 ",%" PRIx64, address, size);
    if (code != RSP_OK || rsp_is_error(reply))
        return code;
    for (; c->n_cached < size && 2 * c->n_cached + 1 < reply->size; c->n_cached++) {
        int byte = rsp_hex_byte(reply->data + 2 * c->n_cached);

        if (byte < 0)
            break;
        c->cache[c->n_cached] = (unsigned char)byte;
    }
    return RSP_OK;
}

bool gdb_read_word(struct gdb_client *c, uint64_t address, uint64_t *word,
                   enum rsp_code *code)
{
    uint64_t value = 0;

    *code = RSP_OK;
    if (address % sizeof(value) != 0)
        return false;
    if (address < c->cached || address - c->cached >= c->n_cached ||
        c->n_cached - (address - c->cached) < sizeof(value)) {
        *code = fill_cache(c, address);
        if (*code != RSP_OK || c->n_cached < sizeof(value))
            return false;
    }
    for (size_t i = sizeof(value); i > 0; i--)
        value = value << 8 | c->cache[address - c->cached + i - 1];
    *word = value;
    return true;
}
