/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that makes code while it runs, as a JIT compiler does, and names it in a perf
 * map or a jitdump. Its arguments are what it does, in this order:
 *
 *     wait:MS               does nothing of interest for so long
 *     code:SLOT             puts a loop into a slot of its memory
 *     data                  makes its memory data again
 *     run:SLOT:MS           runs it for so much CPU time
 *     line:SLOT:OFFSET:SIZE:NAME    adds a line about a slot to /tmp/perf-PID.map
 *     raw:TEXT              adds a line with this text
 *     dump:DIRECTORY        creates jit-PID.dump there, and maps it
 *     swapped               the same in the other byte order from here on
 *     load:SLOT:NUMBER:NAME, move:FROM:TO:NUMBER    add records to it
 *     cut                   adds half a record
 *     remove                deletes both files
 *     user:ID               the map then belongs to this user
 *     link                  the map is a symbolic link to a file beside it
 *     old                   the map was last written ten days ago
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SLOT_SIZE = 4096, N_SLOTS = 8, ITERATIONS = 1 << 20 };

#if defined(__x86_64__)
/* dec %rdi; jnz -5; ret */
static const unsigned char loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#elif defined(__aarch64__)
/* subs x0, x0, #1; b.ne -4; ret */
static const unsigned char loop[] = {0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
                                     0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#elif defined(__riscv)
/* addi a0, a0, -1; bnez a0, -4; ret */
static const unsigned char loop[] = {0x13, 0x05, 0xf5, 0xff, 0xe3, 0x1e,
                                     0x05, 0xfe, 0x67, 0x80, 0x00, 0x00};
#else
#error "there is no loop for this machine"
#endif

static unsigned char *memory;
static char map_path[64];
static char dump_path[PATH_MAX];
static FILE *map;
static FILE *dump;
static int is_swapped;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void put_code(unsigned slot)
{
    unsigned char *at = memory + slot * SLOT_SIZE;

    if (mprotect(memory, N_SLOTS * SLOT_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        fail("mprotect");
    memcpy(at, loop, sizeof(loop));
    __builtin___clear_cache((char *)at, (char *)at + sizeof(loop));
}

static void run_code(unsigned slot, uint64_t ms)
{
    uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000;
    void (*run)(uint64_t);
    void *at = memory + slot * SLOT_SIZE;

    memcpy(&run, &at, sizeof(run));
    while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
        run(ITERATIONS);
}

/* ---- The map ----------------------------------------------------------------------- */

static FILE *open_map(void)
{
    if (map == NULL && (map = fopen(map_path, "w")) == NULL)
        fail(map_path);
    return map;
}

static void put_line(unsigned slot, unsigned offset, unsigned size, const char *name)
{
    static int n_lines;
    uintptr_t at = (uintptr_t)memory + slot * SLOT_SIZE + offset;

    /* Some compilers have the prefix and zeroes, and some have not. */
    fprintf(open_map(), n_lines++ % 2 ? "0x%016lx 0x%016x %s\n" : "%lx %x %s\n",
            (unsigned long)at, size, name);
    fflush(map);
}

static void put_link(void)
{
    char target[80];

    snprintf(target, sizeof(target), "%s.real", map_path);
    if (rename(map_path, target) != 0 || symlink(target, map_path) != 0)
        fail(map_path);
}

static void make_old(void)
{
    struct timespec times[2] = {{time(NULL) - 864000, 0}, {time(NULL) - 864000, 0}};

    if (futimens(fileno(open_map()), times) != 0)
        fail(map_path);
}

/* ---- The dump ---------------------------------------------------------------------- */

static void put_32(uint32_t value)
{
    value = is_swapped ? __builtin_bswap32(value) : value;
    fwrite(&value, sizeof(value), 1, dump);
}

static void put_64(uint64_t value)
{
    value = is_swapped ? __builtin_bswap64(value) : value;
    fwrite(&value, sizeof(value), 1, dump);
}

static void open_dump(const char *directory)
{
    snprintf(dump_path, sizeof(dump_path), "%s/jit-%ld.dump", directory, (long)getpid());
    dump = fopen(dump_path, "w+");
    if (dump == NULL)
        fail(dump_path);
    put_32(0x4a695444);
    put_32(1);
    put_32(40);
    put_32(0);
    put_32(0xdeadbeef);
    put_32((uint32_t)getpid());
    put_64(0);
    put_64(0);
    fflush(dump);
    if (mmap(NULL, SLOT_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) ==
        MAP_FAILED)
        fail(dump_path);
}

static void start_record(uint32_t id, uint32_t size)
{
    put_32(id);
    put_32(size);
    put_64(clock_ns(CLOCK_MONOTONIC));
    put_32((uint32_t)getpid());
    put_32((uint32_t)getpid());
}

static void put_load(unsigned slot, unsigned number, const char *name)
{
    uintptr_t at = (uintptr_t)memory + slot * SLOT_SIZE;

    start_record(0, (uint32_t)(56 + strlen(name) + 1 + sizeof(loop)));
    put_64(at);
    put_64(at);
    put_64(sizeof(loop));
    put_64(number);
    fwrite(name, strlen(name) + 1, 1, dump);
    fwrite(loop, sizeof(loop), 1, dump);
    fflush(dump);
}

static void put_move(unsigned from, unsigned to, unsigned number)
{
    start_record(1, 64);
    put_64((uintptr_t)memory + to * SLOT_SIZE);
    put_64((uintptr_t)memory + from * SLOT_SIZE);
    put_64((uintptr_t)memory + to * SLOT_SIZE);
    put_64(sizeof(loop));
    put_64(number);
    fflush(dump);
}

/* ---- Arguments --------------------------------------------------------------------- */

static int takes(const char **argument, const char *prefix)
{
    size_t size = strlen(prefix);

    if (strncmp(*argument, prefix, size) != 0)
        return 0;
    *argument += size;
    return 1;
}

static void do_one(const char *argument)
{
    unsigned numbers[3] = {0};
    int name = 0;

    if (takes(&argument, "wait:") && sscanf(argument, "%u", numbers) == 1)
        usleep(numbers[0] * 1000);
    else if (takes(&argument, "data"))
        mprotect(memory, N_SLOTS * SLOT_SIZE, PROT_READ | PROT_WRITE);
    else if (takes(&argument, "code:") && sscanf(argument, "%u", numbers) == 1)
        put_code(numbers[0]);
    else if (takes(&argument, "run:") &&
             sscanf(argument, "%u:%u", numbers, numbers + 1) == 2)
        run_code(numbers[0], numbers[1]);
    else if (takes(&argument, "line:") && sscanf(argument, "%u:%u:%u:%n", numbers,
                                                 numbers + 1, numbers + 2, &name) == 3)
        put_line(numbers[0], numbers[1], numbers[2], argument + name);
    else if (takes(&argument, "raw:"))
        fprintf(open_map(), "%s\n", argument);
    else if (takes(&argument, "dump:"))
        open_dump(argument);
    else if (takes(&argument, "swapped"))
        is_swapped = 1;
    else if (takes(&argument, "load:") &&
             sscanf(argument, "%u:%u:%n", numbers, numbers + 1, &name) == 2)
        put_load(numbers[0], numbers[1], argument + name);
    else if (takes(&argument, "move:") &&
             sscanf(argument, "%u:%u:%u", numbers, numbers + 1, numbers + 2) == 3)
        put_move(numbers[0], numbers[1], numbers[2]);
    else if (takes(&argument, "cut"))
        start_record(0, 1000);
    else if (takes(&argument, "remove"))
        (void)(unlink(map_path) + unlink(dump_path));
    else if (takes(&argument, "user:") && sscanf(argument, "%u", numbers) == 1)
        (void)(fchown(fileno(open_map()), numbers[0], numbers[0]) == 0 ||
               (fail("chown"), 0));
    else if (takes(&argument, "link"))
        put_link();
    else if (takes(&argument, "old"))
        make_old();
    else
        fail(argument);
}

int main(int argc, char **argv)
{
    memory = mmap(NULL, N_SLOTS * SLOT_SIZE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("mmap");
    snprintf(map_path, sizeof(map_path), "/tmp/perf-%ld.map", (long)getpid());
    for (int i = 1; i < argc; i++)
        do_one(argv[i]);
    if (dump != NULL)
        fclose(dump);
    return 0;
}
