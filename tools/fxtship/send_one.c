/* SPDX-License-Identifier: BSD-2-Clause */
/* See send_one.h. */
#include "send_one.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "tools/common/report.h"
#include "tools/convert/convert.h"

/* What the child returns beside a converter's exit status. */
enum { EXIT_NOWHERE = EXIT_NOT_TAKEN + 1, EXIT_FAILED };

/* ---- Signals ----------------------------------------------------------------------- */

void signals_block(struct signals *s)
{
    s->number = 0;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&s->taken);
    sigaddset(&s->taken, SIGCHLD);
    sigaddset(&s->taken, SIGHUP);
    sigaddset(&s->taken, SIGINT);
    sigaddset(&s->taken, SIGTERM);
    sigprocmask(SIG_BLOCK, &s->taken, &s->before);
}

static bool take_signal(struct signals *s, const struct timespec *wait)
{
    int number =
        wait != NULL ? sigtimedwait(&s->taken, NULL, wait) : sigwaitinfo(&s->taken, NULL);

    if (number > 0 && number != SIGCHLD)
        s->number = number;
    return number > 0;
}

bool signals_look(struct signals *s)
{
    const struct timespec none = {0, 0};

    while (s->number == 0 && take_signal(s, &none))
        ;
    return s->number != 0;
}

void signals_end(const struct signals *s)
{
    sigprocmask(SIG_SETMASK, &s->before, NULL);
    raise(s->number);
}

/* ---- The child --------------------------------------------------------------------- */

/* `lost` is NULL where an archive is sent. */
struct sending {
    struct conversion *conversion;
    const struct lost_archives *lost;
    int status;
};

/* A server that is away is not worth reading an archive. */
static void run_sending(void *context)
{
    struct sending *sending = (struct sending *)context;
    struct conversion *c = sending->conversion;
    struct send_options *own = (struct send_options *)c->options.own;

    sending->status = EXIT_NOWHERE;
    if (!send_reaches(own))
        return;
    own->begun_ns = clock_ns(CLOCK_REALTIME);
    sending->status =
        sending->lost != NULL ? send_lost(c, sending->lost) : convert_inputs(c);
}

/* What is not the server's word does not become one; and an archive is not to blame for
 * options that cannot be used. */
static int judge(const struct sending *sending)
{
    const struct conversion *c = sending->conversion;
    const struct send_options *own = (const struct send_options *)c->options.own;

    if ((sending->status == EXIT_BAD && !own->is_taken) ||
        (sending->status == EXIT_UNUSABLE && c->statistics.n_unusable_inputs == 0))
        return EXIT_FAILED;
    return sending->status;
}

/* What the parent has to clean up is not this process's. */
static _Noreturn void run_child(struct sending sending, const struct signals *signals)
{
    const struct conversion *c = sending.conversion;
    const char *why;

    sigprocmask(SIG_SETMASK, &signals->before, NULL);
    why = memory_run(NULL, run_sending, &sending);
    if (why != NULL)
        complain(c->converter->name, c->options.files[0].path, "%s", why);
    _exit(why != NULL ? EXIT_FAILED : judge(&sending));
}

/* ---- The parent -------------------------------------------------------------------- */

static enum sent outcome_of(const struct conversion *c, int status)
{
    const char *name = c->converter->name;
    const char *path = c->options.files[0].path;

    if (WIFSIGNALED(status))
        complain(name, path, "what reads it was ended by signal %d", WTERMSIG(status));
    if (!WIFEXITED(status))
        return SENT_FAILED;
    switch (WEXITSTATUS(status)) {
    case EXIT_GOOD:
        return SENT_ALL;
    case EXIT_BAD:
        return SENT_DAMAGED;
    case EXIT_UNUSABLE:
        return SENT_UNREADABLE;
    case EXIT_NOT_TAKEN:
        return SENT_NOT_TAKEN;
    case EXIT_NOWHERE:
        return SENT_NOWHERE;
    default:
        return SENT_FAILED;
    }
}

/* A child that is asked to end has no word of the server for all that it sent. */
static enum sent wait_for(const struct conversion *c, struct signals *signals,
                          pid_t child)
{
    int status = 0;
    pid_t ended = waitpid(child, &status, WNOHANG);

    while (ended == 0) {
        take_signal(signals, NULL);
        if (signals->number != 0)
            kill(child, SIGKILL);
        ended = waitpid(child, &status, signals->number != 0 ? 0 : WNOHANG);
    }
    if (signals->number != 0)
        return SENT_INTERRUPTED;
    return ended == child ? outcome_of(c, status) : SENT_FAILED;
}

static enum sent send_by_child(struct sending sending, struct signals *signals)
{
    const struct conversion *c = sending.conversion;
    pid_t child = fork();

    if (child == 0)
        run_child(sending, signals);
    if (child < 0) {
        complain(c->converter->name, c->options.files[0].path, "%s", strerror(errno));
        return SENT_FAILED;
    }
    return wait_for(c, signals, child);
}

enum sent send_one(struct conversion *c, struct signals *signals, const char *path)
{
    c->options.files[0].path = path;
    return send_by_child((struct sending){c, NULL, EXIT_FAILED}, signals);
}

enum sent send_lost_archives(struct conversion *c, struct signals *signals,
                             const struct lost_archives *lost)
{
    return send_by_child((struct sending){c, lost, EXIT_FAILED}, signals);
}
