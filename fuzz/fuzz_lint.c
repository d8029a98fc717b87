/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of any bytes through fxtlint --fix: what it writes has nothing more to be
 * repaired, and repairing it again gives the same bytes. Events that a look finds to be
 * plain are written so by libfxt's writer. The last byte says how the input is read.
 */
#include <string.h>

#include "pooled.h"
#include "read_input.h"
#include "tools/fxtlint/fix.h"
#include "tools/fxtlint/lint.h"

struct target {
    struct findings findings;
    struct lint lint;
    struct fix fix;
    /* What the writer says of plain events. */
    struct findings of_plain;
    struct check_spelling written;
};

static void check_plain(struct target *t, const struct fxt_record *record)
{
    if (!check_spelling_is_plain(record))
        return;
    check_spelling_by_writer(&t->written, record);
    for (int i = 0; i < N_RULES; i++)
        require(t->of_plain.rules[i].n == 0, "a plain event is written in one way");
}

static int take_record(void *context, const struct fxt_record *record)
{
    struct target *t = (struct target *)context;

    check_plain(t, record);
    fix_record(&t->fix, record, lint_record(&t->lint, record));
    return 0;
}

static int take_error(void *context, const struct fxt_error *error)
{
    struct target *t = (struct target *)context;

    lint_error(&t->lint, error);
    return 0;
}

/* What is found in the bytes, and what they are repaired. */
static struct text repair(struct target *t, const void *data, size_t size, uint8_t how)
{
    struct text repaired = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(&repaired);

    t->findings.max_places = 3;
    t->written.findings = &t->of_plain;
    lint_start(&t->lint, &t->findings);
    fix_start(&t->fix, output);
    read_input(data, size, how, take_record, take_error, t);
    lint_end(&t->lint);
    fix_end(&t->fix);
    output_close(output, true, &why);
    return repaired;
}

static void end(struct target *t, const char *name)
{
    static const struct finding_choice choice;
    struct text text = {NULL, 0, 0};

    findings_text(&text, name, &t->findings, &choice);
    findings_json(&text, name, &t->findings, &choice);
    lint_free(&t->lint);
    fix_free(&t->fix);
    check_spelling_free(&t->written);
}

/* A thread's process may not be known, and names of any bytes cannot be in a table. */
static bool may_be_left(enum rule rule)
{
    return !lint_rules[rule].is_fixed || rule == RULE_OBJECT_NO_PROCESS ||
           rule == RULE_OBJECT_NAME_INLINE;
}

/* The last byte says how. */
static void check(void *context)
{
    const struct fuzz_input *input = context;
    size_t size = input->size - 1;
    struct target first = {.findings = {.max_places = 0}};
    struct target second = {.findings = {.max_places = 0}};
    struct text once = repair(&first, input->data, size, input->data[size]);
    struct text twice = repair(&second, once.data, once.size, FXT_STREAM_ARCHIVE);

    for (int i = 0; i < N_RULES; i++)
        require(second.findings.rules[i].n == 0 || may_be_left((enum rule)i),
                lint_rules[i].name);
    require(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0,
            "repaired again, it is the same");
    end(&first, "first");
    end(&second, "second");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        run_pooled(check, data, size);
    return 0;
}
