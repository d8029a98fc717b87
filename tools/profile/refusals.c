/* SPDX-License-Identifier: BSD-2-Clause */
/* See refusals.h. */
#include "refusals.h"

#include <string.h>

#include "quote.h"

static void add_name(struct text *line, const char *name, const char *what)
{
    quote_text(line, name, strlen(name));
    text_str(line, what);
}

static void note(struct refusals *refusals, struct text *line)
{
    strings_add(&refusals->pending, line->data, line->size);
    text_free(line);
}

void refuse_build_id(struct refusals *refusals, const struct binary *binary,
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
    text_str(&line, ", and what was running had ");
    quote_text(&line, build_id.data, build_id.size);
    note(refusals, &line);
}

void refuse_crc(struct refusals *refusals, const struct binary *of,
                const struct binary *debug, uint32_t crc)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, debug->name, ": not used: its CRC is ");
    text_hex(&line, crc, 8);
    text_str(&line, ", and the link in ");
    add_name(&line, of->name, " has ");
    text_hex(&line, of->elf.debug_link_crc, 8);
    note(refusals, &line);
}

void refuse_unreadable(struct refusals *refusals, const char *name,
                       const struct text *why)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, name, ": not used: ");
    text_add(&line, why->data, why->size);
    note(refusals, &line);
}

void refuse_damage(struct refusals *refusals, const struct binary *binary)
{
    struct text line = {NULL, 0, 0};

    if (binary->elf.damage == NULL)
        return;
    add_name(&line, binary->name, ": symbols may be missing: ");
    text_str(&line, binary->elf.damage);
    note(refusals, &line);
}

void refuse_lines(struct refusals *refusals, const struct binary *binary,
                  const struct text *why)
{
    struct text line = {NULL, 0, 0};

    add_name(&line, binary->name, ": lines and inlined functions may be missing: ");
    text_add(&line, why->data, why->size);
    note(refusals, &line);
    refusals_confirm(refusals);
}

void refuse_unshared(struct refusals *refusals, const struct binary *binary)
{
    const struct elf *elf = &binary->elf;
    struct text line = {NULL, 0, 0};

    add_name(
        &line, binary->name,
        ": lines and names may be missing: a part of its debugging information is in ");
    add_name(&line, elf->shared_name, ", which is not found, with the build id ");
    text_hex_bytes(&line, elf->shared_id, elf->shared_id_size);
    note(refusals, &line);
    refusals_confirm(refusals);
}

void refusals_forget(struct refusals *refusals)
{
    strings_free(&refusals->pending);
}

void refusals_confirm(struct refusals *refusals)
{
    for (uint32_t i = 0; i < refusals->pending.n; i++) {
        struct string line = strings_get(&refusals->pending, i);

        strings_add(&refusals->final, line.data, line.size);
    }
    refusals_forget(refusals);
}

void refusals_free(struct refusals *refusals)
{
    strings_free(&refusals->final);
    strings_free(&refusals->pending);
}
