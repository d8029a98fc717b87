/* SPDX-License-Identifier: BSD-2-Clause */
/* See rsp_target.h. */
#include "rsp_target.h"

#include <string.h>

/* More than any machine has. */
enum { REGISTERS_MAX = 1 << 16, BITS_MAX = 1 << 16, WORD_BITS = 64 };

/* ---- XML --------------------------------------------------------------------------- */

struct slice {
    const char *at;
    const char *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool slice_is(struct slice slice, const char *what)
{
    size_t size = strlen(what);

    return (size_t)(slice.end - slice.at) == size && memcmp(slice.at, what, size) == 0;
}

static const char *find_text(struct slice in, const char *what)
{
    size_t size = strlen(what);

    for (; (size_t)(in.end - in.at) >= size; in.at++) {
        if (memcmp(in.at, what, size) == 0)
            return in.at;
    }
    return NULL;
}

/* The next element's tag, without its brackets; `*xml` is moved past it. Comments are
 * skipped. */
static bool next_tag(struct slice *xml, struct slice *tag)
{
    const char *start;
    const char *end;

    for (;;) {
        start = find_text(*xml, "<");
        if (start == NULL)
            return false;
        xml->at = start + 1;
        if (xml->end - xml->at < 3 || memcmp(xml->at, "!--", 3) != 0)
            break;
        end = find_text(*xml, "-->");
        if (end == NULL)
            return false;
        xml->at = end;
    }
    end = find_text(*xml, ">");
    if (end == NULL)
        return false;
    *tag = (struct slice){xml->at, end};
    xml->at = end + 1;
    return true;
}

/* A name: what is before the next blank, '=' or '/'. */
static struct slice take_name(struct slice *tag)
{
    struct slice name;

    while (tag->at < tag->end && is_blank(*tag->at))
        tag->at++;
    name.at = tag->at;
    while (tag->at < tag->end && !is_blank(*tag->at) && *tag->at != '=' &&
           *tag->at != '/')
        tag->at++;
    name.end = tag->at;
    return name;
}

/* The next attribute of a tag whose name was taken. */
static bool next_attribute(struct slice *tag, struct slice *name, struct slice *value)
{
    char quote;

    *name = take_name(tag);
    while (tag->at < tag->end && (is_blank(*tag->at) || *tag->at == '='))
        tag->at++;
    if (name->at == name->end || tag->at == tag->end)
        return false;
    quote = *tag->at;
    if (quote != '"' && quote != '\'')
        return false;
    value->at = ++tag->at;
    while (tag->at < tag->end && *tag->at != quote)
        tag->at++;
    value->end = tag->at;
    if (tag->at == tag->end)
        return false;
    tag->at++;
    return true;
}

static bool take_number(struct slice from, uint64_t limit, uint64_t *number)
{
    uint64_t value = 0;

    for (const char *at = from.at; at < from.end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        value = 10 * value + (uint64_t)(*at - '0');
        if (value > limit)
            return false;
    }
    *number = value;
    return from.at < from.end;
}

/* ---- Registers --------------------------------------------------------------------- */

static struct rsp_register *register_named(struct rsp_description *d, struct slice name)
{
    const struct {
        const char *name;
        struct rsp_register *target;
    } all[] = {
        {"pc", &d->pc},     {"rip", &d->rip},   {"rbp", &d->rbp},   {"rsp", &d->rsp},
        {"x29", &d->x29},   {"x30", &d->x30},   {"sp", &d->sp},     {"fp", &d->fp},
        {"s0", &d->s0},     {"ra", &d->ra},     {"rax", &d->rax},   {"rdx", &d->rdx},
        {"rdi", &d->rdi},   {"r10", &d->r10},   {"r13", &d->r13},   {"priv", &d->priv},
        {"mepc", &d->mepc}, {"satp", &d->satp}, {"sepc", &d->sepc}, {"ELR_EL1", &d->elr},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (slice_is(name, all[i].name))
            return all[i].target;
    }
    return NULL;
}

static void take_register(struct rsp_description *d, struct slice tag)
{
    struct slice key;
    struct slice value;
    struct slice name = {tag.end, tag.end};
    uint64_t bits = 0;
    struct rsp_register *target;

    while (next_attribute(&tag, &key, &value)) {
        if (slice_is(key, "name"))
            name = value;
        else if (slice_is(key, "bitsize"))
            take_number(value, BITS_MAX, &bits);
        else if (slice_is(key, "regnum"))
            take_number(value, REGISTERS_MAX, &d->number);
    }
    target = register_named(d, name);
    if (target != NULL && !target->is_known && bits == WORD_BITS)
        *target = (struct rsp_register){true, (uint32_t)d->number, d->offset};
    d->is_32_bit =
        d->is_32_bit || slice_is(name, "eip") || (target == &d->pc && bits == 32);
    if (d->number < REGISTERS_MAX)
        d->number++;
    d->offset += (bits + 7) / 8;
}

static void take_include(struct rsp_description *d, struct slice tag)
{
    struct slice key;
    struct slice value;

    while (next_attribute(&tag, &key, &value)) {
        if (!slice_is(key, "href") ||
            memchr(value.at, '\0', (size_t)(value.end - value.at)))
            continue;
        text_add(&d->includes, value.at, (size_t)(value.end - value.at));
        text_char(&d->includes, '\0');
    }
}

void rsp_describe(struct rsp_description *d, const char *data, size_t size)
{
    struct slice xml = {data, size > 0 ? data + size : data};
    struct slice tag;

    while (next_tag(&xml, &tag)) {
        struct slice name = take_name(&tag);

        if (slice_is(name, "reg"))
            take_register(d, tag);
        else if (slice_is(name, "xi:include"))
            take_include(d, tag);
    }
}

/* ---- Machines ---------------------------------------------------------------------- */

bool rsp_layout_from(const struct rsp_description *d, struct rsp_layout *layout)
{
    *layout = (struct rsp_layout){.machine = RSP_UNKNOWN_MACHINE};
    if (d->is_32_bit)
        return false;
    if (d->rip.is_known)
        *layout = (struct rsp_layout){.machine = RSP_X86_64,
                                      .pc = d->rip,
                                      .frame = d->rbp,
                                      .stack = d->rsp,
                                      .ax = d->rax,
                                      .dx = d->rdx,
                                      .di = d->rdi,
                                      .r10 = d->r10,
                                      .r13 = d->r13};
    else if (d->x29.is_known)
        *layout = (struct rsp_layout){.machine = RSP_AARCH64,
                                      .pc = d->pc,
                                      .frame = d->x29,
                                      .stack = d->sp,
                                      .link = d->x30,
                                      .epc = d->elr};
    else if (d->ra.is_known)
        *layout = (struct rsp_layout){.machine = RSP_RISCV64,
                                      .pc = d->pc,
                                      .frame = d->fp.is_known ? d->fp : d->s0,
                                      .stack = d->sp,
                                      .link = d->ra,
                                      .epc = d->sepc,
                                      .mode = d->priv,
                                      .mepc = d->mepc,
                                      .satp = d->satp};
    return layout->pc.is_known && layout->frame.is_known && layout->stack.is_known;
}

/* All registers up to the pc have 64 bits. */
static struct rsp_register register_numbered(uint32_t number)
{
    return (struct rsp_register){true, number, (uint64_t)number * (WORD_BITS / 8)};
}

void rsp_layout_of(enum rsp_machine machine, struct rsp_layout *layout)
{
    *layout = (struct rsp_layout){.machine = machine};
    switch (machine) {
    case RSP_X86_64:
        layout->pc = register_numbered(16);
        layout->frame = register_numbered(6);
        layout->stack = register_numbered(7);
        layout->ax = register_numbered(0);
        layout->dx = register_numbered(3);
        layout->di = register_numbered(5);
        layout->r10 = register_numbered(10);
        layout->r13 = register_numbered(13);
        break;
    case RSP_AARCH64:
        layout->pc = register_numbered(32);
        layout->frame = register_numbered(29);
        layout->stack = register_numbered(31);
        layout->link = register_numbered(30);
        break;
    case RSP_RISCV64:
        layout->pc = register_numbered(32);
        layout->frame = register_numbered(8);
        layout->stack = register_numbered(2);
        layout->link = register_numbered(1);
        break;
    case RSP_UNKNOWN_MACHINE:
        break;
    }
}

static const char *const names[] = {
    [RSP_X86_64] = "x86-64", [RSP_AARCH64] = "aarch64", [RSP_RISCV64] = "riscv64"};

enum rsp_machine rsp_machine_named(const char *name)
{
    for (int machine = RSP_X86_64; machine <= RSP_RISCV64; machine++) {
        if (strcmp(names[machine], name) == 0)
            return (enum rsp_machine)machine;
    }
    return RSP_UNKNOWN_MACHINE;
}

const char *rsp_machine_name(enum rsp_machine machine)
{
    return machine == RSP_UNKNOWN_MACHINE ? "unknown" : names[machine];
}

enum rsp_machine rsp_machine_here(void)
{
#if defined(__aarch64__)
    return RSP_AARCH64;
#elif defined(__riscv)
    return RSP_RISCV64;
#else
    return RSP_X86_64;
#endif
}
