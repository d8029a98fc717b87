/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What fxtrecord loads into a command to sample it by signals: it starts a session when
 * the program begins, has each thread attached that the program starts, takes the names
 * that threads are given, and leaves the files that inject.h describes.
 *
 * It stays out of the program's way: what goes wrong here means that there are no
 * samples, and nothing else.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <threads.h>
#include <unistd.h>

#include <fxt/sampler.h>

#include "inject.h"
#include "child_side.h"

static struct fxt_sampler *session;
static pid_t session_process;
static pthread_key_t at_thread_exit;

/* ---- The session ------------------------------------------------------------------- */

static uint64_t number_of(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 10) : 0;
}

/* A child of vfork has the memory of its parent, but is not it. */
static bool has_session(void)
{
    return session != NULL && session_process == getpid();
}

static void begin_child_side(void)
{
    struct fxt_sampler_config config = {.size = sizeof(config),
                                        .method = FXT_SAMPLER_SIGNAL};
    const char *parent = getenv(INJECT_DIRECTORY);

    if (parent == NULL)
        return;
    config.directory = leave_make_directory(parent);
    if (config.directory == NULL)
        return;
    config.period_ns = number_of(INJECT_PERIOD);
    config.buffer_size = number_of(INJECT_BUFFER_SIZE);
    config.flags = (uint32_t)number_of(INJECT_FLAGS);
    if (fxt_sampler_create(0, &config, &session) != FXT_SAMPLER_OK) {
        leave_end(NULL, INJECT_FAILED);
        return;
    }
    session_process = getpid();
    leave_maps();
    leave_program();
    leave_name(getpid());
    fxt_sampler_attach(session, FXT_SAMPLER_THREAD, gettid());
    fxt_sampler_start(session);
}

static void begin_in_child(void)
{
    int saved_errno = errno;

    fxt_sampler_forget();
    session = NULL;
    begin_child_side();
    errno = saved_errno;
}

static void end_thread(void *unused)
{
    (void)unused;
    leave_name(gettid());
    fxt_sampler_detach(session, gettid());
}

/* Once: a session that does not run has ended before. */
static void end_child_side(enum inject_end how)
{
    if (!has_session() || fxt_sampler_stop(session) != FXT_SAMPLER_OK)
        return;
    leave_maps();
    leave_names();
    leave_end(session, how);
}

__attribute__((constructor)) static void load(void)
{
    int saved_errno = errno;

    if (pthread_key_create(&at_thread_exit, end_thread) == 0 &&
        pthread_atfork(NULL, NULL, begin_in_child) == 0)
        begin_child_side();
    errno = saved_errno;
}

__attribute__((destructor)) static void unload(void)
{
    end_child_side(INJECT_ENDED);
}

/* dlsym gives a function as a pointer to an object. */
static void find_next(const char *name, void *function, size_t size)
{
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, size);
}

/* ---- Threads ----------------------------------------------------------------------- */

typedef void *start_routine(void *argument);
typedef int create_function(pthread_t *thread, const pthread_attr_t *attributes,
                            start_routine *routine, void *argument);
typedef int thrd_create_function(thrd_t *thread, thrd_start_t routine, void *argument);

/* What a thread was started with, by either way. */
struct started {
    start_routine *routine;
    thrd_start_t thrd_routine;
    void *argument;
};

/* Any value but NULL has the key's function called when the thread ends. */
static void begin_thread(void)
{
    if (!has_session())
        return;
    leave_name(gettid());
    fxt_sampler_attach(session, FXT_SAMPLER_THREAD, gettid());
    pthread_setspecific(at_thread_exit, &at_thread_exit);
}

static struct started take_started(void *context)
{
    struct started started = *(struct started *)context;

    free(context);
    begin_thread();
    return started;
}

static void *run_thread(void *context)
{
    struct started started = take_started(context);

    return started.routine(started.argument);
}

static int run_thrd(void *context)
{
    struct started started = take_started(context);

    return started.thrd_routine(started.argument);
}

FXT_API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                           start_routine *routine, void *argument)
{
    struct started *started = malloc(sizeof(*started));
    create_function *create;
    int error;

    find_next("pthread_create", &create, sizeof(create));
    if (started == NULL)
        return create(thread, attributes, routine, argument);
    *started = (struct started){.routine = routine, .argument = argument};
    error = create(thread, attributes, run_thread, started);
    if (error != 0)
        free(started);
    return error;
}

FXT_API int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct started *started = malloc(sizeof(*started));
    thrd_create_function *create;
    int error;

    find_next("thrd_create", &create, sizeof(create));
    if (started == NULL)
        return create(thread, routine, argument);
    *started = (struct started){.thrd_routine = routine, .argument = argument};
    error = create(thread, run_thrd, started);
    if (error != thrd_success)
        free(started);
    return error;
}

/* ---- Names ------------------------------------------------------------------------- */

typedef int prctl_function(int option, ...);
typedef int setname_function(pthread_t thread, const char *name);

static void leave_new_name(bool is_own)
{
    int saved_errno = errno;

    if (!has_session())
        return;
    if (is_own)
        leave_name(gettid());
    else
        leave_names();
    errno = saved_errno;
}

FXT_API int prctl(int option, ...)
{
    unsigned long arguments[4];
    prctl_function *next;
    va_list list;
    int result;

    va_start(list, option);
    for (int i = 0; i < 4; i++)
        arguments[i] = va_arg(list, unsigned long);
    va_end(list);
    find_next("prctl", &next, sizeof(next));
    result = next(option, arguments[0], arguments[1], arguments[2], arguments[3]);
    if (option == PR_SET_NAME && result == 0)
        leave_new_name(true);
    return result;
}

/* The id of another thread is not known here: all names are taken. */
FXT_API int pthread_setname_np(pthread_t thread, const char *name)
{
    setname_function *next;
    int error;

    find_next("pthread_setname_np", &next, sizeof(next));
    error = next(thread, name);
    if (error == 0)
        leave_new_name(pthread_equal(thread, pthread_self()));
    return error;
}

/* ---- The signal -------------------------------------------------------------------- */

typedef int sigaction_function(int number, const struct sigaction *action,
                               struct sigaction *old);
typedef void handler_function(int number);
typedef handler_function *signal_function(int number, handler_function *handler);

/* A program that installs a handler for SIGPROF gets the signal, and is not sampled any
 * more. If it restores the default action, that is not installed, since a last signal may
 * be pending and would kill it. */
static bool give_up(int number, bool has_handler)
{
    if (number != SIGPROF || !has_session())
        return false;
    end_child_side(INJECT_GAVE_UP);
    return !has_handler;
}

static bool is_handler(handler_function *handler)
{
    return handler != SIG_DFL && handler != SIG_IGN;
}

FXT_API int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    sigaction_function *next;

    if (action != NULL && give_up(number, (action->sa_flags & SA_SIGINFO) != 0 ||
                                              is_handler(action->sa_handler)))
        action = NULL;
    find_next("sigaction", &next, sizeof(next));
    return next(number, action, old);
}

FXT_API handler_function *signal(int number, handler_function *handler)
{
    signal_function *next;

    if (give_up(number, is_handler(handler)))
        return SIG_DFL;
    find_next("signal", &next, sizeof(next));
    return next(number, handler);
}
