/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbol_records.h. */
#include "symbol_records.h"

#include <fxt/format.h>

#include "common/records/symbol_payload.h"

bool symbol_records_is_one(const struct fxt_record *record)
{
    return symbol_payload_is_of(record, "functions") ||
           symbol_payload_is_of(record, "lines");
}

static uint32_t find_source(struct modules *modules, const struct fxt_record *record)
{
    const struct fxt_arg *arg = fxt_record_arg(record, "source");
    struct string name = {"[jit]", 5};

    if (arg != NULL && arg->type == FXT_ARG_STRING && arg->value.string.size > 0)
        name = (struct string){arg->value.string.data, (size_t)arg->value.string.size};
    return modules_find_source(modules, record->large_blob.thread.process, name);
}

static bool take_function(struct modules *modules, const struct fxt_record *record,
                          const struct symbol_payload *payload, uint64_t entry,
                          uint32_t source)
{
    uint64_t ticks = symbol_payload_word(payload, entry, SYMBOL_FUNCTION_TIME);
    struct string home = {"", 0};
    struct string name;
    uint64_t ns = 0;

    if (payload->entry_words > SYMBOL_FUNCTION_HOME &&
        !symbol_payload_string(
            payload, symbol_payload_word(payload, entry, SYMBOL_FUNCTION_HOME), &home))
        return false;
    fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns);
    return symbol_payload_string(
               payload, symbol_payload_word(payload, entry, SYMBOL_FUNCTION_NAME),
               &name) &&
           name.size > 0 &&
           modules_add_function(
               modules, source,
               symbol_payload_word(payload, entry, SYMBOL_FUNCTION_ADDRESS),
               symbol_payload_word(payload, entry, SYMBOL_FUNCTION_SIZE), ns, name, home);
}

static void take_functions(struct modules *modules, const struct fxt_record *record,
                           struct symbol_tally *tally)
{
    struct symbol_payload payload;
    uint32_t source;

    tally->n_unread += record_find_number(record, "unread");
    if (!symbol_payload_find(&payload, record, SYMBOL_FUNCTION_WORDS)) {
        tally->n_damaged++;
        return;
    }
    source = find_source(modules, record);
    for (uint64_t i = 0; i < payload.n; i++)
        tally->n_damaged += !take_function(modules, record, &payload, i, source);
}

void symbol_records_take(struct modules *modules, const struct fxt_record *record,
                         struct symbol_tally *tally)
{
    if (record_find_number(record, "version") != SYMBOL_RECORD_VERSION)
        tally->n_unknown++;
    else if (fxt_string_is(record->large_blob.name, "lines"))
        tally->n_damaged += line_records_take(modules, record);
    else
        take_functions(modules, record, tally);
}
