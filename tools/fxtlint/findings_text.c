/* SPDX-License-Identifier: BSD-2-Clause */
/* See findings.h: as text. */
#include "findings.h"

#include <inttypes.h>

/* "Perfetto, Tracy: " */
static void add_readers(struct text *text, uint32_t readers)
{
    bool is_first = true;

    for (uint32_t i = 0; i < N_READERS; i++) {
        if ((readers >> i & 1) == 0)
            continue;
        text_printf(text, "%s%s", is_first ? "" : ", ", lint_readers[i].title);
        is_first = false;
    }
    if (!is_first)
        text_str(text, ": ");
}

static void add_places(struct text *text, const struct findings *f,
                       const struct rule_findings *r)
{
    for (size_t i = 0; i < r->n_places; i++) {
        const struct finding_place *p = &r->places[i];

        if (p->end == p->begin)
            continue;
        text_printf(text, "    0x%" PRIx64 ": ", p->offset);
        text_add(text, f->texts.data + p->begin, p->end - p->begin);
        text_char(text, '\n');
    }
}

/* "trace.fxt:0x1a8: span-unclosed (12 times): a span begins and never ends" */
static void add_rule(struct text *text, const char *name, const struct findings *f,
                     enum rule rule, bool counts)
{
    const struct rule_findings *r = &f->rules[rule];

    text_str(text, name);
    if (r->n_places > 0)
        text_printf(text, ":0x%" PRIx64, r->places[0].offset);
    text_printf(text, ": %s%s", counts ? "" : "note: ", lint_rules[rule].name);
    if (r->n > 1)
        text_printf(text, " (%" PRIu64 " times)", r->n);
    text_str(text, ": ");
    add_readers(text, lint_rules[rule].readers);
    text_str(text, lint_rules[rule].sentence);
    if (finding_is_lack(f, rule))
        text_str(text, " here, in a trace that says that it is not whole");
    text_char(text, '\n');
    add_places(text, f, r);
}

void findings_text(struct text *text, const char *name, const struct findings *f,
                   const struct finding_choice *choice)
{
    for (int counts = 1; counts >= 0; counts--) {
        for (int i = 0; i < N_RULES; i++) {
            if (f->rules[i].n > 0 && !choice->ignored[i] &&
                finding_counts(f, choice, (enum rule)i) == (counts == 1))
                add_rule(text, name, f, (enum rule)i, counts == 1);
        }
    }
}

void rules_text(struct text *text)
{
    for (int i = 0; i < N_RULES; i++) {
        text_printf(text, "%-20s ", lint_rules[i].name);
        add_readers(text, lint_rules[i].readers);
        text_printf(text, "%s%s\n", lint_rules[i].sentence,
                    lint_rules[i].is_fixed ? " (--fix)" : "");
    }
}
