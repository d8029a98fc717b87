/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_client.h: which threads a target has. */
#include <stdlib.h>
#include <string.h>

#include "common/base/hex.h"
#include "gdb_client.h"

enum { THREAD_PACKETS_MAX = 65536 };

/* As in qemu's "CPU#3 [running]". */
static void take_name(struct gdb_thread *thread, const struct text *reply)
{
    size_t n = 0;
    const char *number;

    for (size_t i = 0; i + 1 < reply->size && n + 1 < sizeof(thread->name); i += 2) {
        int byte = rsp_hex_byte(reply->data + i);

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
        if (hex_digit(id[i]) < 0 && id[i] != '.' && id[i] != 'p')
            return false;
    }
    if (size == 0 || size >= GDB_ID_MAX)
        return false;
    if (c->n_threads >= GDB_THREADS_MAX) {
        c->n_left_out++;
        return true;
    }
    c->threads =
        memory_grow(c->threads, c->n_threads, &c->thread_capacity, sizeof(*c->threads));
    thread = &c->threads[c->n_threads++];
    *thread = (struct gdb_thread){.number = 0};
    memcpy(thread->id, id, size);
    thread->number = rsp_hex_number(dot != NULL ? dot + 1 : thread->id + (*id == 'p'));
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
        code = rsp_ask_for(&c->rsp, &reply, "qThreadExtraInfo,%s", c->threads[i].id);
        if (code == RSP_OK && !rsp_is_error(reply))
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
    /* Stubs that do not support threads have one. */
    if (code == RSP_OK && c->n_threads == 0)
        add_thread(c, "1", 1);
    return code == RSP_OK ? ask_names(c) : code;
}
