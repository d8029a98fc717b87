/* SPDX-License-Identifier: BSD-2-Clause */
/* See function_list.h. */
#include "function_list.h"

#include <string.h>

#include "common/base/memory.h"
#include "libfxtprofile/symbols/demangle.h"

static bool same_function(const struct profile_function *a,
                          const struct profile_function *b)
{
    return a->system_name == b->system_name && a->file == b->file &&
           a->start_line == b->start_line && a->home == b->home &&
           a->is_vague == b->is_vague;
}

/* The number of the demangled name, or of the same name if it is not mangled. */
static uint32_t demangle_name(struct function_list *list, uint32_t system_name)
{
    struct string_table *names = &list->builder->profile.names;
    struct string name = string_table_get(names, system_name);

    list->mangled.size = 0;
    text_add(&list->mangled, name.data, name.size);
    text_char(&list->mangled, '\0');
    list->demangled.size = 0;
    if (!demangle(&list->demangled, list->mangled.data))
        return system_name;
    return string_table_add(names, list->demangled.data, list->demangled.size);
}

static uint32_t add_function(struct function_list *list, struct profile_function function,
                             bool is_symbol)
{
    struct profile *p = &list->builder->profile;
    uint64_t hash = hash_word(
        hash_word(hash_start(), (uint64_t)function.system_name << 32 | function.file),
        function.home);
    struct table_probe probe = table_probe(&list->table, hash);
    uint32_t number;

    while (table_next(&list->table, &probe, &number)) {
        if (same_function(&p->functions[number], &function))
            return number;
    }
    table_add(&list->table, hash, p->n_functions);
    function.name =
        is_symbol ? demangle_name(list, function.system_name) : function.system_name;
    MEMORY_ADD(p->functions, p->n_functions, list->capacity, function);
    return (uint32_t)(p->n_functions - 1);
}

/* The name of a line's function with its scope. */
static struct string name_with_scope(struct function_list *list,
                                     const struct source_line *line)
{
    if (line->scope == NULL)
        return string_from(line->name);
    list->scoped.size = 0;
    text_str(&list->scoped, line->scope);
    text_str(&list->scoped, line->name);
    return (struct string){list->scoped.data, list->scoped.size};
}

uint32_t function_list_add(struct function_list *list, const struct source_line *line)
{
    struct profile *p = &list->builder->profile;
    const char *file = line->file != NULL ? line->file : "";
    struct string name = name_with_scope(list, line);
    struct profile_function function = {
        .system_name = string_table_add(&p->names, name.data, name.size),
        .file = string_table_add(&p->files, file, strlen(file)),
        .start_line = line->start_line,
        .home = PROFILE_NO_FILE,
        .is_vague = line->is_vague,
    };

    if (line->home != NULL)
        function.home = string_table_add(&p->files, line->home, strlen(line->home));
    return add_function(list, function, true);
}

uint32_t function_list_add_name(struct function_list *list, struct string name,
                                struct string file)
{
    struct profile *p = &list->builder->profile;
    struct profile_function function = {
        .system_name = string_table_add(&p->names, name.data, name.size),
        .file = string_table_add(&p->files, file.data, file.size),
        .home = PROFILE_NO_FILE,
    };

    return add_function(list, function, false);
}

void function_list_free(struct function_list *list)
{
    table_free(&list->table);
    text_free(&list->scoped);
    text_free(&list->mangled);
    text_free(&list->demangled);
}
