/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_client.h: registers and memory of a stopped target. */
#include <inttypes.h>

#include "gdb_client.h"

enum { PAGE = 4096, WORD_BYTES = 8, WANTED_MAX = 13, PARTS_MAX = 2, QUEUE_MAX = 16 };

size_t gdb_views_max(const struct gdb_client *c)
{
    return c->rsp.is_pipelined ? GDB_VIEWS_MAX : 1;
}

/* ---- Registers --------------------------------------------------------------------- */

struct wanted {
    const struct rsp_register *which;
    uint64_t *value;
};

/* The registers of a layout, the pc first. */
static void list_wanted(const struct rsp_layout *layout, struct gdb_registers *r,
                        struct wanted to[WANTED_MAX])
{
    const struct wanted all[WANTED_MAX] = {
        {&layout->pc, &r->pc},       {&layout->frame, &r->frame},
        {&layout->stack, &r->stack}, {&layout->link, &r->link},
        {&layout->ax, &r->ax},       {&layout->dx, &r->dx},
        {&layout->di, &r->di},       {&layout->r10, &r->r10},
        {&layout->r13, &r->r13},     {&layout->epc, &r->epc},
        {&layout->mode, &r->mode},   {&layout->mepc, &r->mepc},
        {&layout->satp, &r->satp},
    };

    memcpy(to, all, sizeof(all));
}

static void take_registers(const struct gdb_client *c, struct gdb_view *view,
                           const struct text *all)
{
    struct wanted wanted[WANTED_MAX];

    list_wanted(&c->layout, &view->registers, wanted);
    for (unsigned i = 0; i < WANTED_MAX; i++) {
        if (wanted[i].which->is_known &&
            !rsp_hex_word(all, wanted[i].which->offset, wanted[i].value))
            view->missing |= 1u << i;
    }
}

/* Those that were asked for beside the packet of all. */
static enum rsp_code take_apart(struct gdb_client *c, struct gdb_view *view)
{
    struct wanted wanted[WANTED_MAX];
    enum rsp_code code = RSP_OK;

    list_wanted(&c->layout, &view->registers, wanted);
    for (unsigned i = 0; i < WANTED_MAX && code == RSP_OK; i++) {
        const struct text *reply;

        if ((c->apart >> i & 1) == 0)
            continue;
        code = rsp_next(&c->rsp, &reply);
        if (code == RSP_OK && rsp_hex_word(reply, 0, wanted[i].value))
            view->missing &= ~(1u << i);
    }
    return code;
}

static enum rsp_code take_view(struct gdb_client *c, struct gdb_view *view,
                               const struct gdb_thread *thread)
{
    const struct text *reply;
    enum rsp_code code = rsp_next(&c->rsp, &reply);

    view->thread = thread;
    /* Stubs that do not support threads have one. */
    view->is_known = code == RSP_OK && (rsp_is(reply, "OK") || reply->size == 0);
    view->registers = (struct gdb_registers){.pc = 0};
    view->missing = 0;
    view->n_pieces = 0;
    view->bytes.size = 0;
    if (code == RSP_OK)
        code = rsp_next(&c->rsp, &reply);
    if (code == RSP_OK && view->is_known)
        take_registers(c, view, reply);
    return code == RSP_OK ? take_apart(c, view) : code;
}

static enum rsp_code select_view(struct gdb_client *c, const struct gdb_view *view)
{
    const struct text *reply;

    if (c->selected == view)
        return RSP_OK;
    c->selected = view;
    return rsp_ask_for(&c->rsp, &reply, "Hg%s", view->thread->id);
}

/* Asks for the registers that the packet of all of them lacks, once they are known. */
static enum rsp_code ask_missing(struct gdb_client *c, struct gdb_view *view)
{
    unsigned missing = view->missing & ~c->apart;
    enum rsp_code code = missing != 0 ? select_view(c, view) : RSP_OK;
    struct wanted wanted[WANTED_MAX];

    list_wanted(&c->layout, &view->registers, wanted);
    for (unsigned i = 0; i < WANTED_MAX && code == RSP_OK; i++) {
        const struct text *reply;

        if ((missing >> i & 1) == 0)
            continue;
        code = rsp_ask_for(&c->rsp, &reply, "p%" PRIx32, wanted[i].which->number);
        if (code == RSP_OK && rsp_hex_word(reply, 0, wanted[i].value))
            view->missing &= ~(1u << i);
    }
    view->is_known = view->is_known && (view->missing & 1) == 0;
    /* The pc is of use without a frame pointer. */
    if ((view->missing & 6) != 0)
        view->registers.frame = 0;
    return code;
}

static void queue_view(struct gdb_client *c, const struct gdb_thread *thread)
{
    struct gdb_registers none;
    struct wanted wanted[WANTED_MAX];

    rsp_queue(&c->rsp, "Hg%s", thread->id);
    rsp_queue(&c->rsp, "g");
    list_wanted(&c->layout, &none, wanted);
    for (unsigned i = 0; i < WANTED_MAX; i++) {
        if ((c->apart >> i & 1) != 0)
            rsp_queue(&c->rsp, "p%" PRIx32, wanted[i].which->number);
    }
}

enum rsp_code gdb_look(struct gdb_client *c, const struct gdb_thread *threads, size_t n)
{
    enum rsp_code code = RSP_OK;
    unsigned missing = 0;

    for (size_t i = 0; i < n; i++)
        queue_view(c, &threads[i]);
    for (size_t i = 0; i < n && code == RSP_OK; i++)
        code = take_view(c, &c->views[i], &threads[i]);
    c->selected = n > 0 ? &c->views[n - 1] : NULL;
    for (size_t i = 0; i < n && code == RSP_OK; i++) {
        /* Without a pc there was no packet of all. */
        if ((c->views[i].missing & 1) == 0)
            missing |= c->views[i].missing;
        code = ask_missing(c, &c->views[i]);
    }
    if (code == RSP_OK)
        c->apart |= missing;
    return code;
}

/* ---- Memory ------------------------------------------------------------------------ */

/* How much one packet has. */
static uint64_t packet_room(const struct gdb_client *c)
{
    return (c->packet_size / 2 - GDB_PACKET_SIZE_MIN / 4) & ~(uint64_t)7;
}

static void queue_memory(struct gdb_client *c, uint64_t address, size_t size)
{
    rsp_queue(&c->rsp, "m%" PRIx64 ",%zx", address, size);
}

/* Takes a reply. Returns how many bytes there were. */
static size_t take_memory(struct gdb_client *c, unsigned char *to, size_t size,
                          enum rsp_code *code)
{
    const struct text *reply;
    size_t n = 0;

    *code = rsp_next(&c->rsp, &reply);
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

static const struct gdb_piece *find_piece(const struct gdb_view *view, uint64_t address)
{
    for (size_t i = 0; i < view->n_pieces; i++) {
        const struct gdb_piece *piece = &view->pieces[i];

        if (address == piece->address ||
            (address > piece->address && address - piece->address < piece->size))
            return piece;
    }
    return NULL;
}

bool gdb_view_word(struct gdb_view *view, uint64_t address, uint64_t *word)
{
    const struct gdb_piece *piece;
    const unsigned char *bytes;

    if (address % WORD_BYTES != 0)
        return false;
    piece = find_piece(view, address);
    if (piece == NULL && view->is_wanting)
        return false;
    if (piece == NULL) {
        view->is_wanting = view->n_pieces < GDB_PIECES_MAX;
        view->wanted = address;
        return false;
    }
    if (piece->size == 0)
        return false;
    bytes =
        (const unsigned char *)view->bytes.data + piece->at + (address - piece->address);
    *word = 0;
    for (size_t i = WORD_BYTES; i > 0; i--)
        *word = *word << 8 | bytes[i - 1];
    return true;
}

/* Where a view's memory is to be read: what is wanted, and where it costs no round trip,
 * what follows it. Each part is in one page, as the next one may not be mapped. */
static unsigned list_parts(const struct gdb_client *c, const struct gdb_view *view,
                           struct gdb_piece parts[PARTS_MAX])
{
    uint64_t limit = c->read_limit > PAGE ? c->read_limit : PAGE;
    uint64_t address = view->wanted;
    uint64_t left = limit - address % limit;
    unsigned n = 0;

    do {
        uint64_t size = PAGE - address % PAGE;

        if (size > packet_room(c))
            size = packet_room(c);
        parts[n++] = (struct gdb_piece){.address = address, .size = (size_t)size};
        address += size;
        left -= size < left ? size : left;
    } while (c->rsp.is_pipelined && n < PARTS_MAX && left > 0);
    return n;
}

static enum rsp_code take_part(struct gdb_client *c, struct gdb_view *view,
                               struct gdb_piece part)
{
    unsigned char *to = (unsigned char *)text_room(&view->bytes, part.size);
    enum rsp_code code;

    part.size = take_memory(c, to, part.size, &code) & ~(size_t)(WORD_BYTES - 1);
    part.at = view->bytes.size;
    view->bytes.size += part.size;
    MEMORY_ADD(view->pieces, view->n_pieces, view->piece_capacity, part);
    return code;
}

static enum rsp_code take_parts(struct gdb_client *c, struct gdb_view *view, bool is_new)
{
    struct gdb_piece parts[PARTS_MAX];
    unsigned n = list_parts(c, view, parts);
    const struct text *reply;
    enum rsp_code code = is_new ? rsp_next(&c->rsp, &reply) : RSP_OK;

    for (unsigned i = 0; i < n && code == RSP_OK; i++)
        code = take_part(c, view, parts[i]);
    return code;
}

static bool queue_parts(struct gdb_client *c, const struct gdb_view *view)
{
    struct gdb_piece parts[PARTS_MAX];
    unsigned n = list_parts(c, view, parts);
    bool is_new = c->selected != view;

    if (is_new)
        rsp_queue(&c->rsp, "Hg%s", view->thread->id);
    for (unsigned i = 0; i < n; i++)
        queue_memory(c, parts[i].address, parts[i].size);
    c->selected = view;
    return is_new;
}

enum rsp_code gdb_fetch(struct gdb_client *c, size_t n)
{
    bool is_new[GDB_VIEWS_MAX] = {false};
    enum rsp_code code = RSP_OK;

    for (size_t i = 0; i < n; i++) {
        if (c->views[i].is_wanting)
            is_new[i] = queue_parts(c, &c->views[i]);
    }
    for (size_t i = 0; i < n && code == RSP_OK; i++) {
        if (c->views[i].is_wanting)
            code = take_parts(c, &c->views[i], is_new[i]);
    }
    return code;
}

bool gdb_read_memory(struct gdb_client *c, uint64_t address, void *to, size_t size,
                     enum rsp_code *code)
{
    size_t room = (size_t)packet_room(c);
    size_t n_queued = 0;
    bool good = true;

    *code = RSP_OK;
    for (size_t at = 0, queued = 0; at < size && good;) {
        size_t wanted = size - at < room ? size - at : room;

        while (queued < size && n_queued < QUEUE_MAX) {
            size_t part = size - queued < room ? size - queued : room;

            queue_memory(c, address + queued, part);
            queued += part;
            n_queued++;
        }
        good = take_memory(c, (unsigned char *)to + at, wanted, code) == wanted;
        n_queued--;
        at += wanted;
    }
    if (!good && *code == RSP_OK)
        *code = rsp_drop(&c->rsp);
    return good;
}
