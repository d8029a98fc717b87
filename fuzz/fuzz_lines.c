/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a line table of DWARF, and as the sections of its strings. The last byte
 * says in which byte order.
 */
#include <string.h>

#include "libfxtprofile/symbols/dwarf/debug_line_table.h"
#include "pooled.h"

enum { N_ADDRESSES = 512, STEP = 8, MAX_FILES = 300 };

static void look_up(struct debug_line_table *table, const struct debug_wanted *wanted)
{
    for (size_t i = 0; i < wanted->n_addresses; i++) {
        struct debug_line line = {0, 0};
        struct debug_line again = {1, 1};

        if (!debug_line_table_find(table, wanted, wanted->addresses[i], &line))
            continue;
        require(debug_line_table_find(table, wanted, wanted->addresses[i], &again) &&
                    line.file == again.file && line.line == again.line,
                "a row is found again");
        debug_line_table_file(table, line.file);
    }
    for (uint64_t i = 0; i < MAX_FILES; i++) {
        const char *path = debug_line_table_file(table, i);

        require(path == NULL || path[0] == '/', "paths are whole");
        require(path == debug_line_table_file(table, i), "paths stay where they are");
    }
    require(debug_line_table_file(table, UINT64_MAX) == NULL, "there is no such file");
}

static void run(void *context)
{
    const struct fuzz_input *in = context;
    struct unwind_bytes bytes = {in->data, in->size, 0};
    struct debug_sections sections = {
        .lines = bytes,
        .strings = bytes,
        .line_strings = bytes,
        .is_big_endian = in->size > 0 && in->data[in->size - 1] % 2 == 1,
    };
    struct elf elf = {.image = {.code = {{0, N_ADDRESSES * STEP, 0}}, .n_code = 1}};
    uint64_t addresses[N_ADDRESSES];
    struct debug_wanted wanted = {
        .elf = &elf, .addresses = addresses, .n_addresses = N_ADDRESSES};
    struct debug_line_table table;

    for (size_t i = 0; i < N_ADDRESSES; i++)
        addresses[i] = i * STEP;
    debug_line_table_read(&table, &sections, 0, "/c");
    look_up(&table, &wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_pooled(run, data, size);
    return 0;
}
