/* SPDX-License-Identifier: BSD-2-Clause */
/* The words for how stacks end; see fxt/sample.h. */
#include <fxt/sample.h>

#include <stddef.h>

static const struct {
    const char *name;
    const char *message;
} ends[] = {
    [FXT_STACK_END_UNKNOWN] = {"unknown", "unknown reason"},
    [FXT_STACK_END_OUTERMOST] = {"whole", "whole"},
    [FXT_STACK_END_DEPTH] = {"depth_limit", "depth limit"},
    [FXT_STACK_END_NO_TABLE] = {"no_table", "no unwind table"},
    [FXT_STACK_END_UNREADABLE] = {"unreadable", "unreadable stack"},
    [FXT_STACK_END_COPY_TOO_SHORT] = {"copy_too_short", "copy of the stack too short"},
    [FXT_STACK_END_NOT_CODE] = {"not_code", "return address not in code"},
    [FXT_STACK_END_NO_PROGRESS] = {"no_progress", "damaged stack"},
    [FXT_STACK_END_SPECIAL_RULE] = {"special_rule", "unsupported unwind rule"},
    [FXT_STACK_END_STACK_SWITCH] = {"stack_switch", "switch of stacks"},
    [FXT_STACK_END_NO_STACK] = {"no_stack", "exec or exit"},
    [FXT_STACK_END_NOT_SAMPLED] = {"not_sampled", "not sampled"},
};

static bool is_known(uint32_t end)
{
    return end < sizeof(ends) / sizeof(ends[0]);
}

const char *fxt_stack_end_name(uint32_t end)
{
    return is_known(end) ? ends[end].name : NULL;
}

const char *fxt_stack_end_message(uint32_t end)
{
    return ends[is_known(end) ? end : FXT_STACK_END_UNKNOWN].message;
}
