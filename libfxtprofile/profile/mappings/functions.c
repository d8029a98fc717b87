/* SPDX-License-Identifier: BSD-2-Clause */
/* See modules.h: functions in no file. */
#include "modules.h"

/* ---- Sources ----------------------------------------------------------------------- */

uint32_t modules_find_source(struct modules *m, uint64_t process, struct string name)
{
    uint32_t name_number = string_table_add(&m->names, name.data, name.size);
    uint64_t hash = hash_word(hash_word(hash_start(), process), name_number);
    struct table_probe probe = table_probe(&m->source_table, hash);
    uint32_t number;

    while (table_next(&m->source_table, &probe, &number)) {
        if (m->sources[number].process == process &&
            m->sources[number].name == name_number)
            return number;
    }
    table_add(&m->source_table, hash, m->n_sources);
    MEMORY_ADD(m->sources, m->n_sources, m->source_capacity,
               (struct function_source){process, name_number});
    return (uint32_t)(m->n_sources - 1);
}

/* ---- Functions --------------------------------------------------------------------- */

static uint32_t add_name(struct modules *m, struct string name)
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
    uint64_t hash = hash_word(hash_word(hash_start(), function.name), function.source);
    struct table_probe probe = table_probe(&m->function_table, hash);
    uint32_t number;

    while (table_next(&m->function_table, &probe, &number)) {
        if (m->function_list[number].name == function.name &&
            m->function_list[number].source == function.source)
            return number;
    }
    table_add(&m->function_table, hash, m->n_functions);
    MEMORY_ADD(m->function_list, m->n_functions, m->function_capacity, function);
    return (uint32_t)(m->n_functions - 1);
}

bool modules_add_function(struct modules *m, uint32_t source, uint64_t start,
                          uint64_t size, uint64_t time_ns, struct string name)
{
    struct mapping function = {
        .process = m->sources[source].process, .start = start, .time_ns = time_ns};

    if (size == 0)
        return false;
    function.module =
        find_function(m, (struct named_function){add_name(m, name), source});
    return mapping_set_add(&m->functions, function, size);
}

/* ---- Looking up -------------------------------------------------------------------- */

const char *modules_function_name(const struct modules *m, const struct mapping *function)
{
    return string_table_get(&m->function_names, m->function_list[function->module].name)
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
