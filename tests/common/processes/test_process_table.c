/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings that take turns at an address: all their times are kept as long as samples may
 * need them, and no longer. */
#include <string.h>
#include <unistd.h>

#include <fxt/format.h>

#include "tests/support/pooled.h"
#include "common/processes/process_forget.h"
#include "common/processes/process_table.h"

enum { PROCESS = 0x7ffffff0, TURNS = 100 };

static struct process_table table;

static void map(const char *name, uint64_t since_ns)
{
    process_table_map(&table, &(struct file_mapping){
                                  .process = PROCESS,
                                  .start = 0x7f0000001000,
                                  .length = 0x1000,
                                  .flags = FXT_MAPPING_READ | FXT_MAPPING_EXECUTE,
                                  .name = name,
                                  .since_ns = since_ns,
                              });
}

static struct process_entry *process(void)
{
    return process_table_process(&table, PROCESS);
}

static void take_turns(void)
{
    for (uint64_t i = 1; i <= TURNS; i++)
        map(i % 2 != 0 ? "/none/left.so" : "/none/right.so", i);
}

POOLED_TEST(process_table, mappings_that_take_turns_keep_their_times)
{
    table = (struct process_table){0};
    take_turns();
    CHECK(process()->n_mappings == TURNS, "%u", (unsigned)process()->n_mappings);
    for (uint64_t i = 0; i < process()->n_mappings; i++)
        CHECK(process()->mappings[i].since_ns == i + 1, "time %u", (unsigned)i);
}

POOLED_TEST(process_table, a_mapping_that_is_still_there_is_not_another_one)
{
    table = (struct process_table){0};
    for (uint64_t i = 1; i <= TURNS; i++)
        map("/none/left.so", i % 2 != 0 ? i : 0);
    CHECK(process()->n_mappings == 1, "%u", (unsigned)process()->n_mappings);
    CHECK(process()->mappings[0].since_ns == 1, "not the first time");
}

/* The second half of the turns is new. */
POOLED_TEST(process_table, of_what_was_written_the_last_is_kept)
{
    table = (struct process_table){0};
    take_turns();
    process()->n_mappings_written = TURNS;
    map("/none/left.so", TURNS + 1);
    map("/none/right.so", TURNS + 2);
    CHECK(process()->n_mappings == 2, "%u", (unsigned)process()->n_mappings);
    CHECK(process()->n_mappings_written == 0, "a new one is written");
}

POOLED_TEST(process_table, what_was_replaced_long_ago_is_dropped)
{
    table = (struct process_table){0};
    take_turns();
    process_entry_drop_replaced(process(), TURNS / 2 + 1);
    CHECK(process()->n_mappings == TURNS / 2 + 1, "%u", (unsigned)process()->n_mappings);
    CHECK(process()->mappings[0].since_ns == TURNS / 2, "the one of then");
}

/* The kernel's event of it, which was before that, may follow. */
POOLED_TEST(process_table, a_mapping_that_proc_has_again_has_come_back)
{
    table = (struct process_table){0};
    map("/none/left.so", 1);
    map("/none/right.so", 2);
    map("/none/left.so", 0);
    CHECK(process()->n_mappings == 3, "%u", (unsigned)process()->n_mappings);
    CHECK(process()->mappings[2].since_ns > 3, "not by now");
    map("/none/left.so", 3);
    CHECK(process()->n_mappings == 3, "%u", (unsigned)process()->n_mappings);
    CHECK(process()->mappings[2].since_ns == 3, "not since the event");
}

POOLED_TEST(process_table, what_is_left_when_others_are_forgotten_is_found)
{
    struct stack_ends ends = {0};
    struct process_entry *here;

    table = (struct process_table){0};
    process();
    here = process_table_process(&table, getpid());
    here->is_named = true;
    process_table_forget(&table, &ends, 1, 0);
    CHECK(table.processes.n == 2, "%u before", (unsigned)table.processes.n);
    process_table_forget(&table, &ends, 3, 2);
    CHECK(table.processes.n == 1, "%u left", (unsigned)table.processes.n);
    CHECK(process_table_process(&table, getpid())->is_named, "another one");
    CHECK(table.processes.n == 1, "%u at the end", (unsigned)table.processes.n);
}
