/* SPDX-License-Identifier: BSD-2-Clause */
/* See findings.h: as JSON. */
#include "findings.h"

#include "common/base/quote.h"

static void add_string(struct text *text, const char *string)
{
    quote_json(text, string, strlen(string));
}

/* What the table has of a rule. */
static void add_rule(struct text *text, enum rule rule)
{
    bool is_first = true;

    text_str(text, "{\"rule\":");
    add_string(text, lint_rules[rule].name);
    text_str(text, ",\"message\":");
    add_string(text, lint_rules[rule].sentence);
    text_str(text, ",\"readers\":[");
    for (uint32_t i = 0; i < N_READERS; i++) {
        if ((lint_rules[rule].readers >> i & 1) == 0)
            continue;
        text_str(text, is_first ? "" : ",");
        add_string(text, lint_readers[i].word);
        is_first = false;
    }
    text_printf(text, "],\"fixed\":%s", lint_rules[rule].is_fixed ? "true" : "false");
}

static void add_places(struct text *text, const struct findings *f,
                       const struct rule_findings *r)
{
    for (size_t i = 0; i < r->n_places; i++) {
        const struct finding_place *p = &r->places[i];

        text_str(text, i > 0 ? ",{\"offset\":" : "{\"offset\":");
        text_u64(text, p->offset);
        if (p->end > p->begin) {
            text_str(text, ",\"about\":");
            quote_json(text, f->texts.data + p->begin, p->end - p->begin);
        }
        text_char(text, '}');
    }
}

void findings_json(struct text *text, const char *name, const struct findings *f,
                   const struct finding_choice *choice)
{
    bool is_first = true;

    text_str(text, "{\"file\":");
    add_string(text, name);
    text_str(text, ",\"findings\":[");
    for (int i = 0; i < N_RULES; i++) {
        if (f->rules[i].n == 0 || choice->ignored[i])
            continue;
        text_str(text, is_first ? "" : ",");
        is_first = false;
        add_rule(text, (enum rule)i);
        text_printf(text, ",\"counts\":%s,\"times\":",
                    finding_counts(f, choice, (enum rule)i) ? "true" : "false");
        text_u64(text, f->rules[i].n);
        text_str(text, ",\"places\":[");
        add_places(text, f, &f->rules[i]);
        text_str(text, "]}");
    }
    text_str(text, "]}\n");
}

void rules_json(struct text *text)
{
    text_char(text, '[');
    for (int i = 0; i < N_RULES; i++) {
        text_str(text, i > 0 ? ",\n" : "");
        add_rule(text, (enum rule)i);
        text_char(text, '}');
    }
    text_str(text, "]\n");
}
