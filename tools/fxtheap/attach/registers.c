/* SPDX-License-Identifier: BSD-2-Clause */
/* See registers.h. */
#include "registers.h"

#include <cpuid.h>
#include <string.h>
#include <sys/syscall.h>

#include "common/base/memory.h"

/* ---- System calls ------------------------------------------------------------------ */

/* The kernel's answers to an interrupted system call, which programs never see. */
enum {
    RESTART_SYS = -512,
    RESTART_NO_INTERRUPT = -513,
    RESTART_NO_HANDLER = -514,
    RESTART_BLOCK = -516,
    SYSCALL_BYTES = 2,
};

int64_t registers_system_call(const struct registers *r)
{
    return (int64_t)r->general.orig_rax;
}

struct user_regs_struct registers_go_on(const struct registers *r)
{
    struct user_regs_struct regs = r->general;

    regs.orig_rax = UINT64_MAX;
    if (registers_system_call(r) < 0)
        return regs;
    switch ((int64_t)r->general.rax) {
    case RESTART_SYS:
    case RESTART_NO_INTERRUPT:
    case RESTART_NO_HANDLER:
        regs.rax = r->general.orig_rax;
        regs.rip -= SYSCALL_BYTES;
        break;
    case RESTART_BLOCK:
        regs.rax = SYS_restart_syscall;
        regs.rip -= SYSCALL_BYTES;
        break;
    }
    return regs;
}

struct unwind_registers registers_of_walk(const struct registers *r)
{
    const struct user_regs_struct *g = &r->general;

    return (struct unwind_registers){.pc = g->rip,
                                     .known = 0xffff,
                                     .r = {g->rax, g->rdx, g->rcx, g->rbx, g->rsi, g->rdi,
                                           g->rbp, g->rsp, g->r8, g->r9, g->r10, g->r11,
                                           g->r12, g->r13, g->r14, g->r15}};
}

uint64_t registers_stack(const struct registers *r)
{
    return r->general.rsp;
}

/* ---- errno ------------------------------------------------------------------------- */

/* mov offset(%rip), %rax; add %fs:0, %rax, perhaps after endbr64 */
bool registers_errno(const struct registers *r, const unsigned char *code,
                     uint64_t address, uint64_t *word_at, uint64_t *base)
{
    static const unsigned char branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa};
    static const unsigned char load[] = {0x48, 0x8b, 0x05};
    static const unsigned char add[] = {0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0};
    size_t at = memcmp(code, branch_target, sizeof(branch_target)) == 0 ? 4 : 0;
    int32_t offset;

    if (memcmp(code + at, load, sizeof(load)) != 0)
        return false;
    memcpy(&offset, code + at + sizeof(load), sizeof(offset));
    at += sizeof(load) + sizeof(offset);
    *word_at = address + at + (uint64_t)(int64_t)offset;
    *base = r->general.fs_base;
    return memcmp(code + at, add, sizeof(add)) == 0;
}

/* ---- The frame --------------------------------------------------------------------- */

/* mov $SYS_rt_sigreturn, %rax; syscall */
const unsigned char registers_restorer[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00,
                                            0x00, 0x00, 0x0f, 0x05};
const size_t registers_restorer_size = sizeof(registers_restorer);

/* The kernel's structures, from asm/sigcontext.h, asm/ucontext.h and asm/sigframe.h. */
struct kernel_context {
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
    uint64_t di, si, bp, bx, dx, ax, cx, sp, ip, flags;
    uint16_t cs, gs, fs, ss;
    uint64_t err, trapno, oldmask, cr2;
    uint64_t extended;
    uint64_t reserved[8];
};

struct kernel_frame {
    uint64_t return_address;
    uint64_t flags;
    uint64_t link;
    uint64_t stack;
    uint32_t stack_flags;
    uint32_t padding;
    uint64_t stack_size;
    struct kernel_context context;
    uint64_t mask;
    unsigned char info[128];
};

_Static_assert(sizeof(struct kernel_context) == 256, "as the kernel has it");

enum {
    FRAME_HAS_EXTENDED = 1,
    FRAME_HAS_SS = 2,
    FRAME_STRICT_SS = 4,
    /* Flags that no alternate stack has: the thread's stays as it is. */
    STACK_INVALID = 3,
    RED_ZONE = 128,
};

/* What of the extended registers the kernel describes in bytes that the processor leaves
 * alone. */
enum { EXTENDED_MIN = 576, EXTENDED_USED = 512, EXTENDED_SOFTWARE = 464 };

struct extended_software {
    uint32_t magic;
    uint32_t whole_size;
    uint64_t parts;
    uint32_t size;
    uint32_t padding[7];
};

enum { EXTENDED_MAGIC = 0x46505853, EXTENDED_MAGIC_END = 0x46505845 };

/* The last part that is in use ends there. The kernel refuses more than the thread may
 * use, which is less than all where large parts must be asked for. */
static size_t used_extended(const struct registers *r, uint64_t used)
{
    size_t size = EXTENDED_MIN;

    for (unsigned i = 2; i < 63; i++) {
        unsigned part_size;
        unsigned offset;
        unsigned rest[2];

        if ((used >> i & 1) == 0)
            continue;
        __cpuid_count(0xd, i, part_size, offset, rest[0], rest[1]);
        if (offset + part_size > size)
            size = offset + part_size;
    }
    return size < r->extended_size ? size : r->extended_size;
}

/* As in a signal's frame. Returns how many bytes there are. */
static size_t copy_extended(unsigned char *to, const struct registers *r)
{
    struct extended_software software = {.magic = EXTENDED_MAGIC};
    const uint32_t end = EXTENDED_MAGIC_END;
    uint64_t used;

    memcpy(&used, r->extended + EXTENDED_USED, sizeof(used));
    software.size = (uint32_t)used_extended(r, used);
    software.whole_size = software.size + (uint32_t)sizeof(end);
    /* Those that are not in use are set to what they are at first: x87 and SSE are always
     * there. */
    memcpy(&software.parts, r->extended + EXTENDED_SOFTWARE, sizeof(software.parts));
    software.parts &= used | ~(UINT64_C(3) << 17);
    memcpy(to, r->extended, software.size);
    memcpy(to + EXTENDED_SOFTWARE, &software, sizeof(software));
    memcpy(to + software.size, &end, sizeof(end));
    return software.whole_size;
}

static void fill_context(struct kernel_context *c, const struct user_regs_struct *g)
{
    *c = (struct kernel_context){.r8 = g->r8,
                                 .r9 = g->r9,
                                 .r10 = g->r10,
                                 .r11 = g->r11,
                                 .r12 = g->r12,
                                 .r13 = g->r13,
                                 .r14 = g->r14,
                                 .r15 = g->r15,
                                 .di = g->rdi,
                                 .si = g->rsi,
                                 .bp = g->rbp,
                                 .bx = g->rbx,
                                 .dx = g->rdx,
                                 .ax = g->rax,
                                 .cx = g->rcx,
                                 .sp = g->rsp,
                                 .ip = g->rip,
                                 .flags = g->eflags,
                                 .cs = (uint16_t)g->cs,
                                 .ss = (uint16_t)g->ss};
}

void signal_frame_make(struct signal_frame *f, const struct registers *r,
                       uint64_t function, const void *data, size_t size, uint64_t second,
                       uint64_t restorer)
{
    struct user_regs_struct go_on = registers_go_on(r);
    struct kernel_frame frame = {.return_address = restorer,
                                 .flags = FRAME_HAS_SS | FRAME_STRICT_SS,
                                 .stack_flags = STACK_INVALID,
                                 .mask = r->signal_mask};
    uint64_t top = (r->general.rsp - RED_ZONE) & ~UINT64_C(63);
    uint64_t extended;

    f->data = (top - size) & ~UINT64_C(63);
    extended = f->data - (REGISTERS_EXTENDED_MAX + 64);
    f->address = ((extended - sizeof(frame)) & ~UINT64_C(15)) - 8;
    f->size = (size_t)(top - f->address);
    f->bytes = memory_allocate(f->size);
    fill_context(&frame.context, &go_on);
    if (r->extended_size >= EXTENDED_MIN) {
        copy_extended(f->bytes + (extended - f->address), r);
        frame.context.extended = extended;
        frame.flags |= FRAME_HAS_EXTENDED;
    }
    memcpy(f->bytes, &frame, sizeof(frame));
    memcpy(f->bytes + (f->data - f->address), data, size);

    f->stack_at_return = f->address + sizeof(frame.return_address);
    f->call = r->general;
    f->call.orig_rax = UINT64_MAX;
    f->call.rip = function;
    f->call.rsp = f->address;
    f->call.rdi = f->data;
    f->call.rsi = second;
    f->call.rax = 0;
    /* As the ABI has them at a call: no direction, no traps. */
    f->call.eflags &= ~UINT64_C(0x500);
}

bool signal_frame_is_returning(const struct signal_frame *f,
                               const struct user_regs_struct *r)
{
    return r->orig_rax == SYS_rt_sigreturn && r->rsp == f->stack_at_return;
}
