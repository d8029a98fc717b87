/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_client.h. */
#include "gdb_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Signals that a target gets from its debugger: none of its own. */
enum { SIGNAL_INT = 2, SIGNAL_TRAP = 5 };

/* The least that stubs take, if they do not say more; and files of a description. */
enum {
    PACKET_SIZE_DEFAULT = 400,
    PACKET_SIZE_MIN = 64,
    PAGE = 4096,
    DESCRIPTION_FILES_MAX = 64,
    THREAD_PACKETS_MAX = 65536
};

static const char interrupt = 0x03;

static enum rsp_code ask(struct gdb_client *c, const struct text **reply)
{
    text_char(&c->command, '\0');
    return rsp_ask(&c->rsp, c->command.data, reply);
}

static bool is(const struct text *reply, const char *what)
{
    return reply->size == strlen(what) && memcmp(reply->data, what, reply->size) == 0;
}

static bool is_error(const struct text *reply)
{
    return reply->size == 0 || reply->data[0] == 'E';
}

/* ---- Hex --------------------------------------------------------------------------- */

/* A byte as two digits; -1 for anything else, such as "xx" for one that is not known. */
static int hex_byte(const char *at)
{
    int high = rsp_hex_digit(at[0]);
    int low = rsp_hex_digit(at[1]);

    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* A word, the lowest byte first. */
static bool hex_word(const struct text *from, uint64_t offset, uint64_t *word)
{
    uint64_t value = 0;

    if (offset > from->size / 2 || from->size / 2 - offset < sizeof(value))
        return false;
    for (size_t i = sizeof(value); i > 0; i--) {
        int byte = hex_byte(from->data + 2 * (offset + i - 1));

        if (byte < 0)
            return false;
        value = value << 8 | (uint64_t)byte;
    }
    *word = value;
    return true;
}

static uint64_t hex_number(const char *at)
{
    uint64_t value = 0;

    for (; rsp_hex_digit(*at) >= 0; at++)
        value = value << 4 | (uint64_t)rsp_hex_digit(*at);
    return value;
}

/* ---- Introduction ------------------------------------------------------------------ */

static bool supports(const struct text *reply, const char *feature)
{
    const char *at = strstr(reply->data, feature);

    return at != NULL && (at == reply->data || at[-1] == ';');
}

static enum rsp_code negotiate(struct gdb_client *c, bool *has_description)
{
    const struct text *reply;
    enum rsp_code code = rsp_ask(&c->rsp, "qSupported:xmlRegisters=i386", &reply);
    const char *size;
    bool can_omit_acks;

    if (code != RSP_OK)
        return code;
    *has_description = supports(reply, "qXfer:features:read+");
    can_omit_acks = supports(reply, "QStartNoAckMode+");
    size = strstr(reply->data, "PacketSize=");
    c->packet_size =
        size != NULL ? hex_number(size + strlen("PacketSize=")) : PACKET_SIZE_DEFAULT;
    if (c->packet_size < PACKET_SIZE_MIN)
        c->packet_size = PACKET_SIZE_MIN;
    if (c->packet_size > RSP_PACKET_MAX)
        c->packet_size = RSP_PACKET_MAX;
    if (!can_omit_acks)
        return RSP_OK;
    /* The reply itself still gets one. */
    code = rsp_ask(&c->rsp, "QStartNoAckMode", &reply);
    c->rsp.without_acks = code == RSP_OK && is(reply, "OK");
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
        c->command.size = 0;
        text_printf(&c->command, "qXfer:features:read:%s:%zx,%" PRIx64, name, file->size,
                    c->packet_size - PACKET_SIZE_MIN / 2);
        code = ask(c, &reply);
        if (code != RSP_OK)
            return code;
        kind = reply->size > 0 ? reply->data[0] : '\0';
        if (kind != 'l' && kind != 'm')
            return RSP_OK;
        text_add(file, reply->data + 1, reply->size - 1);
    } while (kind == 'm' && reply->size > 1 && file->size < RSP_PACKET_MAX);
    return RSP_OK;
}

/* All files: those that are included stand in the order of their registers. */
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
        text_free(&file);
        text_free(&name);
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
    rsp_description_free(&description);
    return code;
}

/* ---- Threads ----------------------------------------------------------------------- */

/* "CPU#3 [running]" is what qemu says. */
static void take_name(struct gdb_thread *thread, const struct text *reply)
{
    size_t n = 0;
    const char *number;

    for (size_t i = 0; i + 1 < reply->size && n + 1 < sizeof(thread->name); i += 2) {
        int byte = hex_byte(reply->data + i);

        if (byte <= 0)
            break;
        thread->name[n++] = (char)byte;
    }
    thread->name[n] = '\0';
    number = strstr(thread->name, "CPU#");
    if (number != NULL && number[4] >= '0' && number[4] <= '9') {
        unsigned long cpu = strtoul(number + 4, NULL, 10);

        thread->is_cpu = cpu <= UINT16_MAX;
        thread->cpu = (uint32_t)cpu;
    }
}

/* "p1.2" is thread 2 of process 1. */
static bool add_thread(struct gdb_client *c, const char *id, size_t size)
{
    struct gdb_thread *thread;
    const char *dot = memchr(id, '.', size);

    for (size_t i = 0; i < size; i++) {
        if (rsp_hex_digit(id[i]) < 0 && id[i] != '.' && id[i] != 'p')
            return false;
    }
    if (size == 0 || size >= GDB_ID_MAX)
        return false;
    if (c->n_threads >= GDB_THREADS_MAX) {
        c->n_left_out++;
        return true;
    }
    c->threads =
        must_grow(c->threads, c->n_threads, &c->thread_capacity, sizeof(*c->threads));
    thread = &c->threads[c->n_threads++];
    *thread = (struct gdb_thread){.number = 0};
    memcpy(thread->id, id, size);
    thread->number = hex_number(dot != NULL ? dot + 1 : thread->id + (*id == 'p'));
    return true;
}

static bool add_threads(struct gdb_client *c, const struct text *reply)
{
    const char *at = reply->data + 1;
    const char *end = reply->data + reply->size;

    for (;;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));

        if (!add_thread(c, at, (size_t)((comma != NULL ? comma : end) - at)))
            return false;
        if (comma == NULL)
            return true;
        at = comma + 1;
    }
}

static enum rsp_code ask_names(struct gdb_client *c)
{
    const struct text *reply;
    enum rsp_code code = RSP_OK;

    c->is_system = c->n_threads > 0;
    for (size_t i = 0; i < c->n_threads && code == RSP_OK; i++) {
        c->command.size = 0;
        text_printf(&c->command, "qThreadExtraInfo,%s", c->threads[i].id);
        code = ask(c, &reply);
        if (code == RSP_OK && !is_error(reply))
            take_name(&c->threads[i], reply);
        c->is_system = c->is_system && c->threads[i].is_cpu;
    }
    return code;
}

enum rsp_code gdb_list_threads(struct gdb_client *c)
{
    const struct text *reply;
    enum rsp_code code = rsp_ask(&c->rsp, "qfThreadInfo", &reply);

    c->n_threads = 0;
    c->n_left_out = 0;
    for (int i = 0; code == RSP_OK && i < THREAD_PACKETS_MAX; i++) {
        if (reply->size < 2 || reply->data[0] != 'm')
            break;
        if (!add_threads(c, reply))
            return RSP_BROKEN;
        code = rsp_ask(&c->rsp, "qsThreadInfo", &reply);
    }
    /* Stubs that do not know threads have one. */
    if (code == RSP_OK && c->n_threads == 0)
        add_thread(c, "1", 1);
    return code == RSP_OK ? ask_names(c) : code;
}

enum rsp_code gdb_start(struct gdb_client *c, const char **why)
{
    const struct text *reply;
    bool has_description = false;
    enum rsp_code code = negotiate(c, &has_description);

    *why = NULL;
    if (code == RSP_OK)
        code = rsp_ask(&c->rsp, "?", &reply);
    if (code == RSP_OK && !rsp_is_stop(reply, &c->signal)) {
        *why = "it does not say that the target is stopped";
        code = RSP_BROKEN;
    }
    /* What it was stopped by is the connection. */
    c->is_stopped = true;
    c->signal = 0;
    if (code == RSP_OK)
        code = learn_layout(c, has_description, why);
    if (code == RSP_OK)
        code = gdb_list_threads(c);
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
    c->n_cached = 0;
    return rsp_send(&c->rsp, command);
}

/* Takes a packet that came while the target ran. */
static enum rsp_code take_running(struct gdb_client *c, const struct text *packet)
{
    if (rsp_is_end(packet))
        return RSP_ENDED;
    c->is_stopped = rsp_is_stop(packet, &c->signal);
    /* A program that asks its debugger to do something for it waits for the result: there
     * is none. */
    if (packet->size > 0 && packet->data[0] == 'F')
        return rsp_send(&c->rsp, "F-1,58");
    return RSP_OK;
}

static enum rsp_code await_stop(struct gdb_client *c, uint64_t until_ns)
{
    enum rsp_code code = RSP_OK;

    while (code == RSP_OK && !c->is_stopped) {
        const struct text *packet;

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

enum rsp_code gdb_wait(struct gdb_client *c, uint64_t until_ns)
{
    enum rsp_code code = RSP_OK;

    while (code == RSP_OK) {
        code = await_stop(c, until_ns);
        if (code == RSP_OK)
            code = gdb_resume(c);
    }
    return code == RSP_TIMEOUT ? RSP_OK : code;
}

void gdb_detach(struct gdb_client *c)
{
    const struct text *reply;

    if (gdb_stop(c) != RSP_OK)
        return;
    /* What is not on its way is lost with the connection. */
    rsp_ask(&c->rsp, "D", &reply);
}

/* ---- What is in it ----------------------------------------------------------------- */

/* One register, where the packet of all does not have it. */
static enum rsp_code ask_register(struct gdb_client *c, const struct rsp_register *which,
                                  uint64_t *value, bool *known)
{
    const struct text *reply;
    enum rsp_code code;

    c->command.size = 0;
    text_printf(&c->command, "p%" PRIx32, which->number);
    code = ask(c, &reply);
    *known = code == RSP_OK && hex_word(reply, 0, value);
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

    /* The packet is lost once another one is asked for. */
    for (size_t i = 0; i < N_WANTED; i++)
        found[i] = !wanted[i].which->is_known ||
                   hex_word(all, wanted[i].which->offset, wanted[i].value);
    for (size_t i = 0; i < N_WANTED && code == RSP_OK; i++) {
        if (!found[i])
            code = ask_register(c, wanted[i].which, wanted[i].value, &found[i]);
    }
    *known = found[0];
    /* Without a frame there is the pc all the same. */
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
    c->command.size = 0;
    text_printf(&c->command, "Hg%s", thread->id);
    code = ask(c, &reply);
    if (code != RSP_OK || (!is(reply, "OK") && reply->size > 0))
        return code;
    code = rsp_ask(&c->rsp, "g", &reply);
    return code == RSP_OK ? take_registers(c, reply, registers, known) : code;
}

/* Reads what is at an address, and behind it in the same page: the next one may be no
 * memory. */
static enum rsp_code fill_cache(struct gdb_client *c, uint64_t address)
{
    uint64_t room = (c->packet_size / 2 - PACKET_SIZE_MIN / 4) & ~(uint64_t)7;
    uint64_t size = PAGE - address % PAGE;
    const struct text *reply;
    enum rsp_code code;

    if (size > room)
        size = room;
    c->n_cached = 0;
    c->cached = address;
    c->command.size = 0;
    text_printf(&c->command, "m%" PRIx64 ",%" PRIx64, address, size);
    code = ask(c, &reply);
    if (code != RSP_OK || is_error(reply))
        return code;
    for (; c->n_cached < size && 2 * c->n_cached + 1 < reply->size; c->n_cached++) {
        int byte = hex_byte(reply->data + 2 * c->n_cached);

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

void gdb_client_free(struct gdb_client *c)
{
    rsp_free(&c->rsp);
    free(c->threads);
    text_free(&c->command);
}
