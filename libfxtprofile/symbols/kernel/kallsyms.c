/* SPDX-License-Identifier: BSD-2-Clause */
/* See kallsyms.h. */
#include "kallsyms.h"

#include <string.h>

#include "common/base/io/input.h"
#include "common/base/kernel_symbols.h"
#include "kernel_file.h"

/* How long a line may be, and how many pieces of modules there may be. */
enum { LINE_MAX_SIZE = 4096, PIECES_MAX = 4096 };

/* ---- Reading ----------------------------------------------------------------------- */

static bool take_line(struct kernel_symbols *symbols, const char *at, const char *end)
{
    struct kernel_symbol_line line;

    if (symbols->n == UINT32_MAX || !kernel_symbol_line_parse(&line, at, end))
        return false;
    kernel_symbols_add(symbols, &line);
    return true;
}

static bool read_lines(struct kernel_symbols *t, struct input *input, struct text *why)
{
    for (size_t n = 1; input_want(input, 1); n++) {
        const char *line;
        const char *end;
        size_t size;

        input_want(input, LINE_MAX_SIZE);
        line = (const char *)input_data(input);
        size = input_size(input) < LINE_MAX_SIZE ? input_size(input) : LINE_MAX_SIZE;
        end = (const char *)memchr(line, '\n', size);
        if (end == NULL || !take_line(t, line, end))
            return text_fail(why, "line %zu is not in the format of /proc/kallsyms", n);
        input_consume(input, (size_t)(end + 1 - line));
    }
    if (input_error(input) != NULL)
        text_str(why, input_error(input));
    return input_error(input) == NULL;
}

/* ---- Images ------------------------------------------------------------------------ */

/* Entry `first` is one. */
static size_t find_last_function(const struct kernel_symbols *t, size_t first, size_t end)
{
    while (end > first + 1 && !kernel_symbol_is_function(&t->all[end - 1]))
        end--;
    return end - 1;
}

/* The functions from entry `first` up to `end`, which are of one module. */
static struct binary *make_piece(const struct kernel_symbols *t, size_t first, size_t end)
{
    struct binary *piece =
        binary_make(kernel_symbols_module_name(t, t->all[first].module));
    struct elf *elf = &piece->elf;

    kernel_ranges_make(&elf->symbols, t, first, end);
    elf->has_code = true;
    elf->image.code[0] =
        (struct elf_code){t->all[first].address,
                          kernel_symbols_end(t, find_last_function(t, first, end)), 0};
    elf->image.n_code = 1;
    return piece;
}

/* The next function from an entry on, or the end. */
static size_t find_next_function(const struct kernel_symbols *t, size_t i)
{
    while (i < t->n && !kernel_symbol_is_function(&t->all[i]))
        i++;
    return i;
}

/* Modules can be interleaved: such a module is several pieces. */
static bool add_pieces(struct symbolizer *s, const struct kernel_symbols *t,
                       struct text *why)
{
    size_t n = 0;
    size_t end;

    for (size_t i = find_next_function(t, 0); i < t->n; i = end) {
        uint32_t module = t->all[i].module;

        for (end = i; end < t->n && t->all[end].module == module;)
            end = find_next_function(t, end + 1);
        if (++n > PIECES_MAX)
            return text_fail(why, "the symbols of modules are not grouped by module");
        if (!symbolizer_add_binary(s, make_piece(t, i, end), 0, true, why))
            return false;
    }
    if (n == 0)
        text_str(why, "it has no functions");
    return n > 0;
}

/* A kernel that hides its addresses (kptr_restrict) prints them all as 0. */
static bool is_hidden(const struct kernel_symbols *t)
{
    return t->n == 1 && t->all[0].address == 0;
}

bool kallsyms_add(struct symbolizer *s, const char *name, struct text *why)
{
    struct kernel_symbols t = {.n = 0};
    struct input *input = input_open(name, why);
    bool ok;

    if (input == NULL)
        return false;
    ok = read_lines(&t, input, why);
    input_close(input);
    kernel_symbols_sort(&t);
    if (ok && is_hidden(&t)) {
        text_str(why, "all addresses are 0: the kernel shows them to root only");
        ok = false;
    }
    ok = ok && add_pieces(s, &t, why);
    /* The pieces refer to these names. */
    memory_release(s->kernel_names);
    s->kernel_names = t.names.data;
    t.names = (struct text){NULL, 0, 0};
    kernel_symbols_free(&t);
    return ok;
}
