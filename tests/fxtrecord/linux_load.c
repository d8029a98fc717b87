/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The init of a guest for test_gdb_linux.py: it loads the modules in /modules, writes
 * /proc/kallsyms to port 0xe9, or where there are no ports, a part of it to the console,
 * and keeps all CPUs busy with system calls, page faults, context switches and code of
 * the modules.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <sys/io.h>
#endif

enum { PORT = 0xe9, PAGE = 4096, KINDS = 6, PROCESSES = 12 };

static char buffer[1 << 16];
static volatile unsigned long count;

#ifdef __x86_64__
static void write_symbols(void)
{
    int fd = open("/proc/kallsyms", O_RDONLY);
    ssize_t n;

    if (iopl(3) != 0)
        return;
    while ((n = read(fd, buffer, sizeof(buffer))) > 0)
        outsb(PORT, buffer, (unsigned long)n);
    close(fd);
}
#else
/* Consoles are slow: only where the kernel is entered, and where it begins tasks. */
static void write_symbols(void)
{
    static const char *const names[] = {"__entry_text_start",   "__entry_text_end",
                                        "ret_from_fork",        "__primary_switched",
                                        "__secondary_switched", "el0t_64_sync_handler",
                                        "el0t_64_irq_handler",  "el1h_64_sync_handler",
                                        "el1h_64_irq_handler",  "handle_exception",
                                        "ret_from_exception",   "start_kernel",
                                        "smp_callin",           "vectors"};
    FILE *file = fopen("/proc/kallsyms", "r");
    char name[128];

    while (file != NULL && fgets(buffer, sizeof(buffer), file) != NULL) {
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            if (sscanf(buffer, "%*s %*s %127s", name) == 1 && strcmp(name, names[i]) == 0)
                fputs(buffer, stdout);
        }
    }
}
#endif

static void load_modules(void)
{
    struct dirent **all;
    int n = scandir("/modules", &all, NULL, alphasort);
    char path[512];

    for (int i = 0; i < n; i++) {
        int fd;

        snprintf(path, sizeof(path), "/modules/%s", all[i]->d_name);
        fd = open(path, O_RDONLY);
        if (all[i]->d_name[0] != '.' && syscall(SYS_finit_module, fd, "", 0) != 0)
            perror(path);
        close(fd);
    }
}

static void read_file(const char *path)
{
    char bytes[PAGE];
    struct stat status;
    int fd = open(path, O_RDONLY);

    stat(path, &status);
    if (read(fd, bytes, sizeof(bytes)) < 0)
        count++;
    close(fd);
}

static void fill_pipe(void)
{
    static int ends[2];
    char bytes[PAGE] = {0};

    if (ends[0] == 0 && pipe(ends) != 0)
        exit(1);
    if (write(ends[1], bytes, sizeof(bytes)) < 0 ||
        read(ends[0], bytes, sizeof(bytes)) < 0)
        exit(1);
}

static void start_process(void)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    sched_yield();
}

static void touch_pages(void)
{
    char *pages =
        mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (int i = 0; i < 64; i++)
        pages[i * PAGE] = 1;
    for (int i = 0; i < 100000; i++)
        count++;
    munmap(pages, 64 * PAGE);
}

/* The code of the modules brd, af_alg and algif_hash, where they were loaded. */
static void use_disk(void)
{
    static int fd;
    static char bytes[16 * PAGE] __attribute__((aligned(4096)));

    if (fd == 0)
        fd = open("/dev/ram0", O_RDWR | O_DIRECT);
    if (pread(fd, bytes, sizeof(bytes), 0) < 0 || pwrite(fd, bytes, sizeof(bytes), 0) < 0)
        read_file("/proc/self/status");
}

static void hash_bytes(void)
{
    static int fd;
    static char bytes[PAGE];
    struct sockaddr_alg address = {
        .salg_family = AF_ALG, .salg_type = "hash", .salg_name = "sha256"};

    if (fd == 0) {
        int base = socket(AF_ALG, SOCK_SEQPACKET, 0);

        if (bind(base, (struct sockaddr *)&address, sizeof(address)) == 0)
            fd = accept(base, NULL, NULL);
        else
            fd = -1;
    }
    if (send(fd, bytes, sizeof(bytes), MSG_MORE) < 0)
        read_file("/dev/zero");
}

static void load(int kind)
{
    static void (*const kinds[KINDS])(void) = {fill_pipe, start_process, touch_pages,
                                               use_disk,  hash_bytes,    NULL};

    for (;;) {
        if (kinds[kind] != NULL)
            kinds[kind]();
        else
            read_file("/proc/self/stat");
    }
}

int main(void)
{
    mkdir("/proc", 0755);
    mount("proc", "/proc", "proc", 0, "");
    mount("devtmpfs", "/dev", "devtmpfs", 0, "");
    load_modules();
    write_symbols();
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() == 0)
            load(i % KINDS);
    }
    puts("The load runs.");
    fflush(stdout);
    for (;;)
        pause();
}
