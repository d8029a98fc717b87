/* SPDX-License-Identifier: BSD-2-Clause */
/* See choice.h. */
#include "choice.h"

#include "common/base/memory.h"

bool choice_add(struct choice *c, enum expression which, const char *expression,
                struct text *why)
{
    struct expression_list *list = &c->lists[which];
    regex_t *compiled = (regex_t *)memory_allocate(sizeof(*compiled));
    int code = regcomp(compiled, expression, REG_EXTENDED | REG_NOSUB);
    char message[128];

    if (code != 0) {
        regerror(code, compiled, message, sizeof(message));
        return text_fail(why, "%s", message);
    }
    MEMORY_ADD(list->expressions, list->n, list->capacity, compiled);
    return true;
}

bool choice_is_set(const struct choice *c)
{
    return c->filter.is_set || c->by_process_name ||
           c->lists[EXPRESSION_CATEGORY].n > 0 || c->lists[EXPRESSION_NAME].n > 0;
}

/* ---- Strings ----------------------------------------------------------------------- */

static bool matches_any(struct choice *c, const struct expression_list *list,
                        const struct fxt_string *string)
{
    c->text.size = 0;
    if (string->data != NULL)
        text_add(&c->text, string->data, string->size);
    else
        text_printf(&c->text, "#%u", string->ref);
    text_char(&c->text, '\0');
    for (size_t i = 0; i < list->n; i++) {
        if (regexec(list->expressions[i], c->text.data, 0, NULL, 0) == 0)
            return true;
    }
    return false;
}

bool choice_matches_string(struct choice *c, enum expression which,
                           const struct trace_source *source,
                           const struct fxt_string *string)
{
    struct slot *slot = NULL;
    unsigned char *match;

    if (string == NULL)
        return false;
    if (string->data != NULL && string->ref > 0 && string->ref < FXT_STRING_REF_INLINE)
        slot = source_string(source, string->ref);
    if (slot == NULL || slot->known == NULL)
        return matches_any(c, &c->lists[which], string);
    match = &slot->known->matches[which];
    if (*match == MATCH_UNKNOWN)
        *match = matches_any(c, &c->lists[which], string) ? MATCH_YES : MATCH_NO;
    return *match == MATCH_YES;
}

/* ---- Records ----------------------------------------------------------------------- */

bool choice_matches_track(struct choice *c, const struct trace_source *source,
                          const struct fxt_record *record)
{
    return choice_matches_source(c, record) &&
           (c->lists[EXPRESSION_CATEGORY].n == 0 ||
            choice_matches_string(c, EXPRESSION_CATEGORY, source,
                                  filter_category(record))) &&
           (c->lists[EXPRESSION_NAME].n == 0 ||
            choice_matches_string(c, EXPRESSION_NAME, source, filter_name(record)));
}

bool choice_matches(struct choice *c, const struct trace_source *source,
                    const struct fxt_record *record)
{
    return filter_matches_kind(&c->filter, record) &&
           choice_matches_track(c, source, record);
}

bool choice_allows_event(const struct choice *c, uint32_t kind)
{
    return !c->filter.by_kind || c->filter.kinds[FXT_RECORD_EVENT * 16 + kind];
}

void choice_free(struct choice *c)
{
    for (size_t which = 0; which < REGISTRATION_MATCHES; which++) {
        struct expression_list *list = &c->lists[which];

        for (size_t i = 0; i < list->n; i++)
            regfree(list->expressions[i]);
    }
}
