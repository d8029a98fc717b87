/* SPDX-License-Identifier: BSD-2-Clause */
/* See lint.h. */
#include "lint.h"

#include <fxt/format.h>

#include "check_readers.h"
#include "common/base/memory.h"
#include "tools/common/part_mark.h"
#include "tools/common/report.h"

enum { PROVIDERS_MAX = 4096 };

void lint_start(struct lint *l, struct findings *findings)
{
    *l = (struct lint){.findings = findings,
                       .ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND};
    l->indices.findings = findings;
    l->objects.findings = findings;
    l->spans.findings = findings;
    l->spelling.findings = findings;
    l->times.findings = findings;
}

/* ---- Providers --------------------------------------------------------------------- */

/* NULL if there are too many. */
static struct announced *find_provider(struct lint *l, uint32_t id)
{
    for (size_t i = l->n_providers; i > 0; i--) {
        if (l->providers[i - 1].id == id)
            return &l->providers[i - 1];
    }
    if (l->n_providers == PROVIDERS_MAX)
        return NULL;
    MEMORY_ADD(l->providers, l->n_providers, l->capacity, (struct announced){.id = id});
    return &l->providers[l->n_providers - 1];
}

static void check_info(struct lint *l, const struct fxt_record *record)
{
    struct announced *p = find_provider(l, record->metadata.provider_id);

    if (p == NULL) {
        finding_add(l->findings, RULE_LIMIT, record->offset);
        return;
    }
    if (p->has_info)
        finding_add(l->findings, RULE_PROVIDER_AGAIN, record->offset);
    p->has_info = true;
}

static void check_provider(struct lint *l, const struct fxt_record *record)
{
    struct announced *p;
    uint64_t time;

    if (record->type == FXT_RECORD_METADATA) {
        if (record->kind == FXT_METADATA_PROVIDER_INFO)
            check_info(l, record);
        return;
    }
    p = find_provider(l, record->provider->id);
    if (p == NULL)
        return;
    if (!p->has_info && !l->lacks_provider && record->provider->id == 0) {
        finding_add(l->findings, RULE_NO_PROVIDER, record->offset);
        l->lacks_provider = true;
    }
    if (record->type == FXT_RECORD_INITIALIZATION) {
        p->has_rate = true;
        l->ticks_per_second = record->initialization.ticks_per_second;
        if (record->initialization.ticks_per_second != FXT_DEFAULT_TICKS_PER_SECOND)
            finding_add(l->findings, RULE_RATE, record->offset);
    } else if (fxt_record_time(record, &time)) {
        if (!p->has_rate)
            finding_add(l->findings, RULE_NO_RATE, record->offset);
        p->has_rate = true;
        if (record->provider->ticks_per_second != l->ticks_per_second)
            finding_add(l->findings, RULE_RATE_SHARED, record->offset);
    }
}

/* ---- Records ----------------------------------------------------------------------- */

static bool is_magic(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_METADATA &&
           record->kind == FXT_METADATA_TRACE_INFO &&
           record->metadata.trace_info == FXT_TRACE_INFO_MAGIC_NUMBER;
}

static void check_start(struct lint *l, const struct fxt_record *record)
{
    if (!l->has_record && (record->offset != 0 || !is_magic(record)))
        finding_add(l->findings, RULE_NO_MAGIC, record->offset);
    if (!l->is_big_endian && record->swapped != FXT_HOST_IS_BIG_ENDIAN) {
        finding_add(l->findings, RULE_BIG_ENDIAN, record->offset);
        l->is_big_endian = true;
    }
    l->has_record = true;
}

/* What depends on texts, and on nothing else. */
static void check_names(struct lint *l, const struct fxt_record *record)
{
    const struct rule_findings *rules = l->findings->rules;
    uint64_t n = rules[RULE_NOT_UTF8].n + rules[RULE_ARG_KIND].n;
    uint64_t look = event_look(record);

    if (record->type == FXT_RECORD_EVENT && record->kind == FXT_EVENT_COUNTER)
        check_counter(&l->objects, record);
    event_cache_take(&l->cache, record);
    if (event_cache_has(&l->cache, look))
        return;
    check_texts(l->findings, record);
    if (!record->unknown)
        check_objects(&l->objects, record);
    if (rules[RULE_NOT_UTF8].n + rules[RULE_ARG_KIND].n == n)
        event_cache_add(&l->cache, look);
}

bool lint_record(struct lint *l, const struct fxt_record *record)
{
    bool is_as_written;

    check_start(l, record);
    l->findings->is_part = l->findings->is_part || part_mark_is_stated(record);
    check_provider(l, record);
    check_readers(l->findings, record);
    check_names(l, record);
    check_indices(&l->indices, record);
    is_as_written = check_spelling(&l->spelling, record);
    if (record->unknown)
        return is_as_written;
    check_times(&l->times, record);
    check_spans(&l->spans, record);
    return is_as_written;
}

/* ---- Reports ----------------------------------------------------------------------- */

/* What the reader reports as newer than it is found in the record. */
static enum rule rule_of(const struct fxt_error *error)
{
    switch (error->code) {
    case FXT_E_SIZE_ZERO:
        return RULE_FRAMING_LOST;
    case FXT_E_TRUNCATED:
        return RULE_TRUNCATED;
    case FXT_E_ZERO_WORDS:
        return RULE_ZERO_WORDS;
    case FXT_E_SAMPLE_SIZE:
        return RULE_SAMPLE_SIZE;
    case FXT_E_STRING_UNKNOWN:
        return RULE_STRING_UNKNOWN;
    case FXT_E_THREAD_UNKNOWN:
        return RULE_THREAD_UNKNOWN;
    case FXT_E_PROVIDER_UNKNOWN:
        return RULE_PROVIDER_UNKNOWN;
    case FXT_E_INDEX_ZERO:
        return RULE_INDEX_ZERO;
    case FXT_E_KEPT_LIMIT:
        return RULE_LIMIT;
    default:
        return RULE_DAMAGED;
    }
}

void lint_error(struct lint *l, const struct fxt_error *error)
{
    enum rule rule = rule_of(error);
    struct text *text;

    if (error->severity == FXT_NOTE)
        return;
    text = finding_begin(l->findings, rule, error->offset);
    if (text == NULL)
        return;
    report_sentence(text, error);
    finding_end(l->findings, rule);
}

void lint_end(struct lint *l)
{
    check_spans_end(&l->spans);
    findings_sort(l->findings);
}

void lint_free(struct lint *l)
{
    check_indices_free(&l->indices);
    check_objects_free(&l->objects);
    check_spans_free(&l->spans);
    check_spelling_free(&l->spelling);
    check_times_free(&l->times);
    memory_release(l->providers);
}
