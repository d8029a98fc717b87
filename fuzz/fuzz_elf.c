/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an ELF file: its segments, its build id, its symbols and stubs, which must
 * be in order and inside its code, and its functions without symbols, which must be in
 * order.
 */
#include <string.h>

#include "common/base/sort.h"
#include "libfxtprofile/symbols/elf_file.h"
#include "libfxtprofile/symbols/functions/elf_functions.h"
#include "target.h"

static void check_symbols(const struct elf *elf, const struct elf_symbols *symbols)
{
    uint64_t last = 0;

    for (size_t i = 0; i < symbols->n; i++)
        require(strlen(symbols->all[i].name) > 0, "symbols have names");
    for (size_t i = 0; i < symbols->ranges.n; i++) {
        const struct range *range = &symbols->ranges.items[i];
        const struct elf_symbol *symbol = &symbols->all[range->item];

        require(range->start >= last, "symbols are sorted and do not overlap");
        require(range->limit > range->start, "symbols have addresses");
        require(range->item < symbols->n, "addresses have symbols");
        require(elf_symbols_find(symbols, range->start) == symbol, "symbols are found");
        require(elf_symbols_find(symbols, range->limit - 1) == symbol, "to their ends");
        require(elf_image_find_code(&elf->image, range->start) != NULL,
                "symbols are in code");
        last = range->limit;
    }
}

/* They are read at the first address in a section of them. */
static void check_stubs(struct file *file, struct elf *elf)
{
    elf_read_stubs_at(elf, file, 0);
    for (size_t i = 0; i < elf->stubs.sections.n; i++)
        elf_read_stubs_at(elf, file, elf->stubs.sections.items[i].start);
    check_symbols(elf, &elf->stubs.symbols);
}

static void check_list(const struct elf_functions *functions)
{
    const struct unwind_function_list *list = &functions->list;
    struct elf_function found;
    uint64_t last = 0;

    for (size_t i = 0; i < list->n; i++) {
        const struct unwind_listed *function = &list->items[i];

        require(function->start >= last, "functions are sorted and do not overlap");
        require(function->limit > function->start, "functions have addresses");
        require(function->name == UNWIND_LIST_NO_NAME ||
                    function->name < list->names.size,
                "names are there");
        require(elf_functions_find(functions, function->limit - 1, &found) &&
                    found.start == functions->owners[i],
                "functions are found to their ends");
        require(found.name == NULL || strlen(found.name) < list->names.size, "names end");
        last = function->limit;
    }
}

static void check_functions(struct file *file, const struct elf *elf)
{
    /* The first function; the first part, if there is one; and what no file has. */
    uint64_t wanted[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX};

    for (size_t n = 0; n <= 3; n++) {
        struct elf_functions functions = {.owners = NULL};

        elf_functions_read(&functions, file, &elf->image,
                           &(struct elf_wanted){wanted, n, &elf->symbols, n == 2});
        check_list(&functions);
        for (size_t i = functions.list.n; n == 0 && i-- > 0;)
            wanted[functions.list.items[i].is_part] = functions.list.items[i].start;
        sort_numbers(wanted, 3);
        elf_functions_free(&functions);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file *file = file_from_memory(data, size);
    struct text why = {NULL, 0, 0};
    struct elf elf;

    if (elf_read(&elf, file, &why)) {
        require(elf.image.n_code > 0 && elf.image.n_code <= ELF_CODE_MAX,
                "there is code");
        require(elf.image.build_id_size <= ELF_BUILD_ID_MAX, "build ids have a size");
        require(strlen(elf.debug_link) < ELF_DEBUG_LINK_MAX, "links end");
        check_symbols(&elf, &elf.symbols);
        check_stubs(file, &elf);
        check_functions(file, &elf);
        elf_free(&elf);
    } else {
        require(why.size > 0, "a failure has a reason");
    }
    text_free(&why);
    file_close(file);
    return 0;
}
