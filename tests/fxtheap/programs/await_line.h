/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs that are attached to wait with, and how they fail. */
#ifndef TESTS_FXTHEAP_PROGRAMS_AWAIT_LINE_H
#define TESTS_FXTHEAP_PROGRAMS_AWAIT_LINE_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s (%s)\n", program_invocation_short_name, what,
            strerror(errno));
    _exit(1);
}

static void await_line(void)
{
    char c;
    ssize_t n;

    while ((n = read(STDIN_FILENO, &c, 1)) == 1 && c != '\n')
        continue;
    if (n < 0)
        fail(errno == EINTR ? "read was interrupted" : "read failed");
}

#endif
