/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: what there is in memory of a program that
 * traces. fxttrace reads it in running programs and in core dumps, and so must know of
 * every change here: see FXT_TRACE_MAGIC_. Not for direct use.
 */
#ifndef FXT_TRACE_LAYOUT_H
#define FXT_TRACE_LAYOUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

FXT_BEGIN_DECLS

/* ---- Files ------------------------------------------------------------------------- */

#define FXT_TRACE_HEADER_BYTES_ 4096
#define FXT_TRACE_CHUNK_WORDS_ (FXT_TRACE_CHUNK_BYTES / FXT_WORD_BYTES)
/* The event that reports drops is the last of the header. */
#define FXT_TRACE_DROPS_WORDS_ 17
/* Where it has the numbers of records and of bytes. */
#define FXT_TRACE_DROPS_RECORDS_ 11
#define FXT_TRACE_DROPS_BYTES_ 15
/* Before it, a string of an index that is not used has what a stream is writing: how many
 * bytes it wrote before; and from which chunk and which word of it on: 0 for nothing, or
 * the chunk's number and 1, and the word times 2^32. */
#define FXT_TRACE_JOURNAL_WORDS_ 3
/* Before that, a string of that index says that the file may lack events, as in
 * fxtlint(1): until the program ends, and once some were overwritten. */
#define FXT_TRACE_MARK_WORDS_ 2
#define FXT_TRACE_HEADER_WORDS_ (FXT_TRACE_HEADER_BYTES_ / FXT_WORD_BYTES)
#define FXT_TRACE_NO_CHUNK_ 0xffffffffu

/* A stream's rings are a file of this name beside its own. The chunks there begin with a
 * string of an index that is not used, which has the chunk's place in their order and,
 * after that, what has been written to the stream: so the rings are an archive of the
 * rest. */
#define FXT_TRACE_RINGS_SUFFIX_ ".rings"
#define FXT_TRACE_ORDER_WORDS_ 2

/* Whose a chunk is: no ring's, a ring's, or the stream's that has to write the rest. */
#define FXT_TRACE_CHUNK_FREE_ 0u
#define FXT_TRACE_CHUNK_TAKEN_ 1u
#define FXT_TRACE_CHUNK_LEFT_ 2u

/* Of a chunk. */
struct fxt_trace_chunk_ {
    /* When it was begun, in ticks; changes when it is begun again. */
    uint64_t begun;
    /* In a file that keeps the last events, and in a stream's. */
    uint32_t owner;
    uint32_t n_begun;
};

/* A descriptor, or -1, and which file it was opened for: a program may close all that it
 * does not know, as daemons do, and open others that have the same numbers. */
struct fxt_trace_descriptor_ {
    int fd;
    uint64_t device;
    uint64_t inode;
};

/* Stays until the process ends, as threads may still be writing when a session does. */
struct fxt_trace_file_ {
    uint64_t *words;
    uint64_t size;
    struct fxt_trace_descriptor_ descriptor;
    /* That it cannot grow has been reported. */
    uint32_t is_reported;
    bool keeps_last;
    bool streams;
    /* Until the session is stopped; one that fxttrace has stopped stays open. */
    bool is_open;
    uint32_t session;
    uint32_t n_chunks;
    /* How often a chunk was asked for. */
    uint32_t n_begun;
    /* Of a stream: chunks that are free. */
    uint32_t n_free;
    uint32_t n_threads;
    /* The word that has the clock's rate. */
    uint64_t *rate;
    uint64_t start_ticks;
    uint64_t start_monotonic;
    uint64_t start_real;
    uint32_t has_drops;
    struct fxt_trace_chunk_ *chunks;
};

/* ---- Names and categories ---------------------------------------------------------- */

#define FXT_TRACE_TEXT_BYTES_ ((uint32_t)1 << 20)
#define FXT_TRACE_PATTERNS_BYTES_ 1024
#define FXT_TRACE_PATTERNS_ 8

/* Literals are copied: the library that has them may be unloaded. All zero is empty. */
struct fxt_trace_names_ {
    /* By index: an open hash table. */
    const char *strings[FXT_TRACE_STRINGS_];
    /* Of the strings that are categories. */
    uint8_t is_category[FXT_TRACE_STRINGS_];
    uint8_t is_on[FXT_TRACE_STRINGS_];
    uint32_t n_sites;
    /* A change of the patterns goes to the next of these. */
    char patterns[FXT_TRACE_PATTERNS_][FXT_TRACE_PATTERNS_BYTES_];
    uint32_t n_changes;
    uint32_t text_used;
    char text[FXT_TRACE_TEXT_BYTES_];
};

/* ---- All --------------------------------------------------------------------------- */

#define FXT_TRACE_RINGS_ 65536

/* What there is once a session was started. */
struct fxt_trace_state_ {
    struct fxt_trace_names_ names;
    struct fxt_trace_file_ *file;
    pthread_key_t key;
    uint32_t n_sessions;
    /* All rings, from number 1 on, and the first of those that no thread has: its number,
     * and above that a count of changes. */
    uint32_t n_rings;
    uint64_t free_rings;
    struct fxt_trace_ring_ *rings[FXT_TRACE_RINGS_];
    /* For children. */
    struct fxt_trace_options options;
    char path[4096];
};

/* What fxttrace asks a program to start. */
struct fxt_trace_request_ {
    /* Of the last request, which is written last; and of the last that was answered, with
     * an errno or 0. */
    uint32_t number;
    uint32_t answered;
    int32_t error;
    /* The last session that there was when it was made. */
    uint32_t session;
    uint64_t max_bytes;
    uint32_t mode;
    uint32_t has_path;
    char path[4096];
    char categories[FXT_TRACE_PATTERNS_BYTES_];
};

/* What begins with this is where fxttrace finds the rest. It changes when any struct of
 * this file does. */
#define FXT_TRACE_MAGIC_ "fxt/trace.h: its session: "
#define FXT_TRACE_VERSION_ "3"

struct fxt_trace_control_ {
    char magic[32];
    /* A site has been reached: what is not used is a copy of the implementation in
     * another file of the program. */
    uint32_t is_used;
    uint32_t *session;
    struct fxt_trace_state_ *state;
    struct fxt_trace_request_ *request;
};

#define FXT_TRACE_CONTROL_ALIGNMENT_ 64

FXT_END_DECLS

#endif
