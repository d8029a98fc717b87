/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that many tests put together. */
#ifndef TESTS_SUPPORT_PIECES_H
#define TESTS_SUPPORT_PIECES_H

#include <string.h>

#include "words.h"

static inline void put_string_record(struct words *w, uint64_t index, const char *text)
{
    put_begin(w, 2 | AT(16, index) | AT(32, strlen(text)));
    put_text(w, text);
    put_end(w);
}

static inline void put_thread_record(struct words *w, uint64_t index, uint64_t process,
                                     uint64_t thread)
{
    put_begin(w, 3 | AT(16, index));
    put(w, process);
    put(w, thread);
    put_end(w);
}

static inline void put_provider_info(struct words *w, uint64_t id, const char *name)
{
    put_begin(w, AT(16, 1) | AT(20, id) | AT(52, strlen(name)));
    put_text(w, name);
    put_end(w);
}

static inline void put_section(struct words *w, uint64_t id)
{
    put(w, 0x10 | AT(16, 2) | AT(20, id));
}

static inline void put_sample(struct words *w, uint64_t timestamp, uint64_t n_pcs)
{
    put_begin(w, 15);
    put(w, 0);
    put(w, timestamp);
    put(w, 1045);
    put(w, 2077);
    put(w, n_pcs * 8);
    for (uint64_t i = 0; i < n_pcs; i++)
        put(w, 0x43dc387f8e10 + timestamp * 256 + i);
    put_end(w);
}

static inline void put_backtrace(struct words *w, uint64_t timestamp, uint64_t n_pcs)
{
    put_begin(w, 10 | AT(16, 2) | AT(28, n_pcs));
    put(w, timestamp);
    put(w, 1045);
    put(w, 2077);
    for (uint64_t i = 0; i < n_pcs; i++)
        put(w, 0x2b069ffa16c + timestamp * 256 + i);
    put_end(w);
}

/* Zircon's drop_stats: a complete duration of CPU 3, all strings unresolved. */
static inline void put_drops(struct words *w)
{
    put_begin(w, 4 | AT(16, 4) | AT(20, 2) | AT(32, 40) | AT(48, 41));
    put(w, 1000);
    put(w, 0);
    put(w, 3);
    put(w, 2 | AT(4, 1) | AT(16, 42) | AT(32, 17));
    put(w, 2 | AT(4, 1) | AT(16, 43) | AT(32, 9248));
    put(w, 2000);
    put_end(w);
}

/* A record that has words but no fields of interest. */
static inline void put_plain(struct words *w, uint64_t header, size_t n_zeros)
{
    put_begin(w, header);
    put_zeros(w, n_zeros);
    put_end(w);
}

/* An argument of type 0 to 15, named by a reference, or inline by a letter. */
static inline void put_arg(struct words *w, uint64_t type, uint64_t name_ref)
{
    uint64_t value = type == 6 ? IN_LINE(5) : type == 10 ? 11 : 0xfffffff5;

    put_arg_begin(w, type | AT(16, name_ref) | AT(32, value));
    if (name_ref & 0x8000)
        put_text(w, "a");
    if (type == 6)
        put_text(w, "value");
    else if (type == 10)
        put_text(w, "eleven blob");
    else if (type == 3 || type == 4 || type == 5 || type == 7 || type == 8)
        put(w, 0x4045000000000000 + type);
    else if (type > 10)
        put_text(w, "two words, new");
    put_arg_end(w);
}

#endif
