/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_file_report.h. */
#include "debug_file_report.h"

#include <string.h>

#include "base/quote.h"

static void add_name(struct text *line, const char *name, const char *what)
{
    quote_text(line, name, strlen(name));
    text_str(line, what);
}

static void note(struct debug_file_report *refusals, struct text *line)
{
    string_table_add(&refusals->pending, line->data, line->size);
    text_free(line);
}

void refuse_build_id(struct debug_file_report *refusals, const struct binary *binary,
                     struct string build_id)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, binary->name, ": not used: ");
    if (binary->build_id[0] == '\0') {
        text_str(&line, "it has no build id");
    } else {
        text_str(&line, "its build id is ");
        text_str(&line, binary->build_id);
    }
    text_str(&line, ", but the recorded module has ");
    quote_text(&line, build_id.data, build_id.size);
    note(refusals, &line);
}

void refuse_crc(struct debug_file_report *refusals, const struct binary *of,
                const struct binary *debug, uint32_t crc)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, debug->name, ": not used: its CRC is ");
    text_hex(&line, crc, 8);
    text_str(&line, ", but the link in ");
    add_name(&line, of->name, " has ");
    text_hex(&line, of->elf.debug_link_crc, 8);
    note(refusals, &line);
}

void refuse_unreadable(struct debug_file_report *refusals, const char *name,
                       const struct text *why)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, name, ": not used: ");
    text_add(&line, why->data, why->size);
    note(refusals, &line);
}

void refuse_damage(struct debug_file_report *refusals, const struct binary *binary)
{
    struct text line = {NULL, 0, 0};

    if (binary->elf.symbols.damage == NULL)
        return;
    add_name(&line, binary->name, ": symbols may be missing: ");
    text_str(&line, binary->elf.symbols.damage);
    note(refusals, &line);
}

void refuse_lines(struct debug_file_report *refusals, const struct binary *binary,
                  const struct text *why)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, binary->name, ": lines and inlined functions may be missing: ");
    text_add(&line, why->data, why->size);
    note(refusals, &line);
    debug_file_report_confirm(refusals);
}

void refuse_unshared(struct debug_file_report *refusals, const struct binary *binary)
{
    const struct elf *elf = &binary->elf;
    struct text line = {NULL, 0, 0};

    add_name(
        &line, binary->name,
        ": lines and names may be missing: a part of its debugging information is in ");
    add_name(&line, elf->shared_name, ", which was not found; its build id is ");
    text_hex_bytes(&line, elf->shared_id, elf->shared_id_size);
    note(refusals, &line);
    debug_file_report_confirm(refusals);
}

void debug_file_report_forget(struct debug_file_report *refusals)
{
    string_table_free(&refusals->pending);
}

void debug_file_report_confirm(struct debug_file_report *refusals)
{
    for (uint32_t i = 0; i < refusals->pending.n; i++) {
        struct string line = string_table_get(&refusals->pending, i);

        string_table_add(&refusals->final, line.data, line.size);
    }
    debug_file_report_forget(refusals);
}

void debug_file_report_free(struct debug_file_report *refusals)
{
    string_table_free(&refusals->final);
    string_table_free(&refusals->pending);
}
