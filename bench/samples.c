/* SPDX-License-Identifier: BSD-2-Clause */
/* See samples.h. */
#include "samples.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fxt/compiler.h>
#include <fxt/format.h>

#include "depths.h"
#include "tests/support/pick.h"

/* A function calls from 11 or 12 places. */
enum {
    PCS_MIN = 20,
    PCS_MAX = 40,
    HEADER_WORDS = 6,
    CALLS = 12,
    N_THREADS = 64,
    N_PROCESSES = 8,
    SAMPLES_A_STACK = 38
};

static void *must(void *memory)
{
    if (memory == NULL || memory == MAP_FAILED) {
        perror("bench");
        exit(EXIT_FAILURE);
    }
    return memory;
}

static int make_file(size_t size)
{
    int fd = memfd_create("bench", 0);

    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        must(NULL);
    return fd;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* Records of samples, but for their times, one after the other. */
struct pool {
    uint64_t *words;
    size_t n_words;
    size_t capacity;
    /* Where each stack's record begins. */
    size_t *starts;
    uint64_t n;
    /* Which function a place calls. */
    uint16_t callees[SAMPLES_FUNCTIONS][CALLS];
};

static uint64_t address(uint64_t function, uint64_t call)
{
    return SAMPLES_CODE + function * SAMPLES_FUNCTION_SIZE + call * 16 + 8;
}

/* Room for the next stack. */
static uint64_t *make_room(struct pool *pool)
{
    if (pool->capacity - pool->n_words < HEADER_WORDS + DEPTH_MAX) {
        pool->capacity = 2 * pool->capacity + HEADER_WORDS + DEPTH_MAX;
        pool->words =
            (uint64_t *)must(realloc(pool->words, pool->capacity * sizeof(*pool->words)));
    }
    return pool->words + pool->n_words;
}

/* Root first is how it is called: mostly along the one way, now and then off it. Returns
 * how many words the record has. */
static size_t make_stack(const struct pool *pool, uint64_t *w, bool is_mixed)
{
    uint64_t n = is_mixed ? depths_pick() : PCS_MIN + pick(PCS_MAX - PCS_MIN + 1);
    uint64_t thread = pool->n % N_THREADS;
    uint64_t function = thread % N_PROCESSES;

    w[0] =
        FXT_PUT(RECORD_TYPE, FXT_RECORD_LARGE) | FXT_PUT(LARGE_WORDS, HEADER_WORDS + n);
    w[1] = 0;
    w[3] = 1000 + thread % N_PROCESSES;
    w[4] = 2000 + thread;
    w[5] = n * FXT_WORD_BYTES;
    for (uint64_t i = n; i > 0; i--) {
        uint64_t call = pick(8) > 0 ? 0 : pick(CALLS - (function & 1));

        w[HEADER_WORDS + i - 1] = address(function, call);
        function = pool->callees[function][call];
    }
    return HEADER_WORDS + n;
}

static uint64_t hash_stack(const uint64_t *words, size_t n_words)
{
    uint64_t hash = words[3];

    for (size_t i = HEADER_WORDS; i < n_words; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15 + (hash >> 32);
    return hash | 1;
}

/* Adds a hash to a table of them; false if it was there. */
static bool is_new(uint64_t *seen, uint64_t n_slots, uint64_t hash)
{
    uint64_t at = hash >> 20;

    for (; seen[at & (n_slots - 1)] != 0; at++) {
        if (seen[at & (n_slots - 1)] == hash)
            return false;
    }
    seen[at & (n_slots - 1)] = hash;
    return true;
}

static void make_pool(struct pool *pool, uint64_t n, bool is_mixed)
{
    uint64_t n_slots = 1 << 10;
    uint64_t *seen;

    while (n_slots < 2 * n)
        n_slots *= 2;
    seen = (uint64_t *)must(calloc(n_slots, sizeof(*seen)));
    pool->starts = (size_t *)must(malloc(n * sizeof(*pool->starts)));
    for (uint64_t i = 0; i < SAMPLES_FUNCTIONS; i++) {
        for (uint64_t j = 0; j < CALLS; j++)
            pool->callees[i][j] = (uint16_t)pick(SAMPLES_FUNCTIONS);
    }
    while (pool->n < n) {
        uint64_t *words = make_room(pool);
        size_t n_words = make_stack(pool, words, is_mixed);

        if (!is_new(seen, n_slots, hash_stack(words, n_words)))
            continue;
        pool->starts[pool->n++] = pool->n_words;
        pool->n_words += n_words;
    }
    free(seen);
}

/* ---- Samples ----------------------------------------------------------------------- */

/* Each stack once, and then any, until each region has had no room for one. */
static void fill(struct samples *samples, const struct pool *pool, uint64_t *regions)
{
    size_t region_words = samples->region_size / FXT_WORD_BYTES;
    size_t ends[SAMPLES_REGIONS] = {0};
    unsigned full = 0;

    for (uint64_t n = 0; full + 1 != 1U << SAMPLES_REGIONS; n++) {
        uint64_t number = n < pool->n ? n : pick(pool->n);
        const uint64_t *stack = pool->words + pool->starts[number];
        uint64_t n_words = FXT_GET(stack[0], LARGE_WORDS);
        uint64_t cpu = stack[4] % SAMPLES_REGIONS;
        uint64_t *w = regions + cpu * region_words + ends[cpu];

        if (region_words - ends[cpu] <= n_words) {
            full |= 1U << cpu;
            continue;
        }
        memcpy(w, stack, n_words * FXT_WORD_BYTES);
        w[2] = n;
        ends[cpu] += n_words;
        samples->n_samples++;
        if (n < pool->n)
            samples->stack_bytes += (n_words - HEADER_WORDS) * FXT_WORD_BYTES;
    }
}

/* Runs in a separate process, so that its memory does not count as that of the measured
 * children. Its results are at the end of the file. */
static void make(struct samples *samples, struct samples_shape shape)
{
    struct pool *pool = (struct pool *)must(calloc(1, sizeof(*pool)));
    void *memory = must(
        mmap(NULL, samples->size, PROT_READ | PROT_WRITE, MAP_SHARED, samples->fd, 0));
    size_t record = (HEADER_WORDS + (PCS_MIN + PCS_MAX) / 2) * FXT_WORD_BYTES;

    if (shape.n_stacks == 0)
        shape.n_stacks = samples->size / record * 5 / SAMPLES_A_STACK;
    make_pool(pool, shape.n_stacks, shape.is_mixed);
    samples->n_stacks = pool->n;
    fill(samples, pool, (uint64_t *)memory);
}

struct samples samples_make(struct samples_shape shape)
{
    struct samples samples = {.size = shape.mib << 20};
    struct samples *shared =
        (struct samples *)must(mmap(NULL, sizeof(samples), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    int status;
    pid_t pid;

    samples.fd = make_file(samples.size);
    samples.region_size = samples.size / SAMPLES_REGIONS;
    pid = fork();
    if (pid == 0) {
        make(&samples, shape);
        *shared = samples;
        _exit(EXIT_SUCCESS);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        must(NULL);
    samples = *shared;
    munmap(shared, sizeof(samples));
    return samples;
}

/* ---- ELF --------------------------------------------------------------------------- */

/* Where things are in the file. */
enum {
    NAME_SIZE = 16,
    SECTIONS_AT = 0x400,
    SYMBOLS_AT = 0x1000,
    NAMES_AT = SYMBOLS_AT + (SAMPLES_FUNCTIONS + 1) * sizeof(Elf64_Sym),
    CODE_AT = 0x100000,
    CODE_SIZE = SAMPLES_FUNCTIONS * SAMPLES_FUNCTION_SIZE
};

static void put_symbols(unsigned char *file)
{
    Elf64_Sym *symbols = (Elf64_Sym *)(void *)(file + SYMBOLS_AT);
    char *names = (char *)file + NAMES_AT;

    for (unsigned i = 0; i < SAMPLES_FUNCTIONS; i++) {
        snprintf(names + (i + 1) * NAME_SIZE, NAME_SIZE, "function_%u", i);
        symbols[i + 1] = (Elf64_Sym){
            .st_name = (i + 1) * NAME_SIZE,
            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
            .st_shndx = 1,
            .st_value = SAMPLES_CODE + i * SAMPLES_FUNCTION_SIZE,
            .st_size = SAMPLES_FUNCTION_SIZE,
        };
    }
}

static void put_headers(unsigned char *file)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)file;
    Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(file + SECTIONS_AT);

    *header = (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                    FXT_HOST_IS_BIG_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(*header),
        .e_shoff = SECTIONS_AT,
        .e_ehsize = sizeof(*header),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 1,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 4,
    };
    *(Elf64_Phdr *)(void *)(file + sizeof(*header)) = (Elf64_Phdr){
        .p_type = PT_LOAD,
        .p_flags = PF_R | PF_X,
        .p_offset = CODE_AT,
        .p_vaddr = SAMPLES_CODE,
        .p_filesz = CODE_SIZE,
        .p_memsz = CODE_SIZE,
        .p_align = 4096,
    };
    sections[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                               .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                               .sh_addr = SAMPLES_CODE,
                               .sh_offset = CODE_AT,
                               .sh_size = CODE_SIZE};
    sections[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                               .sh_offset = SYMBOLS_AT,
                               .sh_size = (SAMPLES_FUNCTIONS + 1) * sizeof(Elf64_Sym),
                               .sh_link = 3,
                               .sh_entsize = sizeof(Elf64_Sym)};
    sections[3] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                               .sh_offset = NAMES_AT,
                               .sh_size = (SAMPLES_FUNCTIONS + 1) * NAME_SIZE};
}

int samples_make_elf(void)
{
    int fd = make_file(CODE_AT + CODE_SIZE);
    unsigned char *file = (unsigned char *)must(
        mmap(NULL, CODE_AT + CODE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));

    put_headers(file);
    put_symbols(file);
    munmap(file, CODE_AT + CODE_SIZE);
    return fd;
}
