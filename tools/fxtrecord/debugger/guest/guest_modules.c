/* SPDX-License-Identifier: BSD-2-Clause */
/* See guest_modules.h. */
#include "guest_modules.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/table.h"

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
    TRIED = 32,
    /* An ELF symbol, and of one module and of all, how much there may be of them and of
     * their names. */
    SYMBOL_BYTES = 24,
    SYMBOL_VALUE_AT = 8,
    SYMBOLS_MAX = 1 << 18,
    NAMES_MAX = 1 << 24,
    ALL_NAMES_MAX = 1 << 26
};

/* No rule is for more code. */
#define FUNCTION_BYTES_MAX ((uint64_t)1 << 16)

/* Code and tables of a module are near each other. */
#define AREA_BYTES ((uint64_t)1 << 31)

/* A struct module, and how many bytes of it were read. */
struct module_fields {
    uint64_t module;
    unsigned char bytes[MODULE_BYTES];
    size_t size;
};

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

/* ---- Tables ------------------------------------------------------------------------ */

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

static void find_table(const struct guest_reader *reader, const struct module_fields *of,
                       enum orc_format format, struct orc_table *table)
{
    for (size_t at = FIELDS_AT; at + sizeof(struct fields) <= of->size; at += 8) {
        if (try_fields(reader, of->bytes + at, of->module, format, table))
            return;
    }
}

/* ---- Symbols ----------------------------------------------------------------------- */

/* Where symbols are, how many, and where their names and their types are: each follows
 * what is before it. */
struct symbol_fields {
    uint64_t symbols;
    uint64_t n;
    uint64_t names;
    uint64_t types;
};

/* From Linux 5.2 on; before them is a pointer to them. */
static bool find_symbols(const struct module_fields *of, struct symbol_fields *f)
{
    for (size_t at = FIELDS_AT; at + 8 + sizeof(*f) <= of->size; at += 8) {
        const unsigned char *fields = of->bytes + at + 8;

        *f = (struct symbol_fields){read_u64(fields), read_u64(fields + 8) & UINT32_MAX,
                                    read_u64(fields + 16), read_u64(fields + 24)};
        if (read_u64(of->bytes + at) == of->module + at + 8 && f->n <= SYMBOLS_MAX &&
            are_near(f->symbols, of->module) &&
            f->names == f->symbols + f->n * SYMBOL_BYTES &&
            f->types - f->names <= NAMES_MAX)
            return true;
    }
    return false;
}

/* Each has a name of its own. */
static void take_symbols(struct kernel_symbols *to, const struct symbol_fields *f,
                         struct string module, const unsigned char *symbols)
{
    const char *names = (const char *)symbols + f->n * SYMBOL_BYTES;
    size_t names_size = (size_t)(f->types - f->names);
    size_t left = names_size;

    for (size_t i = 0; i < f->n; i++) {
        const unsigned char *symbol = symbols + i * SYMBOL_BYTES;
        uint32_t name = (uint32_t)read_u64(symbol);
        struct kernel_symbol_line line = {.address = read_u64(symbol + SYMBOL_VALUE_AT),
                                          .type = names[names_size + i],
                                          .module = module};

        if (name >= names_size || !are_near(line.address, f->symbols))
            continue;
        line.name =
            (struct string){names + name, strnlen(names + name, names_size - name)};
        if (line.name.size > left)
            return;
        left -= line.name.size;
        if (line.name.size > 0)
            kernel_symbols_add(to, &line);
    }
}

/* They are as /proc/kallsyms lists them. A module that is being loaded has none yet. */
static void read_symbols(struct guest_modules *m, const struct guest_reader *reader,
                         const struct module_fields *of, const char *name,
                         struct kernel_symbols *to)
{
    struct text module = {NULL, 0, 0};
    struct symbol_fields f;
    unsigned char *bytes;
    size_t size;

    if (!find_symbols(of, &f))
        return;
    m->hash = hash_word(hash_word(m->hash, f.symbols), f.n);
    size = (size_t)(f.n * SYMBOL_BYTES + (f.types - f.names) + f.n);
    if (to == NULL || size > ALL_NAMES_MAX - m->n_name_bytes)
        return;
    m->n_name_bytes += size;
    bytes = memory_allocate(size);
    text_printf(&module, "[%s]", name);
    if (reader->read(reader->context, f.symbols, bytes, size))
        take_symbols(to, &f, (struct string){module.data, module.size}, bytes);
    text_free(&module);
    memory_release(bytes);
}

/* ---- Modules ----------------------------------------------------------------------- */

/* What follows its page may not be mapped. */
static void read_fields(const struct guest_reader *reader, struct module_fields *of)
{
    of->size = sizeof(of->bytes);
    if (reader->read(reader->context, of->module, of->bytes, of->size))
        return;
    of->size = PAGE - of->module % PAGE;
    if (of->size > sizeof(of->bytes) ||
        !reader->read(reader->context, of->module, of->bytes, of->size))
        of->size = 0;
}

void guest_modules_read(struct guest_modules *m, const struct guest_reader *reader,
                        uint64_t list, enum orc_format format,
                        struct kernel_symbols *symbols)
{
    uint64_t node = list;
    unsigned char next[8];
    struct module_fields of;

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
        of.module = node - LIST_AT;
        read_fields(reader, &of);
        if (format != ORC_UNKNOWN)
            find_table(reader, &of, format, &module->table);
        read_symbols(m, reader, &of, module->name, symbols);
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
