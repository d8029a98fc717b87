/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be recorded, and how. */
#ifndef FXTRECORD_RECORD_OPTIONS_H
#define FXTRECORD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/sampler.h>

#define FXTRECORD_PROGRAM "fxtrecord"

enum { FXTRECORD_FAILED = 1, FXTRECORD_USAGE = 2 };

/* The default is 997 Hz, a prime number: not in step with what programs and kernels do
 * every millisecond. */
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
    /* A debug stub in place of all these, or NULL: how often it is to stop its target,
     * and how long that runs in between. */
    const char *gdb;
    uint64_t n_captures;
    uint64_t interval_ns;
    /* The machine of a stub that does not report it (enum rsp_machine). */
    int machine;
    /* The gdb that samples, instead of fxtrecord itself, or NULL; and the file with the
     * target's symbols for it, or NULL. */
    const char *with_gdb;
    const char *elf;
    /* An option was given that only debug stubs have. */
    bool has_gdb_option;
    /* The command line. */
    int argc;
    char *const *argv;
};

#endif
