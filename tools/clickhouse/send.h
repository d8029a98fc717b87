/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending what a converter has read, and its options: the server, and what describes a
 * recording. */
#ifndef TOOLS_CLICKHOUSE_SEND_H
#define TOOLS_CLICKHOUSE_SEND_H

#include "ddl.h"
#include "recording.h"
#include "server.h"
#include "tools/convert/conversion.h"
#include "tools/convert/options.h"

/* A converter's `own` is this, or begins with it. */
struct send_options {
    const char *url;
    /* What is known of the server, and where tables are there, after the check. */
    struct server_options server;
    struct ddl_place place;
    bool creates;
    /* When inputs began to be read, by the clock of files; 0 if they were not. */
    uint64_t begun_ns;
    /* The server has taken all of them. */
    bool is_taken;
    /* NULL for this machine's name. */
    const char *host;
    struct label *labels;
    size_t n_labels;
    size_t label_capacity;
};

/* Beside options_server. */
extern const struct option_entry send_options_server[];
extern const struct option_entry send_options_writing[];
/* Those of all converters but --output. */
extern const struct option_entry send_options_general[];

/* The converter's check_own. */
bool send_options_check(struct options *options);

/* Another attempt, with the same inputs, may succeed. */
enum { EXIT_NOT_TAKEN = EXIT_UNUSABLE + 1 };

/* The converter's write_own: sends all tables, and says how many rows the server took. */
int send_profile(const struct conversion *conversion, struct output *output);

/* Archives that are gone without having been sent. Names are different for each that this
 * machine has lost; times are those of their ends, in nanoseconds since the Unix epoch.
 */
struct lost_archive {
    const char *name;
    uint64_t time_ns;
    uint64_t n_bytes;
};

struct lost_archives {
    struct lost_archive *all;
    size_t n;
    size_t capacity;
};

/* Sends each as a recording that has rows in `loss` only. What has been sent before
 * counts once. Returns EXIT_GOOD or EXIT_NOT_TAKEN, with the reason printed. */
int send_lost(const struct conversion *conversion, const struct lost_archives *lost);

/* The exit status of a converter that ended with this one: what ended before all was
 * sent, for want of memory perhaps, is not EXIT_BAD, with which files may be removed. */
int send_judge(const struct send_options *own, int status);

/* Whether the server answers; else that is printed. */
bool send_reaches(const struct send_options *own);

#endif
