/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as what a debug stub sends to fxtrecord --gdb: a whole recording of it, which
 * must come to an end, and whose threads and stacks are within their bounds. Packets are
 * the same however the bytes are cut, and what is sent as a packet is received as it was.
 *
 * The last byte of an input has the options. One of them makes a packet with a right sum
 * of each line, so that a fuzzer need not learn sums.
 */
#include <string.h>

#include "tools/fxtrecord/debugger/gdb_stack.h"
#include "pooled.h"

enum { PCS_MAX = 64, CAPTURES = 6, CHUNK_SIZES = 8 };

/* ---- Packets ----------------------------------------------------------------------- */

/* Adds all events, and what the packets have in them. */
static void list_events(const uint8_t *data, size_t size, size_t chunk, struct text *to)
{
    struct rsp_parser parser = {.at = RSP_OUTSIDE};

    for (size_t start = 0; start < size; start += chunk) {
        size_t part = size - start < chunk ? size - start : chunk;
        size_t pos = 0;
        enum rsp_event event;

        while ((event = rsp_parse(&parser, data + start, part, &pos)) != RSP_MORE) {
            text_char(to, (char)('0' + event));
            require(parser.packet.size <= RSP_PACKET_MAX, "packets are bounded");
            if (event == RSP_PACKET)
                text_add(to, parser.packet.data, parser.packet.size);
        }
        require(pos == part, "all bytes are taken");
    }
}

static void check_chunks(const uint8_t *data, size_t size)
{
    struct text whole = {NULL, 0, 0};
    struct text pieces = {NULL, 0, 0};

    list_events(data, size, size + 1, &whole);
    list_events(data, size, 1, &pieces);
    require(whole.size == pieces.size &&
                (whole.size == 0 || memcmp(whole.data, pieces.data, whole.size) == 0),
            "chunks change nothing");
}

static void check_sending(const uint8_t *data, size_t size)
{
    struct rsp_parser parser = {.at = RSP_OUTSIDE};
    struct text sent = {NULL, 0, 0};
    size_t pos = 0;

    rsp_put(&sent, (const char *)data, size);
    require(rsp_parse(&parser, (const unsigned char *)sent.data, sent.size, &pos) ==
                RSP_PACKET,
            "what is sent is a packet");
    require(pos == sent.size && parser.packet.size == size &&
                (size == 0 || memcmp(parser.packet.data, data, size) == 0),
            "it has in it what was sent");
}

/* ---- A stub ------------------------------------------------------------------------ */

struct stub {
    const uint8_t *data;
    size_t size;
    size_t chunk;
    bool has_lines;
    uint64_t now;
    struct text packet;
    size_t sent;
};

/* Makes a packet of the next line. */
static bool next_packet(struct stub *s)
{
    const uint8_t *end = memchr(s->data, '\n', s->size);
    size_t size = end != NULL ? (size_t)(end - s->data) : s->size;

    if (s->size == 0)
        return false;
    s->packet.size = 0;
    s->sent = 0;
    text_char(&s->packet, '+');
    rsp_put(&s->packet, (const char *)s->data, size);
    s->data += size;
    s->size -= size;
    if (end != NULL) {
        s->data++;
        s->size--;
    }
    return true;
}

static size_t read_stub(void *context, void *data, size_t size, uint64_t until_ns,
                        enum rsp_code *code)
{
    struct stub *s = context;
    size_t n = s->size < s->chunk ? s->size : s->chunk;

    (void)until_ns;
    *code = RSP_CLOSED;
    if (s->has_lines) {
        if (s->sent == s->packet.size && !next_packet(s))
            return 0;
        n = s->packet.size - s->sent < size ? s->packet.size - s->sent : size;
        memcpy(data, s->packet.data + s->sent, n);
        s->sent += n;
        return n;
    }
    n = n < size ? n : size;
    if (n > 0)
        memcpy(data, s->data, n);
    s->data += n;
    s->size -= n;
    return n;
}

static bool write_stub(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    return size > 0;
}

static uint64_t read_clock(void *context)
{
    struct stub *s = context;

    return s->now += 1000000;
}

/* ---- A recording ------------------------------------------------------------------- */

static void sample(const struct gdb_client *c, struct gdb_view *view)
{
    uint64_t pcs[PCS_MAX];
    uint64_t n;

    require(!view->thread->is_cpu || view->thread->cpu <= UINT16_MAX,
            "CPUs have possible numbers");
    require(strlen(view->thread->id) < GDB_ID_MAX, "ids end");
    view->is_wanting = false;
    if (!view->is_known)
        return;
    n = gdb_walk(c, view, &view->registers, pcs, PCS_MAX);
    require(n >= 1 && n <= PCS_MAX && pcs[0] == view->registers.pc,
            "stacks begin with the pc");
}

static enum rsp_code sample_threads(struct gdb_client *c, const struct gdb_thread *first,
                                    size_t n)
{
    enum rsp_code code = gdb_look(c, first, n);
    bool is_done = false;

    for (int round = 0; code == RSP_OK && !is_done; round++) {
        require(round <= 2 * GDB_PIECES_MAX, "walks end");
        is_done = true;
        for (size_t i = 0; i < n; i++) {
            sample(c, &c->views[i]);
            is_done = is_done && !c->views[i].is_wanting;
        }
        if (!is_done)
            code = gdb_fetch(c, n);
    }
    return code;
}

static enum rsp_code capture(struct gdb_client *c, struct stub *stub)
{
    size_t max = gdb_views_max(c);
    bool is_listed = c->rsp.is_pipelined;
    enum rsp_code code = RSP_OK;

    if (is_listed)
        gdb_stop_with_next(c);
    else
        code = gdb_stop(c);
    if (code == RSP_OK && !is_listed)
        code = gdb_list_threads(c);
    require(c->n_threads <= GDB_THREADS_MAX, "threads are not too many");
    for (size_t i = 0; code == RSP_OK && i < c->n_threads; i += max)
        code = sample_threads(c, &c->threads[i],
                              c->n_threads - i < max ? c->n_threads - i : max);
    if (code == RSP_OK)
        code = gdb_resume(c);
    return code == RSP_OK ? gdb_wait(c, stub->now) : code;
}

static void record(struct stub *stub, enum rsp_machine assumed)
{
    struct gdb_client *c = memory_allocate(sizeof(*c));
    const char *why;
    enum rsp_code code;

    c->rsp.link = (struct rsp_link){stub, read_stub, write_stub, read_clock};
    c->assumed = assumed;
    code = gdb_start(c, &why);
    if (code == RSP_OK)
        code = gdb_resume(c);
    for (int i = 0; code == RSP_OK && i < CAPTURES; i++)
        code = capture(c, stub);
    gdb_detach(c);
    require(strlen(rsp_code_message(code)) > 0, "codes have messages");
}

static void check(void *context)
{
    const struct fuzz_input *input = context;
    size_t size = input->size - 1;
    uint8_t how = input->data[size];
    struct stub stub = {.data = input->data, .size = size};

    check_chunks(input->data, size);
    check_sending(input->data, size);
    stub.has_lines = how & 1;
    stub.chunk = (size_t)1 << (how >> 1) % CHUNK_SIZES;
    record(&stub, (enum rsp_machine)((how >> 4) % 4));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        run_pooled(check, data, size);
    return 0;
}
