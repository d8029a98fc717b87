/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modules of a Linux kernel, with their ORC tables and symbols. A struct module
 * begins with a number, the links of the list of all modules, and the module's name; what
 * else is in it depends on the kernel's version and configuration. So the fields of its
 * tables (their length and two pointers, next to each other) are those that point to a
 * table; and those of its symbols, which a pointer to them is before, point to what is
 * one piece.
 */
#ifndef FXTRECORD_DEBUGGER_GUEST_GUEST_MODULES_H
#define FXTRECORD_DEBUGGER_GUEST_GUEST_MODULES_H

#include "common/base/kernel_symbols.h"
#include "orc_table.h"

enum { GUEST_MODULE_NAME = 56, GUEST_MODULES_MAX = 1024 };

struct guest_module {
    char name[GUEST_MODULE_NAME];
    struct orc_table table;
};

/* All zero is none. */
struct guest_modules {
    struct guest_module *all;
    size_t n;
    size_t capacity;
    /* Those of which no table was found. */
    size_t n_without;
    /* How many entries were read, and how many bytes of symbols. */
    size_t n_entries;
    size_t n_name_bytes;
    /* Of where their symbols are: another one if other modules are loaded. */
    uint64_t hash;
};

/* Reads any memory of the target: all of it, or returns false. */
struct guest_reader {
    bool (*read)(void *context, uint64_t address, void *to, size_t size);
    void *context;
};

/* Reads the modules of the list that begins at an address, and adds their symbols to
 * `symbols`, unless that is NULL. */
void guest_modules_read(struct guest_modules *modules, const struct guest_reader *reader,
                        uint64_t list, enum orc_format format,
                        struct kernel_symbols *symbols);

/* The rule for a PC: that of the module whose code is next to it, since the code that
 * initialises a module may be far from the rest. Returns false if it is in none. */
bool guest_modules_rule(const struct guest_modules *modules, uint64_t pc,
                        struct orc_rule *rule);

/* How far a module's code extends, without that which initialises it. */
uint64_t guest_module_length(const struct guest_module *module);

void guest_modules_free(struct guest_modules *modules);

#endif
