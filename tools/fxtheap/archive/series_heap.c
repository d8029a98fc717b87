/* SPDX-License-Identifier: BSD-2-Clause */
/* See series_heap.h. */
#include "series_heap.h"

#include "common/base/memory.h"

static bool is_same(struct table_amount a, struct table_amount b)
{
    return a.objects == b.objects && a.bytes == b.bytes;
}

/* A table only ever gets more stacks, with larger numbers; a damaged one may do anything.
 * So both lists are gone through in the order of numbers. */
static const struct series_stack *find_before(const struct series_heap *heap, size_t *at,
                                              uint32_t number)
{
    while (*at < heap->n_stacks && heap->stacks[*at].number < number)
        ++*at;
    return *at < heap->n_stacks && heap->stacks[*at].number == number ? &heap->stacks[*at]
                                                                      : NULL;
}

static struct table_amount add(struct table_amount a, struct table_amount b)
{
    return (struct table_amount){a.objects + b.objects, a.bytes + b.bytes};
}

static void compare(struct series_stack *now, const struct series_stack *before)
{
    static const struct series_stack none = {.number = 0};

    now->is_new = before == NULL && now->number != 0;
    if (before == NULL)
        before = &none;
    now->is_changed = !is_same(now->live, before->live) ||
                      !is_same(now->allocated, before->allocated) ||
                      now->n_temporary != before->n_temporary;
}

void series_heap_update(struct series_heap *heap, const struct table_copy *copy)
{
    size_t n = copy->n_stacks + 1;
    struct series_stack *stacks = memory_allocate(n * sizeof(*stacks));
    size_t at = 0;

    heap->live = (struct table_amount){0, 0};
    heap->allocated = (struct table_amount){0, 0};
    stacks[0].live = copy->live_without_stack;
    for (size_t i = 1; i < n; i++) {
        const struct table_stack *stack = &copy->stacks[i - 1];

        stacks[i].number = stack->number;
        stacks[i].live = stack->live;
        stacks[i].allocated =
            (struct table_amount){stack->alloc_objects, stack->alloc_bytes};
        stacks[i].n_temporary = stack->n_temporary;
    }
    for (size_t i = 0; i < n; i++) {
        compare(&stacks[i], find_before(heap, &at, stacks[i].number));
        heap->live = add(heap->live, stacks[i].live);
        heap->allocated = add(heap->allocated, stacks[i].allocated);
    }
    memory_release(heap->stacks);
    heap->stacks = stacks;
    heap->n_stacks = n;
}

void series_heap_free(struct series_heap *heap)
{
    memory_release(heap->stacks);
    heap->stacks = NULL;
    heap->n_stacks = 0;
}
