/* SPDX-License-Identifier: BSD-2-Clause */
/* See guest_modules.h. */
#include "guest_modules.h"

#include <string.h>

#include "common/base/memory.h"

enum {
    /* In struct module. */
    LIST_AT = 8,
    NAME_AT = 24,
    FIELDS_AT = NAME_AT + GUEST_MODULE_NAME,
    MODULE_BYTES = 2048,
    PAGE = 4096,
    /* Of one module, and of all. */
    ENTRIES_MAX = 1 << 20,
    ALL_ENTRIES_MAX = 1 << 22,
    /* So many entries are looked at to see whether a table is one. */
    TRIED = 32
};

/* No rule is for more code. */
#define FUNCTION_BYTES_MAX ((uint64_t)1 << 16)

/* Code and tables of a module are near each other. */
#define AREA_BYTES ((uint64_t)1 << 31)

struct fields {
    uint64_t n;
    uint64_t pcs;
    uint64_t entries;
};

static uint64_t read_u64(const unsigned char *at)
{
    uint64_t value = 0;

    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static bool are_near(uint64_t a, uint64_t b)
{
    return a - b < AREA_BYTES || b - a < AREA_BYTES;
}

/* Makes a table of the first entries, or of all. */
static bool read_table(const struct guest_reader *reader, const struct fields *f,
                       size_t n, enum orc_format format, struct orc_table *table)
{
    unsigned char *bytes = memory_allocate(n * (ORC_PC_BYTES + ORC_ENTRY_BYTES));
    unsigned char *entries = bytes + n * ORC_PC_BYTES;
    bool good = reader->read(reader->context, f->pcs, bytes, n * ORC_PC_BYTES) &&
                reader->read(reader->context, f->entries, entries, n * ORC_ENTRY_BYTES) &&
                orc_format_of(entries, n) == format &&
                orc_table_make(table, format, bytes, f->pcs, entries, n);

    memory_release(bytes);
    if (good && (table->pcs[0] >> 63 == 0 || !are_near(table->pcs[0], f->pcs))) {
        orc_table_free(table);
        good = false;
    }
    return good;
}

static bool try_fields(const struct guest_reader *reader, const unsigned char *at,
                       uint64_t module, enum orc_format format, struct orc_table *table)
{
    struct fields f = {read_u64(at), read_u64(at + 8), read_u64(at + 16)};

    /* The tables are not aligned. */
    if (f.n == 0 || f.n > ENTRIES_MAX || !are_near(f.pcs, module) ||
        !are_near(f.entries, module))
        return false;
    if (f.n > TRIED) {
        if (!read_table(reader, &f, TRIED, format, table))
            return false;
        orc_table_free(table);
    }
    return read_table(reader, &f, (size_t)f.n, format, table);
}

static void find_table(const struct guest_reader *reader, uint64_t module,
                       enum orc_format format, struct orc_table *table)
{
    unsigned char bytes[MODULE_BYTES];
    size_t size = sizeof(bytes);

    /* What follows its page may not be mapped. */
    if (!reader->read(reader->context, module, bytes, size)) {
        size = PAGE - module % PAGE;
        if (size > sizeof(bytes) || !reader->read(reader->context, module, bytes, size))
            return;
    }
    for (size_t at = FIELDS_AT; at + sizeof(struct fields) <= size; at += 8) {
        if (try_fields(reader, bytes + at, module, format, table))
            return;
    }
}

void guest_modules_read(struct guest_modules *m, const struct guest_reader *reader,
                        uint64_t list, enum orc_format format)
{
    uint64_t node = list;
    unsigned char next[8];

    while (m->n < GUEST_MODULES_MAX && m->n_entries < ALL_ENTRIES_MAX) {
        struct guest_module *module;

        if (!reader->read(reader->context, node, next, sizeof(next)))
            return;
        node = read_u64(next);
        if (node == list)
            return;
        m->all = memory_grow(m->all, m->n, &m->capacity, sizeof(*m->all));
        module = &m->all[m->n];
        *module = (struct guest_module){.name = ""};
        if (!reader->read(reader->context, node - LIST_AT + NAME_AT, module->name,
                          sizeof(module->name)))
            return;
        module->name[sizeof(module->name) - 1] = '\0';
        find_table(reader, node - LIST_AT, format, &module->table);
        m->n++;
        m->n_without += module->table.n == 0;
        m->n_entries += module->table.n;
    }
}

bool guest_modules_rule(const struct guest_modules *m, uint64_t pc, struct orc_rule *rule)
{
    struct orc_rule found;

    *rule = (struct orc_rule){.start = 0};
    for (size_t i = 0; i < m->n; i++) {
        if (orc_table_find(&m->all[i].table, pc, &found) && found.start >= rule->start)
            *rule = found;
    }
    return rule->type != ORC_NOTHING && pc - rule->start < FUNCTION_BYTES_MAX;
}

uint64_t guest_module_length(const struct guest_module *module)
{
    const struct orc_table *t = &module->table;
    size_t last = 0;

    while (last + 1 < t->n && t->pcs[last + 1] - t->pcs[last] < FUNCTION_BYTES_MAX)
        last++;
    return t->n > 0 ? t->pcs[last] - t->pcs[0] + 1 : 0;
}

void guest_modules_free(struct guest_modules *m)
{
    for (size_t i = 0; i < m->n; i++)
        orc_table_free(&m->all[i].table);
    memory_release(m->all);
    *m = (struct guest_modules){.n = 0};
}
