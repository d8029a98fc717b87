/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_file_report.h. */
#include "debug_file_report.h"

#include <string.h>

#include "common/base/quote.h"

static void add_name(struct text *line, const char *name, const char *what)
{
    quote_text(line, name, strlen(name));
    text_str(line, what);
}

static void note_line(struct debug_file_report *report, struct text *line)
{
    string_table_add(&report->pending, line->data, line->size);
    text_free(line);
}

void debug_file_report_build_id(struct debug_file_report *report,
                                const struct binary *binary, struct string build_id)
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
    note_line(report, &line);
}

void debug_file_report_crc(struct debug_file_report *report, const struct binary *of,
                           const struct binary *debug, uint32_t crc)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, debug->name, ": not used: its CRC is ");
    text_hex(&line, crc, 8);
    text_str(&line, ", but the link in ");
    add_name(&line, of->name, " has ");
    text_hex(&line, of->elf.debug_link_crc, 8);
    note_line(report, &line);
}

void debug_file_report_unreadable(struct debug_file_report *report, const char *name,
                                  const struct text *why)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, name, ": not used: ");
    text_add(&line, why->data, why->size);
    note_line(report, &line);
}

void debug_file_report_damage(struct debug_file_report *report,
                              const struct binary *binary)
{
    struct text line = {NULL, 0, 0};

    if (binary->elf.symbols.damage == NULL)
        return;
    add_name(&line, binary->name, ": symbols may be missing: ");
    text_str(&line, binary->elf.symbols.damage);
    note_line(report, &line);
}

void debug_file_report_lines(struct debug_file_report *report,
                             const struct binary *binary, const struct text *why)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, binary->name, ": lines and inlined functions may be missing: ");
    text_add(&line, why->data, why->size);
    note_line(report, &line);
    debug_file_report_confirm(report);
}

void debug_file_report_unshared(struct debug_file_report *report,
                                const struct binary *binary)
{
    const struct elf *elf = &binary->elf;
    struct text line = {NULL, 0, 0};

    add_name(
        &line, binary->name,
        ": lines and names may be missing: a part of its debugging information is in ");
    add_name(&line, elf->shared_name, ", which was not found; its build id is ");
    text_hex_bytes(&line, elf->shared_id, elf->shared_id_size);
    note_line(report, &line);
    debug_file_report_confirm(report);
}

void debug_file_report_forget(struct debug_file_report *report)
{
    string_table_free(&report->pending);
}

void debug_file_report_confirm(struct debug_file_report *report)
{
    for (uint32_t i = 0; i < report->pending.n; i++) {
        struct string line = string_table_get(&report->pending, i);

        string_table_add(&report->final, line.data, line.size);
    }
    debug_file_report_forget(report);
}

void debug_file_report_drop(struct debug_file_report *report, uint32_t first,
                            uint32_t limit)
{
    for (uint32_t i = first; i < limit; i++) {
        struct string line = string_table_get(&report->final, i);

        string_table_add(&report->dropped, line.data, line.size);
    }
}

bool debug_file_report_is_dropped(const struct debug_file_report *report,
                                  struct string line)
{
    for (uint32_t i = 0; i < report->dropped.n; i++) {
        if (string_compare(string_table_get(&report->dropped, i), line) == 0)
            return true;
    }
    return false;
}

void debug_file_report_free(struct debug_file_report *report)
{
    string_table_free(&report->dropped);
    string_table_free(&report->final);
    string_table_free(&report->pending);
}
