/* SPDX-License-Identifier: BSD-2-Clause */
/* See pprof_writer.h. */
#include "pprof_writer.h"

#include <string.h>

#include "common/base/quote.h"

uint32_t pprof_string(struct pprof_writer *w, struct string string)
{
    w->name.size = 0;
    quote_utf8(&w->name, string.data, string.size);
    return string_table_add(&w->strings, w->name.data, w->name.size);
}

uint32_t pprof_literal(struct pprof_writer *w, const char *string)
{
    return pprof_string(w, string_from(string));
}

void pprof_field(struct pprof_writer *w, unsigned field, struct text *content)
{
    proto_start(&w->field, field, content->size);
    output_text(w->output, &w->field);
    output_text(w->output, content);
}

void pprof_number(struct pprof_writer *w, unsigned field, uint64_t value)
{
    proto_number(&w->field, field, value);
    output_text(w->output, &w->field);
}
