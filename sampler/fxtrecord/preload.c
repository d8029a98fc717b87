/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What fxtrecord loads into a command to sample it by signals: it starts a session when
 * the program begins, has each thread attached that the program starts, and leaves what
 * inject.h says.
 *
 * It stays out of the program's way: what goes wrong here means that there are no
 * samples, and nothing else.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/sampler.h>

#include "inject.h"

typedef void *start_routine(void *argument);
typedef int create_function(pthread_t *thread, const pthread_attr_t *attributes,
                            start_routine *routine, void *argument);

static struct fxt_sampler *session;
static pid_t session_process;
static char directory[128];
static pthread_key_t at_thread_exit;

/* ---- Files ------------------------------------------------------------------------- */

static int open_own(const char *name, int flags)
{
    char path[160];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
}

static void write_bytes(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(file, bytes, size);

        if (n < 0 && errno != EINTR)
            return;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
}

static void copy_maps(void)
{
    char buffer[4096];
    int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    int to = open_own("maps", O_TRUNC);
    ssize_t n;

    while (from >= 0 && to >= 0 && (n = read(from, buffer, sizeof(buffer))) > 0)
        write_bytes(to, buffer, (size_t)n);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
}

/* A line is written at once, as other threads write theirs. */
static void write_name(pid_t thread)
{
    char path[64];
    char line[96];
    int size = snprintf(line, sizeof(line), "%ld ", (long)thread);
    int from;
    int to;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/self/task/%ld/comm", (long)thread);
    from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return;
    n = read(from, line + size, sizeof(line) - (size_t)size);
    close(from);
    to = open_own("names", O_APPEND);
    if (to < 0)
        return;
    if (n > 0)
        write_bytes(to, line, (size_t)(size + n));
    close(to);
}

static void write_names(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;

    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        long thread = strtol(entry->d_name, NULL, 10);

        if (thread > 0)
            write_name((pid_t)thread);
    }
    if (tasks != NULL)
        closedir(tasks);
}

static void write_drops(void)
{
    struct fxt_sampler_region region;
    int to = open_own("drops", O_TRUNC);

    for (uint32_t i = 0;
         to >= 0 && fxt_sampler_read(session, i, &region) == FXT_SAMPLER_OK; i++) {
        char line[160];

        if (region.counts.dropped == 0)
            continue;
        snprintf(line, sizeof(line),
                 "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                 region.cpu, region.counts.dropped, region.counts.dropped_bytes,
                 region.first_drop, region.last_drop);
        write_bytes(to, line, strlen(line));
    }
    if (to >= 0)
        close(to);
}

/* ---- The session ------------------------------------------------------------------- */

static uint64_t number_of(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 10) : 0;
}

/* A process that runs one program after the other has a directory for each. */
static bool make_directory(const char *parent)
{
    for (unsigned n = 0; n < 1000; n++) {
        snprintf(directory, sizeof(directory), "%s/%ld.%u", parent, (long)getpid(), n);
        if (mkdir(directory, 0755) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static void begin(void)
{
    struct fxt_sampler_config config = {.size = sizeof(config),
                                        .method = FXT_SAMPLER_SIGNAL};
    const char *parent = getenv(INJECT_DIRECTORY);

    if (parent == NULL || !make_directory(parent))
        return;
    config.period_ns = number_of(INJECT_PERIOD);
    config.buffer_size = number_of(INJECT_BUFFER_SIZE);
    config.flags = (uint32_t)number_of(INJECT_FLAGS);
    config.directory = directory;
    if (fxt_sampler_create(0, &config, &session) != FXT_SAMPLER_OK)
        return;
    session_process = getpid();
    copy_maps();
    write_name(getpid());
    fxt_sampler_attach(session, FXT_SAMPLER_PROCESS, getpid());
    fxt_sampler_start(session);
}

static void begin_in_child(void)
{
    fxt_sampler_forget();
    session = NULL;
    begin();
}

static void end_thread(void *unused)
{
    (void)unused;
    write_name(gettid());
    fxt_sampler_detach(session, gettid());
}

/* vfork children share the memory of their parent but are not it. */
static void end(void)
{
    if (session == NULL || session_process != getpid())
        return;
    fxt_sampler_stop(session);
    copy_maps();
    write_names();
    write_drops();
}

__attribute__((constructor)) static void load(void)
{
    int saved_errno = errno;

    if (pthread_key_create(&at_thread_exit, end_thread) == 0 &&
        pthread_atfork(NULL, NULL, begin_in_child) == 0)
        begin();
    errno = saved_errno;
}

__attribute__((destructor)) static void unload(void)
{
    end();
}

/* ---- Threads ----------------------------------------------------------------------- */

struct started {
    start_routine *routine;
    void *argument;
};

static void *run_thread(void *context)
{
    struct started started = *(struct started *)context;

    free(context);
    if (session != NULL && session_process == getpid()) {
        fxt_sampler_attach(session, FXT_SAMPLER_THREAD, gettid());
        /* Any value but NULL has the key's function called when the thread ends. */
        pthread_setspecific(at_thread_exit, &at_thread_exit);
    }
    return started.routine(started.argument);
}

/* dlsym gives a function as a pointer to an object. */
static create_function *find_create(void)
{
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    create_function *create;

    memcpy(&create, &found, sizeof(create));
    return create;
}

FXT_API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                           start_routine *routine, void *argument)
{
    create_function *create = find_create();
    struct started *started = malloc(sizeof(*started));
    int error;

    if (create == NULL)
        return EAGAIN;
    if (started == NULL)
        return create(thread, attributes, routine, argument);
    *started = (struct started){routine, argument};
    error = create(thread, attributes, run_thread, started);
    if (error != 0)
        free(started);
    return error;
}
