/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each provider of the input has registered by now, and what of that is already in
 * the output, at the same index: a registration is written when the first record that
 * needs it is.
 */
#ifndef FXTCUT_SOURCE_H
#define FXTCUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/record.h>

#include "common/base/table.h"
#include "windows.h"

/* Whether a string matches an expression, once that was asked. */
enum match { MATCH_UNKNOWN, MATCH_YES, MATCH_NO };

enum { REGISTRATION_MATCHES = 3 };

/*
 * A record of the input that later ones refer to, as the bytes that it is there: of a
 * string, a thread, a provider or a clock. One that was replaced lives on while a record
 * that was kept refers to it.
 */
struct registration {
    /* Different for all of them, and above 0. */
    uint64_t serial;
    uint32_t n_users;
    uint32_t size;
    /* Of a string, by what is matched. */
    unsigned char matches[REGISTRATION_MATCHES];
    unsigned char bytes[];
};

static inline struct registration *registration_use(struct registration *registration)
{
    registration->n_users++;
    return registration;
}

/* NULL is allowed. */
void registration_release(struct registration *registration);

/* Whether the reader has taken all that a record's header says is in it. */
static inline bool registration_has_all(const struct fxt_record *record)
{
    uint64_t n_words = record->type == FXT_RECORD_LARGE
                           ? FXT_GET(record->header, LARGE_WORDS)
                           : FXT_GET(record->header, RECORD_WORDS);

    return n_words == record->size / FXT_WORD_BYTES;
}

/* The header word of a record of which `record->size` bytes are taken, as it is to be
 * stored. */
uint64_t registration_header(const struct fxt_record *record);

enum {
    SLOT_PAGE = 256,
    SLOT_PAGES = (FXT_STRING_INDEX_MAX + 1) / SLOT_PAGE,
    THREAD_SLOTS = FXT_THREAD_INDEX_MAX + 1
};

/* In the place of a serial number: the output has what stands for a string or a thread
 * that is not known. */
#define SLOT_STANDS_FOR_UNKNOWN UINT64_MAX

struct slot {
    /* The latest; NULL for none. */
    struct registration *known;
    /* The serial number of the one in the output; 0 for none. It is that of this part. */
    uint64_t written;
    uint64_t part;
};

struct trace_source {
    uint32_t id;
    struct slot info;
    struct slot initialization;
    /* SLOT_PAGES pages of strings; THREAD_SLOTS threads. NULL where there is none yet. */
    struct slot **strings;
    struct slot *threads;
    /* The windows of time by this provider's clock. */
    struct clock_windows windows;
    bool has_time;
    uint64_t last_ticks;
};

struct trace_sources {
    struct trace_source **sources;
    size_t n;
    size_t capacity;
    struct table table;
    struct trace_source *latest;
    uint64_t n_serials;
    uint64_t n_bytes;
    /* How many there was no room for. */
    uint64_t n_lost;
};

/* The bound on the bytes that all registrations have. */
#define SOURCES_MAX_BYTES (2 * FXT_DEFAULT_MAX_KEPT_BYTES)

/* The provider of a number, which is added if it is new. It stays in place. */
struct trace_source *sources_add(struct trace_sources *sources, uint32_t id);

static inline struct trace_source *sources_find(struct trace_sources *sources,
                                                uint32_t id)
{
    if (sources->latest != NULL && sources->latest->id == id)
        return sources->latest;
    return sources_add(sources, id);
}

/* Takes a record, and returns its slot if it is a registration; else NULL. */
struct slot *sources_take_registration(struct trace_sources *sources,
                                       const struct fxt_record *record);

static inline struct slot *sources_take(struct trace_sources *sources,
                                        const struct fxt_record *record)
{
    return record->type <= FXT_RECORD_THREAD ? sources_take_registration(sources, record)
                                             : NULL;
}

void sources_free(struct trace_sources *sources);

/* Indexes are in range; they return NULL if nothing was ever registered near there. */
static inline struct slot *source_string(const struct trace_source *source,
                                         uint32_t index)
{
    struct slot *page =
        source->strings != NULL ? source->strings[index / SLOT_PAGE] : NULL;

    return page != NULL ? &page[index % SLOT_PAGE] : NULL;
}

static inline struct slot *source_thread(const struct trace_source *source,
                                         uint32_t index)
{
    return source->threads != NULL ? &source->threads[index] : NULL;
}

/* The slot of a thread or a string. */
static inline struct slot *source_slot(const struct trace_source *source, bool is_thread,
                                       uint32_t index)
{
    return is_thread ? source_thread(source, index) : source_string(source, index);
}

#endif
