/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_kernel.h. */
#include "gdb_kernel.h"

#include "gdb_stack.h"
#include "tools/fxtrecord/debugger/guest/orc_walk.h"
#include "tools/fxtrecord/debugger/guest/riscv_pages.h"
#include "tools/fxtrecord/debugger/guest/riscv_walk.h"

enum {
    /* A kernel that is starting has no tables yet, and others never have. */
    ATTEMPTS_MAX = 8,
    /* Stacks of Linux begin and end at multiples of this. */
    STACK_BYTES = 16384
};

/* riscv64: modules, and code made at run time, are below the kernel's code, and within
 * the reach of a call. */
#define CODE_BYTES ((uint64_t)1 << 31)

struct memory_context {
    struct gdb_client *client;
    enum rsp_code code;
};

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
    struct memory_context *m = context;

    return m->code == RSP_OK && gdb_read_memory(m->client, address, to, size, &m->code);
}

/* ---- Tables ------------------------------------------------------------------------ */

bool gdb_kernel_is_wanted(const struct gdb_kernel *k, const struct gdb_client *client)
{
    return !k->guest.is_known && k->n_attempts < ATTEMPTS_MAX && client->is_system &&
           guest_kernel_is_for(client->layout.machine);
}

enum rsp_code gdb_kernel_read(struct gdb_kernel *k, struct gdb_client *client,
                              uint64_t pc, struct kernel_symbols *symbols)
{
    struct memory_context context = {client, RSP_OK};
    const struct guest_reader reader = {read_memory, &context};
    uint64_t begun = client->rsp.link.now(client->rsp.link.context);

    k->n_attempts++;
    kernel_symbols_free(symbols);
    if (guest_kernel_read(&k->guest, &reader, client->layout.machine, pc, symbols,
                          &k->why))
        client->read_limit = STACK_BYTES;
    k->read_ns = client->rsp.link.now(client->rsp.link.context) - begun;
    return context.code;
}

enum rsp_code gdb_kernel_update(struct gdb_kernel *k, struct gdb_client *client,
                                struct kernel_symbols *symbols)
{
    struct memory_context context = {client, RSP_OK};
    const struct guest_reader reader = {read_memory, &context};

    guest_kernel_read_modules(&k->guest, &reader, symbols);
    k->is_outdated = false;
    return context.code;
}

/* ---- Stacks ------------------------------------------------------------------------ */

struct walk_context {
    struct gdb_kernel *kernel;
    struct gdb_view *view;
};

static bool find_rule(void *context, uint64_t pc, struct orc_rule *rule)
{
    struct walk_context *w = context;
    const struct guest_kernel *guest = &w->kernel->guest;

    if (!guest_kernel_rule(guest, pc, rule))
        return false;
    /* It is not a rule of a table. */
    w->kernel->is_outdated |=
        rule->start == pc && !guest_kernel_may_be_at(RSP_X86_64, pc);
    return true;
}

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
    struct walk_context *w = context;

    return gdb_view_word(w->view, address, word);
}

/* From a user's PC on. */
static uint64_t walk_user(struct gdb_kernel *k, struct gdb_view *view,
                          enum rsp_machine machine, const struct gdb_registers *user,
                          uint64_t *pcs, uint64_t max_pcs)
{
    const struct gdb_image *image = gdb_images_find_equal(&k->images, view, user->pc);
    struct unwind_registers registers;

    pcs[0] = user->pc;
    if (image == NULL)
        return 1;
    gdb_image_registers(machine, user, &registers);
    return gdb_image_walk(&k->images, image, view, &registers, pcs, max_pcs);
}

/* By the tables of x86-64. Stores the last frame's registers. */
static uint64_t walk_tables(struct walk_context *context, uint64_t *pcs, uint64_t max_pcs,
                            struct gdb_registers *user, enum guest_end *end)
{
    const struct gdb_registers *r = &context->view->registers;
    const struct orc_source source = {find_rule, read_word, context};
    struct orc_registers last = {
        .pc = r->pc,
        .sp = r->stack,
        .bp = r->frame,
        .ax = r->ax,
        .dx = r->dx,
        .di = r->di,
        .r10 = r->r10,
        .r13 = r->r13,
        .has_others = true,
    };
    uint64_t n = orc_walk(&source, &last, pcs, max_pcs, end);

    *user = *r;
    if (n > 1)
        *user = (struct gdb_registers){.pc = last.pc, .stack = last.sp, .frame = last.bp};
    return n;
}

/* Firmware does not see the kernel's memory, but all that is physical. */
static bool read_either(void *context, uint64_t address, uint64_t *word)
{
    struct walk_context *w = context;
    const struct gdb_registers *r = &w->view->registers;
    const struct riscv_pages pages = {r->satp, read_word, w};

    if (r->mode == GDB_MODE_MACHINE && !guest_is_user(address))
        return address % sizeof(*word) == 0 && riscv_pages_word(&pages, address, word);
    return read_word(w, address, word);
}

static bool is_one_function(void *context, uint64_t a, uint64_t b)
{
    const struct walk_context *w = context;

    return guest_kernel_is_one_function(&w->kernel->guest, a, b);
}

/* The same by the frames of riscv64. */
static uint64_t walk_frames(struct walk_context *context, uint64_t *pcs, uint64_t max_pcs,
                            struct gdb_registers *user, enum guest_end *end)
{
    const struct gdb_registers *r = &context->view->registers;
    const struct guest_kernel *guest = &context->kernel->guest;
    const struct riscv_source source = {
        .code_start = guest->text_end - CODE_BYTES,
        .code_end = guest->init_end,
        .text_start = guest->text_start,
        .init_start = guest->text_end,
        .is_one_function = is_one_function,
        .entry_start = guest->entry_start,
        .entry_return = guest->entry_return,
        .entry_end = guest->entry_end,
        .read = read_either,
        .context = context,
    };
    struct riscv_registers last = {.pc = r->pc,
                                   .ra = r->link,
                                   .sp = r->stack,
                                   .s0 = r->frame,
                                   .is_machine = r->mode == GDB_MODE_MACHINE,
                                   .mepc = r->mepc,
                                   .sepc = r->epc};
    uint64_t n = riscv_walk(&source, &last, pcs, max_pcs, end);

    *user = (struct gdb_registers){
        .pc = last.pc, .stack = last.sp, .frame = last.s0, .link = last.ra};
    return n;
}

static uint64_t walk_known(struct gdb_kernel *k, struct gdb_view *view,
                           enum rsp_machine machine, uint64_t *pcs, uint64_t max_pcs)
{
    struct walk_context context = {k, view};
    struct gdb_registers user;
    enum guest_end end;
    uint64_t n = machine == RSP_X86_64 ? walk_tables(&context, pcs, max_pcs, &user, &end)
                                       : walk_frames(&context, pcs, max_pcs, &user, &end);

    if (end == GUEST_AT_USER && guest_is_user(user.pc) && !view->is_wanting)
        n += walk_user(k, view, machine, &user, pcs + n - 1, max_pcs - n + 1) - 1;
    if (!view->is_wanting)
        k->n_ends[end]++;
    return n;
}

/* Whether code of the kernel's that was interrupted has the return address in its
 * register: after a call it has one in the code itself. */
static bool has_return(const struct guest_kernel *kernel, const struct gdb_registers *r)
{
    /* It may be signed. */
    uint64_t link = r->link | GDB_AARCH64_SIGNATURE;

    return r->pc >= kernel->text_start && r->pc < kernel->init_end &&
           link > kernel->text_start && link <= kernel->init_end &&
           !guest_kernel_is_one_function(kernel, r->pc, link - 1);
}

/* aarch64: where the kernel is entered, its first instructions make no frame, and the
 * registers are still those of what they have interrupted. */
static uint64_t walk_from_vectors(struct gdb_kernel *k, const struct gdb_client *client,
                                  struct gdb_view *view, uint64_t *pcs, uint64_t max_pcs)
{
    struct gdb_registers from = view->registers;
    uint64_t n = 0;

    if (from.pc >= k->guest.entry_start && from.pc < k->guest.entry_end &&
        from.epc != 0 && max_pcs > 1) {
        pcs[n++] = from.pc;
        from.pc = from.epc;
    }
    if (n > 0 && guest_is_user(from.pc)) {
        pcs[n++] = from.pc;
        return n;
    }
    if (!k->guest.is_known || !has_return(&k->guest, &from))
        from.link = 0;
    return n + gdb_walk(client, view, &from, pcs + n, max_pcs - n);
}

uint64_t gdb_kernel_walk(struct gdb_kernel *k, const struct gdb_client *client,
                         struct gdb_view *view, uint64_t *pcs, uint64_t max_pcs)
{
    enum rsp_machine machine = client->layout.machine;
    const struct gdb_image *image;
    struct unwind_registers registers;
    uint64_t n;

    if (k->guest.is_known && (machine == RSP_RISCV64 || machine == RSP_X86_64))
        return walk_known(k, view, machine, pcs, max_pcs);
    image = guest_is_user(view->registers.pc)
                ? gdb_images_find_equal(&k->images, view, view->registers.pc)
                : gdb_images_find(&k->images, view->registers.pc);
    if (image != NULL) {
        gdb_image_registers(machine, &view->registers, &registers);
        return gdb_image_walk(&k->images, image, view, &registers, pcs, max_pcs);
    }
    n = machine == RSP_AARCH64 ? walk_from_vectors(k, client, view, pcs, max_pcs)
                               : gdb_walk(client, view, &view->registers, pcs, max_pcs);
    if (view->is_wanting)
        return n;
    k->n_walked++;
    k->n_single += n == 1;
    return n;
}
