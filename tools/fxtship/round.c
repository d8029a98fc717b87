/* SPDX-License-Identifier: BSD-2-Clause */
/* See round.h. */
#include "round.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "archives.h"
#include "common/base/memory.h"
#include "send_one.h"
#include "tools/common/report.h"

#define NS_PER_S UINT64_C(1000000000)

/* After so many archives that a server refuses, it will refuse others, too; and each has
 * to be read first. */
enum { REFUSALS_MAX = 3 };

struct round {
    struct conversion *conversion;
    const struct ship_options *options;
    struct archives archives;
    struct signals signals;
    unsigned n_refusals;
    int status;
    bool has_ended;
};

static void note(struct round *r, int status)
{
    r->status = status > r->status ? status : r->status;
}

/* ---- Sending ----------------------------------------------------------------------- */

/* "machine.0001.fxt: message" */
static void tell(struct round *r, const struct archive *archive, const char *message)
{
    complain(r->archives.program, archive->path, "%s", message);
    note(r, EXIT_BAD);
}

static void remove_sent(struct round *r, const struct archive *archive,
                        const struct stat *status)
{
    const char *change = archive_change(&r->archives, archive, status);

    if (change != NULL)
        tell(r, archive, change);
    else if (!archive_remove(&r->archives, archive))
        tell(r, archive, strerror(errno));
}

static void set_aside(struct round *r, const struct archive *archive,
                      const struct stat *status)
{
    const char *change = archive_change(&r->archives, archive, status);

    if (change != NULL)
        tell(r, archive, change);
    else if (archive_set_aside(&r->archives, archive))
        tell(r, archive, "was not sent, and is .unreadable from now on");
    else
        tell(r, archive, strerror(errno));
}

/* Of what was not sent, for no reason that is in it. */
static void take_refusal(struct round *r, enum sent sent)
{
    if (sent == SENT_NOT_TAKEN)
        r->n_refusals++;
    if (sent == SENT_NOT_TAKEN || sent == SENT_NOWHERE)
        note(r, EXIT_NOT_TAKEN);
    r->has_ended =
        sent == SENT_NOWHERE || sent == SENT_INTERRUPTED || r->n_refusals == REFUSALS_MAX;
}

static void take_outcome(struct round *r, const struct archive *archive,
                         const struct stat *status, enum sent sent)
{
    switch (sent) {
    case SENT_DAMAGED:
        tell(r, archive, "is damaged or empty: what could be read was sent");
        remove_sent(r, archive, status);
        break;
    case SENT_ALL:
        remove_sent(r, archive, status);
        break;
    case SENT_UNREADABLE:
        set_aside(r, archive, status);
        break;
    case SENT_FAILED:
        tell(r, archive, "was not sent: stays, to be sent again");
        break;
    case SENT_NOT_TAKEN:
    case SENT_NOWHERE:
    case SENT_INTERRUPTED:
        take_refusal(r, sent);
        break;
    }
}

/* Those that were dropped in earlier rounds. */
static void send_drops(struct round *r)
{
    const struct archives *a = &r->archives;
    struct lost_archives lost = {.n = 0};
    enum sent sent;

    for (size_t i = 0; i < a->n; i++) {
        const struct archive *archive = &a->all[i];

        if (archive->is_dropped)
            MEMORY_ADD(lost.all, lost.n, lost.capacity,
                       (struct lost_archive){archive->name, archive->time_ns,
                                             archive->dropped_bytes});
    }
    sent = lost.n > 0 ? send_lost_archives(r->conversion, &r->signals, &lost) : SENT_ALL;
    memory_release(lost.all);
    for (size_t i = 0; sent == SENT_ALL && i < a->n; i++) {
        if (a->all[i].is_dropped && !archive_remove(a, &a->all[i]))
            tell(r, &a->all[i], strerror(errno));
    }
    if (sent == SENT_FAILED)
        note(r, EXIT_BAD);
    take_refusal(r, sent);
}

static void send_archive(struct round *r, const struct archive *archive)
{
    struct text why = {NULL, 0, 0};
    struct stat status;
    int fd = archive_open(&r->archives, archive, &status, &why);

    if (fd >= 0) {
        take_outcome(r, archive, &status,
                     send_one(r->conversion, &r->signals, archive->path));
        close(fd);
    } else if (why.size > 0) {
        complain_text(r->archives.program, archive->path, &why);
        note(r, EXIT_BAD);
    }
}

static void send_all(struct round *r)
{
    for (size_t i = 0; i < r->archives.n && !r->has_ended; i++) {
        if (signals_look(&r->signals))
            r->has_ended = true;
        else if (!r->archives.all[i].is_aside && !r->archives.all[i].is_dropped)
            send_archive(r, &r->archives.all[i]);
    }
}

/* ---- Dropping ---------------------------------------------------------------------- */

struct dropped {
    uint64_t n;
    uint64_t n_bytes;
    uint64_t first_ns;
    uint64_t last_ns;
};

/* One that is being written is its recorder's. */
static bool drop(struct round *r, const struct archive *archive)
{
    struct text why = {NULL, 0, 0};
    struct stat status;
    int fd = archive_open(&r->archives, archive, &status, &why);
    bool is_dropped = (fd >= 0 || why.size > 0) && archive_drop(&r->archives, archive);

    text_free(&why);
    if (fd >= 0)
        close(fd);
    return is_dropped;
}

static void add_time(struct text *line, uint64_t ns)
{
    time_t seconds = (time_t)(ns / NS_PER_S);
    char string[40];
    struct tm parts;

    if (gmtime_r(&seconds, &parts) != NULL &&
        strftime(string, sizeof(string), "%Y-%m-%dT%H:%M:%SZ", &parts) > 0)
        text_str(line, string);
}

static void tell_dropped(struct round *r, const struct dropped *dropped)
{
    struct text line = {NULL, 0, 0};

    text_str(&line, "dropped ");
    text_count(&line, dropped->n, "archive");
    text_printf(&line, " of %" PRIu64 " bytes, written until ", dropped->n_bytes);
    add_time(&line, dropped->first_ns);
    if (dropped->n > 1) {
        text_str(&line, " to ");
        add_time(&line, dropped->last_ns);
    }
    text_str(&line, ", which were not sent: --most is less than all");
    complain_text(r->archives.program, r->archives.directory, &line);
    note(r, EXIT_BAD);
}

static uint64_t total_size(const struct archives *a)
{
    uint64_t total = 0;

    for (size_t i = 0; i < a->n; i++)
        total += a->all[i].size;
    return total;
}

/* The oldest go first. */
static void drop_rest(struct round *r)
{
    struct archives *a = &r->archives;
    struct dropped dropped = {0};
    uint64_t total = total_size(a);

    for (size_t i = 0; i < a->n && total > r->options->most; i++) {
        const struct archive *archive = &a->all[i];

        if (archive->size == 0 || !drop(r, archive))
            continue;
        total -= archive->size;
        dropped.first_ns = dropped.n == 0 ? archive->time_ns : dropped.first_ns;
        dropped.last_ns = archive->time_ns;
        dropped.n_bytes += archive->size;
        dropped.n++;
    }
    if (dropped.n > 0)
        tell_dropped(r, &dropped);
}

/* ---- All --------------------------------------------------------------------------- */

/* The lock is on the directory itself, and a child has it, too. */
static void run_alone(struct round *r)
{
    if (flock(r->archives.fd, LOCK_EX | LOCK_NB) != 0) {
        complain(r->archives.program, r->archives.directory, "%s",
                 errno == EWOULDBLOCK ? "another fxtship sends what is there"
                                      : strerror(errno));
        note(r, EXIT_NOT_TAKEN);
        return;
    }
    if (!archives_list(&r->archives, !r->conversion->options.quiet)) {
        note(r, EXIT_UNUSABLE);
        return;
    }
    send_drops(r);
    send_all(r);
    if (r->options->most < UINT64_MAX && r->signals.number == 0 &&
        archives_list(&r->archives, false))
        drop_rest(r);
}

int round_run(struct conversion *c)
{
    struct round r = {.conversion = c,
                      .options = (const struct ship_options *)c->options.own};

    signals_block(&r.signals);
    if (archives_open(&r.archives, c->converter->name, c->options.files[0].path))
        run_alone(&r);
    else
        note(&r, EXIT_UNUSABLE);
    archives_free(&r.archives);
    if (r.signals.number != 0) {
        note(&r, EXIT_NOT_TAKEN);
        signals_end(&r.signals);
    }
    return r.status;
}
