/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_lines.h. */
#include "debug_lines.h"

#include <errno.h>
#include <string.h>

#include "debug_info.h"
#include "isolate.h"
#include "common/base/quote.h"
#include "common/base/search.h"
#include "common/base/sort.h"

/* ---- Addresses --------------------------------------------------------------------- */

void debug_lines_want(struct debug_lines *l, uint64_t address)
{
    if (l->n_addresses > 0 && l->addresses[l->n_addresses - 1] == address)
        return;
    MEMORY_ADD(l->addresses, l->n_addresses, l->capacity, address);
}

/* ---- Reading ----------------------------------------------------------------------- */

/* The limits for reading a file, per byte and fixed: several times what valid files need,
 * including those with compressed sections. */
enum {
    MEMORY_LEAST = 128 << 20,
    MEMORY_PER_BYTE = 16,
    ANSWERS_LEAST = 16 << 20,
    ANSWERS_PER_BYTE = 4,
    ANSWERS_PER_ADDRESS = 64,
    SECONDS_LEAST = 10,
    BYTES_PER_SECOND = 4 << 20,
};

struct reading {
    struct debug_source source;
    const struct debug_lines *lines;
    int out;
};

static bool write_answers(void *context, const void *bytes, size_t size)
{
    const struct reading *r = (const struct reading *)context;

    return isolate_write(r->out, bytes, size);
}

static void read_in_child(void *context, int out)
{
    struct reading *r = (struct reading *)context;

    r->out = out;
    debug_info_read(&r->source, r->lines->addresses, r->lines->n_addresses, write_answers,
                    r);
}

/* The error that it reported at its end, or else how it ended. */
static void add_reason(struct text *why, uint32_t said, enum isolate_end end)
{
    if (said == DEBUG_END_UNUSABLE)
        text_str(why, "its debugging information is damaged, or of a kind that libdw "
                      "cannot read");
    else if (said == DEBUG_END_UNTERMINATED)
        text_str(why,
                 "its debugging information is damaged: the last string of a section "
                 "has no end");
    else if (end == ISOLATE_NOT_STARTED)
        text_printf(why, "no process could be started to read them: %s", strerror(errno));
    else if (end == ISOLATE_FAILED)
        text_str(why, "reading its debugging information failed: it is damaged, or takes "
                      "too much memory");
    else if (end == ISOLATE_NO_TIME)
        text_str(why,
                 "reading its debugging information takes too long: it is damaged, or "
                 "too large");
    else
        text_str(why, "its debugging information is damaged");
}

/* The files are mapped here, as the child cannot do that. */
static enum isolate_end isolate_reading(struct debug_lines *l, struct debug_source source,
                                        struct confine_limits limits)
{
    struct reading reading = {.source = source, .lines = l};

    file_map(source.file);
    if (source.shared != NULL)
        file_map(source.shared);
    return isolate(read_in_child, &reading, limits, debug_answers_take, &l->answers);
}

static bool read_files(struct debug_lines *l, struct debug_source source,
                       struct text *why)
{
    uint64_t size =
        file_size(source.file) + (source.shared != NULL ? file_size(source.shared) : 0);
    struct confine_limits limits = {
        .memory_bytes = MEMORY_LEAST + MEMORY_PER_BYTE * size,
        .cpu_seconds = SECONDS_LEAST + size / BYTES_PER_SECOND,
    };
    enum isolate_end end;

    l->answers.max_answers = l->n_addresses;
    l->answers.max_bytes = ANSWERS_LEAST + ANSWERS_PER_BYTE * size +
                           ANSWERS_PER_ADDRESS * (uint64_t)l->n_addresses;
    end = isolate_reading(l, source, limits);
    if (l->answers.end == DEBUG_END_GOOD && !l->answers.is_faulty)
        return true;
    add_reason(why, l->answers.end, end);
    return false;
}

/* Lines are there. libdw opens such files itself, by names that others chose. */
static bool has_all_functions(const struct debug_answers *answers, struct text *why)
{
    const char *file = debug_answers_split(answers);

    if (file == NULL)
        return true;
    text_str(why, "inlined functions are in files of split DWARF, which are not read (");
    quote_text(why, file, strlen(file));
    if (answers->n_split > 1)
        text_printf(why, " and %u more", answers->n_split - 1);
    return text_fail(why, "): compile without -gsplit-dwarf");
}

bool debug_lines_read(struct debug_lines *l, const struct elf *elf, const char *name,
                      const char *shared_name, struct text *why)
{
    struct debug_source source = {.elf = elf};
    struct text no_matter = {NULL, 0, 0};
    bool ok = true;

    debug_answers_free(&l->answers);
    if (l->n_addresses == 0 || !elf->has_debug_info || !debug_info_is_there())
        return true;
    l->n_addresses = sort_unique(l->addresses, l->n_addresses);
    source.file = file_open(name, why);
    if (source.file == NULL)
        return false;
    if (shared_name != NULL)
        source.shared = file_open(shared_name, &no_matter);
    ok = read_files(l, source, why) && has_all_functions(&l->answers, why);
    text_free(&no_matter);
    file_close(source.file);
    if (source.shared != NULL)
        file_close(source.shared);
    return ok;
}

/* ---- Looking up -------------------------------------------------------------------- */

void debug_lines_find(const struct debug_lines *l, uint64_t address,
                      struct source_lines *found)
{
    size_t n = l->answers.n_answers;
    size_t i = search_below(l->addresses, n, sizeof(*l->addresses), 0, address);

    if (i < n && l->addresses[i] == address)
        debug_answers_get(&l->answers, i, found);
}

void debug_lines_free(struct debug_lines *l)
{
    memory_release(l->addresses);
    debug_answers_free(&l->answers);
    *l = (struct debug_lines){.n_addresses = 0};
}
