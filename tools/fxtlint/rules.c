/* SPDX-License-Identifier: BSD-2-Clause */
/* See rules.h. */
#include "rules.h"

#include <string.h>

#define BIT(reader) (UINT32_C(1) << READER_##reader)
#define PERFETTO BIT(PERFETTO)
#define TRACY BIT(TRACY)
#define MAGIC_TRACE BIT(MAGIC_TRACE)
#define FUCHSIA BIT(FUCHSIA)
#define RUST BIT(FUCHSIA_RUST)
#define FTFRS BIT(FTFRS)
#define EIO BIT(EIO_TRACE)
#define ALL ((UINT32_C(1) << N_READERS) - 1)

const struct lint_reader_name lint_readers[N_READERS] = {
    [READER_PERFETTO] = {"perfetto", "Perfetto"},
    [READER_TRACY] = {"tracy", "Tracy"},
    [READER_MAGIC_TRACE] = {"magic-trace", "magic-trace"},
    [READER_FUCHSIA] = {"fuchsia", "Fuchsia's trace-reader"},
    [READER_FUCHSIA_RUST] = {"fuchsia-rust", "Fuchsia's crate"},
    [READER_FTFRS] = {"ftfrs", "ftfrs"},
    [READER_EIO_TRACE] = {"eio-trace", "eio-trace"},
};

const struct lint_rule lint_rules[N_RULES] = {
    /* ---- The format is broken ---- */
    [RULE_DAMAGED] = {"damaged", "a record that cannot be decoded is lost", 0, true},
    [RULE_TRUNCATED] = {"truncated", "the trace ends inside a record", 0, true},
    [RULE_FRAMING_LOST] = {"framing-lost",
                           "a record of size zero: nothing after it can be read", 0,
                           true},
    [RULE_ZERO_WORDS] = {"zero-words",
                         "zeros between records, at which several readers stop", 0, true},
    [RULE_STRING_UNKNOWN] = {"string-unknown",
                             "a reference to a string that was never registered", 0,
                             true},
    [RULE_THREAD_UNKNOWN] = {"thread-unknown",
                             "a reference to a thread that was never registered", 0,
                             true},
    [RULE_PROVIDER_UNKNOWN] = {"provider-unknown",
                               "a section of a provider that was never announced", 0,
                               true},
    [RULE_INDEX_ZERO] = {"index-zero", "a registration at index 0, which means no entry",
                         0, true},
    [RULE_SAMPLE_SIZE] = {"sample-size", "the stack of a sample ends inside a word", 0,
                          false},
    [RULE_NOT_UTF8] = {"not-utf8", "a text is not UTF-8", 0, true},
    [RULE_STRING_SIZE] = {"string-size", "a text has more than 32000 bytes", 0, true},
    [RULE_NEGATIVE_DURATION] = {"negative-duration", "a span ends before it begins", 0,
                                true},
    /* ---- It cannot be meant ---- */
    [RULE_TIME_BACKWARDS] = {"time-backwards",
                             "an event comes after a later one of the same thread", 0,
                             false},
    [RULE_TIME_OVERFLOW] = {"time-overflow",
                            "a time is later than 2^63 - 1 nanoseconds, 292 years", 0,
                            false},
    [RULE_SPAN_UNCLOSED] = {"span-unclosed", "a span begins and never ends", 0, false},
    [RULE_SPAN_UNOPENED] = {"span-unopened", "a span ends that has not begun", 0, false},
    [RULE_ASYNC_UNCLOSED] = {"async-unclosed",
                             "an asynchronous operation begins and never ends", 0, false},
    [RULE_ASYNC_UNOPENED] = {"async-unopened",
                             "an asynchronous operation ends that has not begun", 0,
                             false},
    [RULE_FLOW_UNOPENED] = {"flow-unopened",
                            "a step or the end of a flow that has not begun", 0, false},
    [RULE_OBJECT_KIND] = {"object-kind",
                          "a kernel object is registered as one of another type", 0,
                          false},
    [RULE_ARG_KIND] = {"arg-kind",
                       "an argument is a text in one event and a number in another of "
                       "the same name",
                       0, false},
    [RULE_COUNTER_EMPTY] = {"counter-empty", "a counter has no value that is a number", 0,
                            false},
    [RULE_LIMIT] = {"limit",
                    "too much at once to be kept in memory: not all could be checked", 0,
                    false},
    /* ---- Some readers lose it ---- */
    [RULE_UNKNOWN] = {"unknown",
                      "a record, or an argument, of a type that none of them knows, and "
                      "that may refer to anything",
                      ALL, true},
    [RULE_NEWER] = {"newer",
                    "an event, or an argument, of a type that none of them knows", ALL,
                    false},
    [RULE_NO_MAGIC] = {"no-magic", "without a magic number a trace is not recognised",
                       PERFETTO | TRACY | FUCHSIA | RUST, true},
    [RULE_BIG_ENDIAN] = {"big-endian", "big-endian traces are not read", ALL, true},
    [RULE_NO_PROVIDER] = {"no-provider", "strings before the first provider are lost",
                          RUST, true},
    [RULE_PROVIDER_AGAIN] = {"provider-again",
                             "when a provider is announced again, what it has registered "
                             "is lost",
                             FUCHSIA, true},
    [RULE_NO_RATE] = {"no-rate",
                      "times without a clock rate before them are taken for seconds",
                      RUST, true},
    [RULE_RATE] = {"rate", "clocks that do not tick once a nanosecond are read wrong",
                   TRACY | EIO, true},
    [RULE_RATE_BASE] = {"rate-base",
                        "a clock rate with the time of day is refused, and so is lost",
                        RUST, false},
    [RULE_RATE_SHARED] = {"rate-shared",
                          "of clock rates that differ between providers, the last one is "
                          "taken for all",
                          MAGIC_TRACE | FUCHSIA | RUST, true},
    [RULE_INDEX_SHARED] = {"index-shared",
                           "one index of two providers is taken for the same string or "
                           "thread",
                           TRACY | MAGIC_TRACE | EIO | RUST, true},
    [RULE_INDEX_REDEFINED] = {"index-redefined",
                              "an index that is registered again keeps its old string or "
                              "thread",
                              FUCHSIA, true},
    [RULE_STRING_BIT] = {"string-bit",
                         "the bit after the size of a string that is registered is taken "
                         "for a part of it, and the trace cannot be read",
                         EIO, true},
    [RULE_SURPLUS] = {"surplus",
                      "words or bits that the format does not define: the record is "
                      "refused, or what follows is misread",
                      RUST | TRACY, true},
    [RULE_DIALECT] = {"dialect",
                      "a module, mapping or userspace object in a form that is no longer "
                      "written is misread",
                      FUCHSIA | RUST, true},
    [RULE_MAPPING_FLAGS] = {"mapping-flags",
                            "of mappings, readable and executable are taken for each "
                            "other",
                            RUST, false},
    [RULE_REFERENCE] = {"reference",
                        "texts and threads that are in the table stay numbers", FTFRS,
                        false},
    [RULE_THREAD_INLINE] = {"thread-inline", "threads that are not in the table are lost",
                            MAGIC_TRACE, true},
    [RULE_ARG_NAME_INLINE] =
        {"arg-name-inline",
         "arguments whose names are not in the table are misread, or "
         "their records are lost",
         MAGIC_TRACE, true},
    [RULE_ARG_TEXT_INLINE] = {"arg-text-inline",
                              "records with arguments that are texts, and not in the "
                              "table, are lost",
                              MAGIC_TRACE, true},
    [RULE_OBJECT_NAME_INLINE] = {"object-name-inline",
                                 "names of processes and threads that are not in the "
                                 "table are lost",
                                 MAGIC_TRACE, true},
    [RULE_OBJECT_NO_PROCESS] = {"object-no-process",
                                "a thread whose process is not stated stays without its "
                                "name",
                                PERFETTO | TRACY | MAGIC_TRACE | FUCHSIA, true},
    [RULE_OBJECT_TYPE] = {"object-type",
                          "types of kernel objects from 16 on are taken for others", EIO,
                          false},
    [RULE_KOID_SIZE] = {"koid-size", "of ids of processes and threads 32 bits are kept",
                        PERFETTO | TRACY, false},
    [RULE_ID_SIZE] = {"id-size",
                      "ids lose their highest bit: of processes, threads, counters, "
                      "operations and flows",
                      MAGIC_TRACE, false},
    [RULE_ARG_BLOB] = {"arg-blob", "arguments that are blobs are lost or misread",
                       PERFETTO | TRACY | MAGIC_TRACE | FUCHSIA | EIO, false},
    [RULE_ARG_UNREAD] = {"arg-unread",
                         "arguments of 32 bits, doubles, booleans and null are not read",
                         EIO, false},
    [RULE_ARG_UNSIGNED] = {"arg-unsigned",
                           "arguments that are unsigned, koids or booleans are not read",
                           MAGIC_TRACE, false},
    [RULE_COUNTER_SHARED] = {"counter-shared",
                             "counters whose arguments have the same name become one",
                             TRACY, false},
    [RULE_COMPLETE_END] = {"complete-end", "the ends of complete events are not read",
                           EIO, false},
    [RULE_ASYNC_ID] = {"async-id", "ids of asynchronous and flow events are not read",
                       EIO, false},
    [RULE_ASYNC_UNREAD] = {"async-unread", "asynchronous and flow events are not shown",
                           TRACY, false},
    [RULE_FLOW_OUTSIDE] = {"flow-outside",
                           "events of flows outside of a span are dropped", PERFETTO,
                           false},
    [RULE_SWITCH] = {"switch", "context switches are not read", EIO, false},
    [RULE_SCHEDULING_UNREAD] = {"scheduling-unread",
                                "context switches and wakeups are skipped",
                                TRACY | MAGIC_TRACE, false},
    [RULE_EVENT_STOPS] = {"event-stops",
                          "asynchronous and flow events end the reading with an error",
                          FTFRS, false},
    [RULE_RECORD_STOPS] = {"record-stops",
                           "kernel objects, scheduling, blobs, logs and samples end the "
                           "reading with an error",
                           FTFRS, false},
    [RULE_OBJECT_UNREAD] = {"object-unread",
                            "kernel objects that are no processes and threads are not "
                            "shown",
                            PERFETTO | TRACY | MAGIC_TRACE, false},
    [RULE_LOG_UNREAD] = {"log-unread", "logs are skipped",
                         PERFETTO | TRACY | MAGIC_TRACE | EIO, false},
    [RULE_USERSPACE_UNREAD] = {"userspace-unread", "userspace objects are skipped",
                               PERFETTO | TRACY | MAGIC_TRACE | FUCHSIA, false},
    [RULE_USERSPACE_INLINE] = {"userspace-inline",
                               "userspace objects whose process is not in the table are "
                               "misread",
                               EIO, false},
    [RULE_PROFILER_UNREAD] = {"profiler-unread",
                              "modules, mappings and backtraces are skipped",
                              PERFETTO | TRACY | MAGIC_TRACE | EIO, false},
    [RULE_LARGE_UNREAD] = {"large-unread", "large blobs, such as samples, are skipped",
                           PERFETTO | TRACY | MAGIC_TRACE | EIO, false},
    [RULE_LARGE_SIZE] = {"large-size",
                         "after a record of 4096 words or more, nothing is read right",
                         PERFETTO | TRACY | EIO, false},
    [RULE_LARGE_LIMIT] = {"large-limit",
                          "a record of more than 256 KiB fails an assertion, in builds "
                          "that have these",
                          FUCHSIA, false},
    [RULE_ATTACHMENT] = {"attachment", "large blobs without a time are misread", RUST,
                         false},
    [RULE_BLOB_UNREAD] = {"blob-unread", "blobs are skipped, unless they are Perfetto's",
                          PERFETTO | TRACY | MAGIC_TRACE | EIO, false},
    [RULE_BLOB_PERFETTO] = {"blob-perfetto", "blobs of Perfetto's packets are skipped",
                            TRACY | MAGIC_TRACE | EIO, false},
    [RULE_BUFFER_FULL] = {"buffer-full", "that a buffer was full is not shown",
                          PERFETTO | TRACY | MAGIC_TRACE | EIO, false},
};

/* ---- Lists ------------------------------------------------------------------------- */

static bool is_word(const char *word, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(word, name, size) == 0;
}

static uint32_t find_readers(const char *word, size_t size)
{
    if (is_word(word, size, "all"))
        return ALL;
    for (uint32_t i = 0; i < N_READERS; i++) {
        if (is_word(word, size, lint_readers[i].word))
            return UINT32_C(1) << i;
    }
    return 0;
}

bool lint_take_readers(const char *list, uint32_t *readers)
{
    for (;;) {
        size_t size = strcspn(list, ",");
        uint32_t found = find_readers(list, size);

        if (found == 0)
            return false;
        *readers |= found;
        if (list[size] == '\0')
            return true;
        list += size + 1;
    }
}

bool lint_take_rules(const char *list, bool marked[N_RULES])
{
    for (;;) {
        size_t size = strcspn(list, ",");
        int i = 0;

        while (i < N_RULES && !is_word(list, size, lint_rules[i].name))
            i++;
        if (i == N_RULES)
            return false;
        marked[i] = true;
        if (list[size] == '\0')
            return true;
        list += size + 1;
    }
}
