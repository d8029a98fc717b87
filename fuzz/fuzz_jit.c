/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the files in which JIT compilers name functions: a jitdump if they begin
 * with its magic number in either byte order, else a perf map. What is found has an
 * address, a size and a name, and some sample is in it.
 *
 * The last words of an input are the PCs of the samples.
 */
#include <string.h>

#include "common/base/memory.h"
#include "common/processes/jit/jit_files.h"
#include "target.h"

enum { N_PCS = 3 };

static bool is_dump(const uint8_t *data, size_t size)
{
    return size >= 4 && (memcmp(data, "JiTD", 4) == 0 || memcmp(data, "DTiJ", 4) == 0);
}

static bool is_sampled(const struct code_name *function, const uint64_t *pcs)
{
    for (size_t i = 0; i < N_PCS; i++) {
        if (pcs[i] >= function->start && pcs[i] - function->start <= function->size)
            return true;
    }
    return false;
}

static void check_names(const struct code_names *names, const uint64_t *pcs)
{
    for (size_t i = 0; i < names->n; i++) {
        const struct code_name *function = &names->all[i];

        require(function->size > 0, "functions have a size");
        require(function->size <= UINT64_MAX - function->start, "functions have an end");
        require(function->name < names->names.n, "functions have a name");
        require(string_table_get(&names->names, function->name).size > 0,
                "names are not empty");
        require(is_sampled(function, pcs), "a sample is in each function");
    }
}

struct input {
    const uint8_t *data;
    size_t size;
    uint64_t pcs[N_PCS];
};

static void read_input(void *context)
{
    const struct input *input = (const struct input *)context;
    struct file *file = file_from_memory(input->data, input->size);
    struct sampled_code code = {.n = 0};
    struct sampled_code sorted;
    struct code_names names = {.n = 0};

    sampled_code_add(&code, (struct fxt_words){input->pcs, N_PCS, false});
    sorted = sampled_code_sort(&code);
    if (is_dump(input->data, input->size))
        jitdump_read(file, &sorted, &names);
    else
        perf_map_read(file, &sorted, &names);
    check_names(&names, input->pcs);
    code_names_free(&names);
    sampled_code_free(&sorted);
    sampled_code_free(&code);
    file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {.data = data};

    if (size < sizeof(input.pcs))
        return 0;
    input.size = size - sizeof(input.pcs);
    memcpy(input.pcs, data + input.size, sizeof(input.pcs));
    require(memory_run(NULL, read_input, &input) == NULL, "it takes little memory");
    return 0;
}
