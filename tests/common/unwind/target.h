/* SPDX-License-Identifier: BSD-2-Clause */
/* A stopped process that is looked at through ptrace: its registers, its memory, and its
 * modules with their tables. x86-64. */
#ifndef TESTS_LIBFXTUNWIND_TARGET_H
#define TESTS_LIBFXTUNWIND_TARGET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/elf/vdso.h"
#include "common/base/memory.h"
#include "common/unwind/unwind_file.h"
#include "common/unwind/unwind_walk.h"

enum { TARGET_MODULES = 512, TARGET_FILES = 256, TARGET_STACK = 1 << 17 };

struct target_file {
    char name[256];
    struct unwind_table table;
    struct elf_load {
        uint64_t offset;
        uint64_t vaddr;
    } load;
};

struct target_range {
    uint64_t start;
    uint64_t limit;
};

struct target {
    pid_t pid;
    struct unwind_module modules[2 * TARGET_MODULES];
    struct unwind_space space;
    struct target_file files[TARGET_FILES];
    unsigned n_files;
    /* All mappings, for stacks. */
    struct target_range maps[TARGET_MODULES];
    unsigned n_maps;
    struct target_range stack;
    unsigned char bytes[2][TARGET_STACK];
    /* As in struct unwind_start. */
    uint64_t *exact;
};

static inline bool target_read(const struct target *t, uint64_t address, void *to,
                               size_t size)
{
    struct iovec local = {to, size};
    struct iovec remote = {(void *)(uintptr_t)address, size};

    return process_vm_readv(t->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static inline bool target_read_code(void *context, const struct unwind_module *module,
                                    uint64_t address, unsigned char *bytes, size_t n)
{
    (void)module;
    return target_read((const struct target *)context, address, bytes, n);
}

static inline bool target_read_word(void *context, uint64_t address, uint64_t *word)
{
    return target_read((const struct target *)context, address, word, sizeof(*word));
}

static inline struct target_file *target_file(struct target *t, const char *name)
{
    struct target_file *found = NULL;
    struct text why = {NULL, 0, 0};
    struct file *file;

    for (unsigned i = 0; i < t->n_files; i++) {
        if (strcmp(t->files[i].name, name) == 0)
            return &t->files[i];
    }
    if (t->n_files == TARGET_FILES)
        return NULL;
    file = strcmp(name, "[vdso]") == 0 ? vdso_open() : file_open(name, &why);
    if (!file)
        return NULL;
    found = &t->files[t->n_files++];
    snprintf(found->name, sizeof(found->name), "%s", name);
    if (unwind_file_read(&found->table, file, &unwind_base_allocator, NULL) != UNWIND_OK)
        fprintf(stderr, "%s: no table\n", name);
    file_close(file);
    return found;
}

/* The bias of a file's mapping: that of its first one, as the addresses in libraries and
 * position independent programs begin at 0; other programs are loaded where they are
 * linked. */
static inline uint64_t target_bias(struct target *t, uint64_t first)
{
    unsigned char header[18];

    if (target_read(t, first, header, sizeof(header)) && header[16] == 2)
        return 0;
    return first;
}

static inline void target_read_maps(struct target *t)
{
    char path[64];
    char line[512];
    char first_name[256] = "";
    uint64_t first = 0;
    uint32_t n = 0;
    FILE *maps;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)t->pid);
    maps = fopen(path, "r");
    t->n_maps = 0;
    while (maps && fgets(line, sizeof(line), maps) && n < TARGET_MODULES) {
        unsigned long start;
        unsigned long limit;
        unsigned long offset;
        char mode[8];
        char name[256] = "";
        struct target_file *file;

        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &limit, mode, &offset,
                   name) < 4)
            continue;
        if (t->n_maps < TARGET_MODULES)
            t->maps[t->n_maps++] = (struct target_range){start, limit};
        if (strcmp(name, "[stack]") == 0)
            t->stack = (struct target_range){start, limit};
        if (strcmp(name, first_name) != 0 || offset == 0)
            first = start;
        snprintf(first_name, sizeof(first_name), "%s", name);
        if (mode[2] != 'x' || strcmp(name, "[vsyscall]") == 0)
            continue;
        file = name[0] ? target_file(t, name) : NULL;
        t->modules[n++] = (struct unwind_module){.start = start,
                                                 .limit = limit,
                                                 .bias = target_bias(t, first),
                                                 .table = file ? &file->table : NULL,
                                                 .flags = file ? 0 : UNWIND_KEEPS_FRAMES};
    }
    if (maps)
        fclose(maps);
    t->space.machine = UNWIND_X86_64;
    t->space.generation++;
    t->space.modules = t->modules;
    t->space.n_modules = unwind_space_arrange(t->modules, n, 2 * TARGET_MODULES);
}

/* What is mapped above an address, at most as much as there is room for. */
static inline size_t target_above(const struct target *t, uint64_t address)
{
    for (unsigned i = 0; i < t->n_maps; i++) {
        if (address >= t->maps[i].start && address < t->maps[i].limit) {
            uint64_t size = t->maps[i].limit - address;

            return size < TARGET_STACK ? size : TARGET_STACK;
        }
    }
    return 0;
}

static inline void target_registers(const struct user_regs_struct *from,
                                    struct unwind_registers *to)
{
    const unsigned long long values[] = {from->rax, from->rdx, from->rcx, from->rbx,
                                         from->rsi, from->rdi, from->rbp, from->rsp,
                                         from->r8,  from->r9,  from->r10, from->r11,
                                         from->r12, from->r13, from->r14, from->r15};

    to->pc = from->rip;
    to->known = 0xffff;
    for (unsigned i = 0; i < 16; i++)
        to->r[i] = values[i];
}

/* The main thread's stack is given, too, if the stack pointer is on another one. */
static inline uint32_t target_walk(struct target *t, const struct user_regs_struct *from,
                                   uint64_t main_sp, uint64_t *pcs, uint32_t max,
                                   struct unwind_result *result)
{
    struct unwind_registers registers;
    struct unwind_chunk chunks[2];
    struct unwind_start start = {.space = &t->space,
                                 .registers = &registers,
                                 .chunks = chunks,
                                 .read_code = target_read_code,
                                 .read_word = target_read_word,
                                 .exact = t->exact,
                                 .context = t};
    uint64_t bases[] = {from->rsp, main_sp};

    target_registers(from, &registers);
    for (unsigned i = 0; i < 2; i++) {
        size_t size = target_above(t, bases[i]);

        if ((i == 1 && bases[1] == bases[0]) || size == 0 ||
            !target_read(t, bases[i], t->bytes[i], size))
            continue;
        chunks[start.n_chunks++] =
            (struct unwind_chunk){bases[i], size, t->bytes[i], false};
    }
    return unwind_walk(&start, pcs, max, result);
}

#endif
