/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending one archive, or what was lost, by a child process: what an archive can do to a
 * program that reads it, such as using all its memory, does not keep others from being
 * sent. */
#ifndef FXTSHIP_SEND_ONE_H
#define FXTSHIP_SEND_ONE_H

#include <signal.h>

#include "tools/clickhouse/send.h"

enum sent {
    SENT_ALL,
    /* As far as it could be read. */
    SENT_DAMAGED,
    /* It is not what can be sent. */
    SENT_UNREADABLE,
    /* The server has not taken it; or could not be reached, and nothing was read. */
    SENT_NOT_TAKEN,
    SENT_NOWHERE,
    /* The child was killed, crashed, or had no memory. */
    SENT_FAILED,
    /* This process was asked to end. */
    SENT_INTERRUPTED
};

/* Signals that end the program, and SIGCHLD, are blocked, and taken by send_one. */
struct signals {
    sigset_t taken;
    sigset_t before;
    /* The one that has come; 0 for none. */
    int number;
};

void signals_block(struct signals *signals);

/* Whether one has come. */
bool signals_look(struct signals *signals);

/* Ends as by the signal that has come. Returns if it is ignored. */
void signals_end(const struct signals *signals);

/* Sends the file at a path, with the options that were parsed. Prints what is wrong. */
enum sent send_one(struct conversion *conversion, struct signals *signals,
                   const char *path);

/* The same for rows about archives that were lost; returns SENT_ALL, or why not all were
 * sent. */
enum sent send_lost_archives(struct conversion *conversion, struct signals *signals,
                             const struct lost_archives *lost);

#endif
