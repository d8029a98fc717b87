/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks of a stack of 24 frames without frame pointers, by unwind tables, beside those of
 * libgcc and, if it is installed, libunwind; then how long tables take to build.
 *
 * libunwind is loaded so that it does not replace libgcc's functions in this process.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "common/base/memory.h"
#include "bench.h"
#include "common/unwind/unwind_file.h"
#include "common/unwind/unwind_walk.h"

enum {
    MODULES_MAX = 64,
    ENTRIES = 4096,
    PCS = 128,
    WALKS = 20000,
    DEPTH = 12,
    COPY = 32768
};

struct process {
    struct unwind_module modules[2 * MODULES_MAX];
    struct unwind_table tables[MODULES_MAX];
    char names[MODULES_MAX][256];
    struct unwind_space space;
    uint64_t stack_limit;
    uint32_t n;
};

static struct process process;
static struct unwind_cache_entry entries[ENTRIES];
static unsigned char copy[COPY];
static int (*unw_backtrace_fn)(void **, int);
static double libc_ms;
static uint32_t libc_rows;

/* ---- The modules of this process --------------------------------------------------- */

static const struct unwind_table *table_of(const char *name)
{
    double start = bench_cpu_seconds();
    uint32_t i = 0;
    struct file *file;

    while (i < process.n && strcmp(process.names[i], name) != 0)
        i++;
    if (i < process.n)
        return &process.tables[i];
    file = file_open(name, &(struct text){NULL, 0, 0});
    if (!file || process.n == MODULES_MAX)
        return NULL;
    snprintf(process.names[process.n], sizeof(process.names[0]), "%s", name);
    unwind_file_read(&process.tables[process.n], file, &unwind_base_allocator, NULL);
    file_close(file);
    if (strstr(name, "/libc.so")) {
        libc_ms = (bench_cpu_seconds() - start) * 1e3;
        libc_rows = process.tables[process.n].n_rows;
    }
    return &process.tables[process.n++];
}

static void take_line(const char *line, uint64_t *first, uint32_t *n)
{
    unsigned long start;
    unsigned long limit;
    unsigned long offset;
    char mode[8];
    char name[256] = "";

    if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &limit, mode, &offset,
               name) < 4)
        return;
    if (offset == 0)
        *first = start;
    if (strcmp(name, "[stack]") == 0)
        process.stack_limit = limit;
    if (mode[2] == 'x' && name[0] == '/' && *n < MODULES_MAX)
        process.modules[(*n)++] = (struct unwind_module){
            .start = start, .limit = limit, .bias = *first, .table = table_of(name)};
}

static void read_process(void *context)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    uint64_t first = 0;
    uint32_t n = 0;

    (void)context;
    while (maps && fgets(line, sizeof(line), maps))
        take_line(line, &first, &n);
    if (maps)
        fclose(maps);
    process.space = (struct unwind_space){
        .machine = UNWIND_THIS_MACHINE, .generation = 1, .modules = process.modules};
    process.space.n_modules = unwind_space_arrange(process.modules, n, 2 * MODULES_MAX);
}

/* ---- Walks ------------------------------------------------------------------------- */

/* The registers of this function, which then has the first frame. */
#if defined(__x86_64__)
#define TAKE_REGISTERS(registers)                                                        \
    __asm__ volatile("lea 0f(%%rip), %0\n0:\tmov %%rsp, %1\n\tmov %%rbp, %2"             \
                     : "=&r"((registers).pc), "=&r"((registers).r[7]),                   \
                       "=&r"((registers).r[6]))
enum { SP = 7 };
#elif defined(__aarch64__)
#define TAKE_REGISTERS(registers)                                                        \
    __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29"                            \
                     : "=&r"((registers).pc), "=&r"((registers).r[31]),                  \
                       "=&r"((registers).r[29]))
enum { SP = 31 };
#else
#define TAKE_REGISTERS(registers)                                                        \
    __asm__ volatile("auipc %0, 0\n\tmv %1, sp\n\tmv %2, s0"                             \
                     : "=&r"((registers).pc), "=&r"((registers).r[2]),                   \
                       "=&r"((registers).r[8]))
enum { SP = 2 };
#endif

static uint64_t walk_often(const struct unwind_start *start)
{
    struct unwind_result result;
    uint64_t pcs[PCS];
    uint64_t n = 0;

    for (int i = 0; i < WALKS; i++)
        n += unwind_walk(start, pcs, PCS, &result);
    if (result.end != UNWIND_END_OUTERMOST)
        fprintf(stderr, "the walk ended early: %d\n", (int)result.end);
    return n;
}

/* This stack, or a copy of it. */
static uint64_t walk_with(struct unwind_cache *cache, bool is_copied)
{
    struct unwind_registers registers = {.known = 0};
    struct unwind_chunk chunk = {.is_cut = false};
    struct unwind_start start = {.space = &process.space,
                                 .registers = &registers,
                                 .chunks = &chunk,
                                 .n_chunks = 1,
                                 .is_return = !is_copied,
                                 .cache = cache};

    TAKE_REGISTERS(registers);
    chunk.address = registers.r[SP];
    chunk.size = process.stack_limit - chunk.address;
    memcpy(&chunk.bytes, &chunk.address, sizeof(chunk.bytes));
    if (is_copied) {
        chunk.size = chunk.size < COPY ? chunk.size : COPY;
        memcpy(copy, chunk.bytes, chunk.size);
        chunk.bytes = copy;
    }
    return walk_often(&start);
}

static uint64_t walk_cached(void *context)
{
    return walk_with((struct unwind_cache *)context, false);
}

static uint64_t walk_uncached(void *context)
{
    (void)context;
    return walk_with(NULL, false);
}

static uint64_t walk_copied(void *context)
{
    return walk_with((struct unwind_cache *)context, true);
}

static uint64_t walk_libunwind(void *context)
{
    void *pcs[PCS];
    uint64_t n = 0;

    (void)context;
    for (int i = 0; i < WALKS; i++)
        n += (uint64_t)unw_backtrace_fn(pcs, PCS);
    return n;
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *frame, void *context)
{
    uint64_t *n = (uint64_t *)context;

    *n += _Unwind_GetIP(frame) != 0;
    return _URC_NO_REASON;
}

static uint64_t walk_libgcc(void *context)
{
    uint64_t n = 0;

    (void)context;
    for (int i = 0; i < WALKS / 10; i++)
        _Unwind_Backtrace(count_frame, &n);
    return n * 10;
}

/* ---- The stack --------------------------------------------------------------------- */

static volatile int level;

static void run_benches(void)
{
    struct bench_candidate candidates[5] = {
        {.name = "table and cache", .run = walk_cached},
        {.name = "copied stack", .run = walk_copied},
        {.name = "table only", .run = walk_uncached},
        {.name = "libgcc (per 10)", .run = walk_libgcc},
        {.name = "libunwind", .run = walk_libunwind},
    };
    struct unwind_cache cache = {entries, ENTRIES - 1};
    int n = unw_backtrace_fn ? 5 : 4;
    int status = 0;

    bench_run(candidates, n, &cache);
    printf("%.1f frames\n", (double)candidates[0].result / WALKS);
    bench_print(candidates, n, WALKS, "walk");
    if (unw_backtrace_fn)
        status |= bench_ratio(&candidates[0], &candidates[4], 1.0);
    /* A tenth of the walks: 20 times as fast is half of it. */
    status |= bench_ratio(&candidates[0], &candidates[3], 0.5);
    printf("the table of libc: %u rows, %.2f ms\n", libc_rows, libc_ms);
    exit(status || libc_ms > 10);
}

__attribute__((noinline)) static int deeper(int n);

static int compare(const void *a, const void *b)
{
    (void)a;
    (void)b;
    return deeper(level - 1);
}

/* In part through libc, whose functions have no frame pointers either. */
static int deeper(int n)
{
    volatile int room[8] = {n};
    int pair[2] = {1, 2};

    level = n;
    if (n == 0)
        run_benches();
    else if (n % 8 == 0)
        qsort(pair, 2, sizeof(pair[0]), compare);
    else
        room[0] += deeper(n - 1);
    return room[0] + pair[0];
}

int main(void)
{
    void *libunwind = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    void *found = libunwind ? dlsym(libunwind, "unw_backtrace") : NULL;

    memcpy(&unw_backtrace_fn, &found, sizeof(found));
    if (memory_run(NULL, read_process, NULL))
        return 2;
    return deeper(DEPTH);
}
