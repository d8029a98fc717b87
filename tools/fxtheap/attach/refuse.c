/* SPDX-License-Identifier: BSD-2-Clause */
/* See refuse.h. */
#include "refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/processes/proc_stat.h"

static bool refuse(struct text *why, const char *reason)
{
    text_str(why, reason);
    return true;
}

/* ---- The process ------------------------------------------------------------------- */

/* One with more filters than this program has added its own, which may end it for what
 * libfxtheap does; those of a container are there for both. */
static bool is_filtered(pid_t process)
{
    long mode = proc_status_number(process, "Seccomp:", 0);
    long n = proc_status_number(process, "Seccomp_filters:", -1);
    long own = proc_status_number(0, "Seccomp_filters:", -1);

    return mode != 0 && (mode == 1 || n < 0 || own < 0 || n > own);
}

static bool is_elsewhere(pid_t process)
{
    char path[64];
    struct stat theirs;
    struct stat own;

    snprintf(path, sizeof(path), "/proc/%ld/ns/pid", (long)process);
    return stat(path, &theirs) == 0 && stat("/proc/self/ns/pid", &own) == 0 &&
           theirs.st_ino != own.st_ino;
}

bool refuse_process(pid_t process, struct text *why)
{
    struct proc_stat stat;
    long tracer;

    if (process == getpid())
        return refuse(why, "that is this program");
    if (!proc_stat_read(process, process, &stat))
        return refuse(why, "there is no such process");
    if (proc_stat_has_ended(&stat))
        return refuse(why, "it has ended");
    if (proc_status_number(process, "Tgid:", 0) != process)
        return refuse(why, "that is one thread of a process: give the process's id");
    if (stat.state == 'T' || stat.state == 't')
        return refuse(why, "it is stopped: continue it first (kill -CONT)");
    tracer = proc_status_number(process, "TracerPid:", 0);
    if (tracer != 0) {
        text_printf(why, "process %ld is debugging it", tracer);
        return true;
    }
    if (is_filtered(process))
        return refuse(why,
                      "it has a filter of system calls (seccomp), which could end it "
                      "for those that recording needs");
    if (is_elsewhere(process))
        return refuse(why, "it is in another PID namespace: attach from inside of that");
    return false;
}

/* ---- What is in it ----------------------------------------------------------------- */

static bool has_sanitizer(const struct target *t)
{
    static const char *const functions[] = {"__asan_init", "__msan_init", "__tsan_init",
                                            "__hwasan_init"};

    for (size_t i = 0; i < t->n_files; i++) {
        for (size_t j = 0; j < sizeof(functions) / sizeof(functions[0]); j++) {
            if (image_mentions(&t->files[i].image, functions[j]))
                return true;
        }
    }
    return false;
}

/* The first file is the program. */
static const struct target_file *find_program(const struct target *t)
{
    char path[64];
    char name[4096];
    ssize_t size;

    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)t->process);
    size = readlink(path, name, sizeof(name) - 1);
    name[size > 0 ? size : 0] = '\0';
    for (size_t i = 0; i < t->n_files; i++) {
        if (strcmp(t->files[i].path, name) == 0)
            return &t->files[i];
    }
    return NULL;
}

/* It has the return addresses, too, and none for the frame of a signal that was not. */
static bool has_shadow_stack(const struct target *t)
{
    char path[64];
    char line[256];
    bool found = false;
    FILE *status;

    snprintf(path, sizeof(path), "/proc/%ld/status", (long)t->process);
    status = fopen(path, "re");
    while (status != NULL && fgets(line, sizeof(line), status) != NULL)
        found |= strncmp(line, "x86_Thread_features:", 20) == 0 &&
                 strstr(line, "shstk") != NULL;
    if (status != NULL)
        fclose(status);
    return found;
}

bool refuse_target(const struct target *t, struct text *why)
{
    const struct target_file *program = find_program(t);

    if (t->n_files == 0)
        return refuse(why, "nothing is mapped in it: it is a thread of the kernel");
    if (program != NULL && program->image.header != 0 && !program->image.is_64)
        return refuse(why, "it is a program of 32 bits");
    if (has_sanitizer(t))
        return refuse(why, "it has a sanitizer, whose allocator must come first");
    if (t->libc == NULL || t->loader == NULL)
        return refuse(why, "it is linked statically, or its C library is not glibc");
    if (t->allocator != NULL && t->allocator == program)
        return refuse(why, "it has its own allocator linked in, whose calls cannot be "
                           "followed");
    if (has_shadow_stack(t))
        return refuse(why, "it has a shadow stack, which is not supported");
    return false;
}

/* ---- Files ------------------------------------------------------------------------- */

bool refuse_path(pid_t process, const char *path, struct text *why)
{
    const char *there = text_format("/proc/%ld/root%s", (long)process, path);
    struct stat theirs;
    struct stat own;

    if (stat(path, &own) == 0 && stat(there, &theirs) == 0 &&
        own.st_dev == theirs.st_dev && own.st_ino == theirs.st_ino)
        return false;
    text_printf(why, "%s is not the same there as here, as in a container", path);
    return true;
}

/* ---- ptrace ------------------------------------------------------------------------ */

static int read_scope(void)
{
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    int scope = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &scope) != 1)
        scope = 0;
    fclose(file);
    return scope;
}

void refuse_stop(pid_t process, int error, struct text *why)
{
    char path[64];
    struct stat status;

    snprintf(path, sizeof(path), "/proc/%ld", (long)process);
    text_printf(why, "it cannot be debugged: %s", strerror(error));
    if ((error != EPERM && error != EACCES) || geteuid() == 0)
        return;
    if (stat(path, &status) == 0 && status.st_uid != geteuid())
        text_str(why, "; it is another user's");
    else if (read_scope() > 0)
        text_printf(why,
                    "; the system lets only root debug other processes "
                    "(kernel.yama.ptrace_scope is %d)",
                    read_scope());
}
