/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the table of a process: what is read of it must hold together, whatever is
 * in it.
 */
#include <string.h>

#include "libfxtheap/shared/layout.h"
#include "target.h"
#include "tools/fxtheap/table/table_file.h"
#include "tools/fxtheap/table/table_peak.h"

static void check_head(const struct table_head *head)
{
    require(memchr(head->name, '\0', sizeof(head->name)) != NULL, "names end");
    require(memchr(head->program, '\0', sizeof(head->program)) != NULL, "programs end");
}

static void check_blocks(const struct table_copy *copy)
{
    uint64_t end = 0;

    for (size_t i = 0; i < copy->n_blocks; i++) {
        const struct table_block *block = &copy->blocks[i];

        require(block->address != 0, "blocks have addresses");
        require(block->address >= end, "blocks do not overlap");
        require(block->size <= HEAP_ADDRESS_END - block->address, "blocks have an end");
        require(block->stack == TABLE_NO_STACK || block->stack < copy->n_stacks,
                "stacks are there");
        end = block->address + (block->size > 0 ? block->size : 1);
    }
}

static void check_stacks(const struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_stacks; i++) {
        const struct table_stack *stack = &copy->stacks[i];

        require(i == 0 || copy->stacks[i - 1].number < stack->number,
                "stacks are sorted");
        require(stack->n_pcs > 0 && stack->n_pcs <= HEAP_DEPTH_MAX, "stacks have PCs");
        require(stack->first_pc <= copy->n_pcs &&
                    stack->n_pcs <= copy->n_pcs - stack->first_pc,
                "PCs are there");
    }
}

static void check_threads(const struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_threads; i++) {
        const struct table_thread *thread = &copy->threads[i];

        require(thread->thread != 0, "threads have ids");
        require(memchr(thread->name, '\0', sizeof(thread->name)) != NULL, "names end");
    }
}

static void check_amount(struct table_amount amount)
{
    require(amount.objects > 0 || amount.bytes == 0, "bytes are of blocks");
    require(amount.objects < HEAP_ADDRESS_END && amount.bytes < HEAP_ADDRESS_END,
            "sums of amounts have 64 bits");
}

static void check_peak(struct file *file)
{
    struct table_copy copy = {.n_blocks = 0};
    struct text why = {NULL, 0, 0};

    if (table_read_peak(file, &copy, &why)) {
        require(copy.is_of_peak && copy.n_blocks == 0, "a peak has no single blocks");
        check_head(&copy.head);
        check_stacks(&copy);
        check_amount(copy.without_stack);
        for (size_t i = 0; i < copy.n_stacks; i++)
            check_amount(copy.stacks[i].at_peak);
    } else {
        require(why.size > 0, "a failure has a reason");
    }
    table_copy_free(&copy);
    text_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file *file = file_from_memory(data, size);
    struct table_copy copy = {.n_blocks = 0};
    struct table_head head;
    struct text why = {NULL, 0, 0};
    bool has_head = table_read_head(file, &head, &why);

    if (has_head)
        check_head(&head);
    if (table_read(file, &copy, &why)) {
        require(has_head, "what can be read has a head");
        check_head(&copy.head);
        check_blocks(&copy);
        check_stacks(&copy);
        check_threads(&copy);
    } else {
        require(why.size > 0, "a failure has a reason");
    }
    table_copy_free(&copy);
    text_free(&why);
    check_peak(file);
    file_close(file);
    return 0;
}
