/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be wrong with a trace: what breaks the format, what is inconsistent, and what
 * some readers lose or mistake though nothing is wrong. All that is known of them is in
 * one table.
 */
#ifndef FXTLINT_RULES_H
#define FXTLINT_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum lint_reader {
    READER_PERFETTO,
    READER_TRACY,
    READER_MAGIC_TRACE,
    /* trace-reader in C++, and trace2json on top of it. */
    READER_FUCHSIA,
    /* The crate that ffx uses. */
    READER_FUCHSIA_RUST,
    READER_FTFRS,
    READER_EIO_TRACE,
    N_READERS
};

enum rule {
    /* The format is broken. */
    RULE_DAMAGED,
    RULE_TRUNCATED,
    RULE_FRAMING_LOST,
    RULE_ZERO_WORDS,
    RULE_STRING_UNKNOWN,
    RULE_THREAD_UNKNOWN,
    RULE_PROVIDER_UNKNOWN,
    RULE_INDEX_ZERO,
    RULE_SAMPLE_SIZE,
    RULE_NOT_UTF8,
    RULE_STRING_SIZE,
    RULE_NEGATIVE_DURATION,
    /* It is not, but what is written cannot be meant. */
    RULE_TIME_BACKWARDS,
    RULE_TIME_OVERFLOW,
    RULE_SPAN_UNCLOSED,
    RULE_SPAN_UNOPENED,
    RULE_ASYNC_UNCLOSED,
    RULE_ASYNC_UNOPENED,
    RULE_FLOW_UNOPENED,
    RULE_OBJECT_KIND,
    RULE_ARG_KIND,
    RULE_COUNTER_EMPTY,
    RULE_LIMIT,
    /* Some readers lose it. */
    RULE_UNKNOWN,
    RULE_NEWER,
    RULE_NO_MAGIC,
    RULE_BIG_ENDIAN,
    RULE_NO_PROVIDER,
    RULE_PROVIDER_AGAIN,
    RULE_NO_RATE,
    RULE_RATE,
    RULE_RATE_BASE,
    RULE_RATE_SHARED,
    RULE_INDEX_SHARED,
    RULE_INDEX_REDEFINED,
    RULE_STRING_BIT,
    RULE_SURPLUS,
    RULE_DIALECT,
    RULE_MAPPING_FLAGS,
    RULE_REFERENCE,
    RULE_THREAD_INLINE,
    RULE_ARG_NAME_INLINE,
    RULE_ARG_TEXT_INLINE,
    RULE_OBJECT_NAME_INLINE,
    RULE_OBJECT_NO_PROCESS,
    RULE_OBJECT_TYPE,
    RULE_KOID_SIZE,
    RULE_ID_SIZE,
    RULE_ARG_BLOB,
    RULE_ARG_UNREAD,
    RULE_ARG_UNSIGNED,
    RULE_COUNTER_SHARED,
    RULE_COMPLETE_END,
    RULE_ASYNC_ID,
    RULE_ASYNC_UNREAD,
    RULE_FLOW_OUTSIDE,
    RULE_SWITCH,
    RULE_SCHEDULING_UNREAD,
    RULE_EVENT_STOPS,
    RULE_RECORD_STOPS,
    RULE_OBJECT_UNREAD,
    RULE_LOG_UNREAD,
    RULE_USERSPACE_UNREAD,
    RULE_USERSPACE_INLINE,
    RULE_PROFILER_UNREAD,
    RULE_LARGE_UNREAD,
    RULE_LARGE_SIZE,
    RULE_LARGE_LIMIT,
    RULE_ATTACHMENT,
    RULE_BLOB_UNREAD,
    RULE_BLOB_PERFETTO,
    RULE_BUFFER_FULL,
    N_RULES
};

struct lint_rule {
    const char *name;
    const char *sentence;
    /* A bit for each enum lint_reader; 0 if it is a finding for any reader. */
    uint32_t readers;
    /* --fix writes what does not have it. */
    bool is_fixed;
};

extern const struct lint_rule lint_rules[N_RULES];

struct lint_reader_name {
    /* On the command line. */
    const char *word;
    const char *title;
};

extern const struct lint_reader_name lint_readers[N_READERS];

/* Take lists with commas between: bits of readers, "all" for all of them; and rules to be
 * marked. They return false for what is neither. */
bool lint_take_readers(const char *list, uint32_t *readers);
bool lint_take_rules(const char *list, bool marked[N_RULES]);

#endif
