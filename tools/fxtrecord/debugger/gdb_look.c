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
        {&c->layout.pc, &registers->pc},       {&c->layout.frame, &registers->frame},
        {&c->layout.stack, &registers->stack}, {&c->layout.link, &registers->link},
        {&c->layout.ax, &registers->ax},       {&c->layout.dx, &registers->dx},
        {&c->layout.di, &registers->di},       {&c->layout.r10, &registers->r10},
        {&c->layout.r13, &registers->r13},
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
    *registers = (struct gdb_registers){.pc = 0};
    c->n_cached = 0;
    code = rsp_ask_for(&c->rsp, &reply, "Hg%s", thread->id);
    if (code != RSP_OK || (!rsp_is(reply, "OK") && reply->size > 0))
        return code;
    code = rsp_ask(&c->rsp, "g", &reply);
    return code == RSP_OK ? take_registers(c, reply, registers, known) : code;
}

/* How much one packet has. */
static uint64_t packet_room(const struct gdb_client *c)
{
    return (c->packet_size / 2 - GDB_PACKET_SIZE_MIN / 4) & ~(uint64_t)7;
}

/* Reads what fits into a packet. Returns how many bytes there were. */
static size_t ask_memory(struct gdb_client *c, uint64_t address, unsigned char *to,
                         size_t size, enum rsp_code *code)
{
    const struct text *reply;
    size_t n = 0;

    *code = rsp_ask_for(&c->rsp, &reply, "m%" PRIx64 ",%zx", address, size);
    if (*code != RSP_OK || rsp_is_error(reply))
        return 0;
    for (; n < size && 2 * n + 1 < reply->size; n++) {
        int byte = rsp_hex_byte(reply->data + 2 * n);

        if (byte < 0)
            break;
        to[n] = (unsigned char)byte;
    }
    return n;
}

/* Reads from an address up to a multiple of `limit`. */
static enum rsp_code fill_cache(struct gdb_client *c, uint64_t address, uint64_t limit)
{
    uint64_t room = packet_room(c);
    uint64_t size = limit - address % limit;
    enum rsp_code code;

    if (size > room)
        size = room;
    if (size > sizeof(c->cache))
        size = sizeof(c->cache);
    c->cached = address;
    c->n_cached = ask_memory(c, address, c->cache, (size_t)size, &code);
    return code;
}

/* What is beyond the page may not be mapped even so. */
static enum rsp_code read_ahead(struct gdb_client *c, uint64_t address)
{
    enum rsp_code code = RSP_OK;

    c->n_cached = 0;
    if (c->read_limit > PAGE)
        code = fill_cache(c, address, c->read_limit);
    return code == RSP_OK && c->n_cached == 0 ? fill_cache(c, address, PAGE) : code;
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
        *code = read_ahead(c, address);
        if (*code != RSP_OK || c->n_cached < sizeof(value))
            return false;
    }
    for (size_t i = sizeof(value); i > 0; i--)
        value = value << 8 | c->cache[address - c->cached + i - 1];
    *word = value;
    return true;
}

bool gdb_read_memory(struct gdb_client *c, uint64_t address, void *to, size_t size,
                     enum rsp_code *code)
{
    unsigned char *target = to;
    uint64_t room = packet_room(c);

    *code = RSP_OK;
    while (size > 0) {
        size_t wanted = size < room ? size : (size_t)room;
        size_t n = ask_memory(c, address, target, wanted, code);

        if (n != wanted)
            return false;
        target += n;
        address += n;
        size -= n;
    }
    return true;
}
