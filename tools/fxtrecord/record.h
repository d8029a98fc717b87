/* SPDX-License-Identifier: BSD-2-Clause */
/* One recording, from the session's beginning to the files that it leaves. */
#ifndef FXTRECORD_RECORD_H
#define FXTRECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/sampler.h>

#define FXTRECORD_PROGRAM "fxtrecord"

enum { FXTRECORD_FAILED = 1, FXTRECORD_USAGE = 2 };

/* A default that does not fall in step with what programs and kernels do every
 * millisecond: a prime number of hertz, 997. */
#define FXTRECORD_PERIOD_NS 1003009

struct record_options {
    /* 0 for the default. */
    uint64_t period_ns;
    uint64_t buffer_size;
    /* enum fxt_sampler_flag */
    uint32_t flags;
    enum fxt_sampler_method method;
    enum fxt_sampler_call_graph call_graph;
    /* 0 for the default. */
    uint32_t stack_size;
    /* 0 for as long as there is something to record. */
    uint64_t duration_ns;
    /* Processes or threads, the whole system, or a command. */
    enum fxt_sampler_target target;
    pid_t *ids;
    size_t n_ids;
    char *const *command;
    /* An archive, or a directory for regions. */
    const char *output;
    const char *regions;
    bool quiet;
    /* A debug stub in place of all these, or NULL: how many times it is to stop its
     * target, and how long that runs in between. */
    const char *gdb;
    uint64_t n_captures;
    uint64_t interval_ns;
    /* What the stub's target is, if it does not say (enum rsp_machine). */
    int machine;
    /* A gdb that is to do it, or NULL; and the file with the target's symbols for it, or
     * NULL. */
    const char *with_gdb;
    const char *elf;
    /* There is an option that only this has. */
    bool has_gdb_option;
    /* fxtrecord's own. */
    int argc;
    char *const *argv;
};

/* Records. Returns the exit status. */
int record(const struct record_options *options);

#endif
