/* SPDX-License-Identifier: BSD-2-Clause */
/* See modules.h: functions in no file. */
#include "modules.h"

#include "common/base/table_items.h"

/* ---- Sources ----------------------------------------------------------------------- */

uint32_t modules_find_source(struct modules *m, uint64_t process, struct string name)
{
    struct function_source source = {process,
                                     string_table_add(&m->names, name.data, name.size)};

    return TABLE_PUT(&m->source_table, m->sources, m->n_sources, m->source_capacity,
                     &source, process, name);
}

/* ---- Functions --------------------------------------------------------------------- */

static uint32_t add_string(struct modules *m, struct string name)
{
    struct text text = {NULL, 0, 0};
    uint32_t number;

    text_add(&text, name.data, name.size);
    text_char(&text, '\0');
    number = string_table_add(&m->function_names, text.data, text.size);
    text_free(&text);
    return number;
}

static uint32_t find_function(struct modules *m, struct named_function function)
{
    return TABLE_PUT(&m->function_table, m->function_list, m->n_functions,
                     m->function_capacity, &function, name, home, source);
}

bool modules_add_function(struct modules *m, uint32_t source, uint64_t start,
                          uint64_t size, uint64_t time_ns, struct string name,
                          struct string home)
{
    struct mapping function = {
        .process = m->sources[source].process, .start = start, .time_ns = time_ns};

    if (size == 0)
        return false;
    function.module = find_function(
        m, (struct named_function){add_string(m, name), add_string(m, home), source});
    return mapping_set_add(&m->functions, function, size);
}

/* ---- Looking up -------------------------------------------------------------------- */

const char *modules_function_name(const struct modules *m, const struct mapping *function)
{
    return string_table_get(&m->function_names, m->function_list[function->module].name)
        .data;
}

const char *modules_function_home(const struct modules *m, const struct mapping *function)
{
    return string_table_get(&m->function_names, m->function_list[function->module].home)
        .data;
}

struct string modules_source_name(const struct modules *m, const struct mapping *function)
{
    uint32_t source = m->function_list[function->module].source;

    return string_table_get(&m->names, m->sources[source].name);
}

void modules_function_range(const struct modules *m, const struct mapping *function,
                            uint64_t address, uint64_t *start, uint64_t *limit)
{
    *start = 0;
    *limit = UINT64_MAX;
    mapping_set_find_gap(&m->mapped, function->process, address, start, limit);
    mapping_set_find_span(&m->functions, function->process, start, limit);
    /* The function itself may begin in a mapping. */
    if (*start > address)
        *start = address;
    if (*limit <= address)
        *limit = address + 1;
}
