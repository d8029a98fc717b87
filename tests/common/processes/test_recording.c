/* SPDX-License-Identifier: BSD-2-Clause */
/* What is found in a recording's regions. */
#include <string.h>

#include <fxt/emit.h>

#include "tests/support/pooled.h"
#include "common/processes/recording.h"

enum { REGION_WORDS = 1 << 13, PROCESS = 0x7ffffff0 };

static uint64_t words[REGION_WORDS];

static struct recording recording;
static struct filled_regions block;

static void survey(bool is_in_kernel)
{
    static const uint64_t pcs[] = {UINT64_C(0xffffffff81000010),
                                   UINT64_C(0x00007f0000001000)};
    struct fxt_emit emit;

    process_table_process(&recording.table, PROCESS)->is_in_kernel = is_in_kernel;
    fxt_emit_init(&emit, words, sizeof(words));
    fxt_emit_stack(&emit, 1000, PROCESS, PROCESS, pcs, 2, FXT_STACK_END_OUTERMOST);
    filled_regions_add(&block, (struct filled_region){.data = words,
                                                      .size = sizeof(words),
                                                      .n_reported = UINT64_MAX});
    recording_add_block(&recording, &block);
}

/* Returns whether the process is one that was in the kernel, after the survey. */
static bool survey_one(bool is_in_kernel)
{
    memset(words, 0, sizeof(words));
    memset(&recording, 0, sizeof(recording));
    memset(&block, 0, sizeof(block));
    survey(is_in_kernel);
    CHECK(recording.n_samples == 1, "%d samples", (int)recording.n_samples);
    CHECK(recording.table.processes.n == 1, "not one process");
    return recording.table.processes.all[0].is_in_kernel;
}

POOLED_TEST(recording, a_pc_does_not_say_that_a_process_was_in_the_kernel)
{
    CHECK(!survey_one(false), "by its address");
}

POOLED_TEST(recording, a_process_stays_one_that_was_in_the_kernel)
{
    CHECK(survey_one(true), "not any more");
}

/* ---- Regions ----------------------------------------------------------------------- */

/* The words of a sample beside its PCs. */
enum { SAMPLE_WORDS = 16 };

static const uint64_t depths[] = {1, 63, 64, 65, 127, 255, 256, 1023, 1024};

enum { N_DEPTHS = sizeof(depths) / sizeof(depths[0]) };

POOLED_TEST(recording, stacks_of_any_depth_are_counted_with_their_ends)
{
    static uint64_t pcs[1024];
    struct fxt_emit emit;

    memset(&recording, 0, sizeof(recording));
    memset(&block, 0, sizeof(block));
    for (unsigned i = 0; i < 1024; i++)
        pcs[i] = 0x1000 + i;
    fxt_emit_init(&emit, words, sizeof(words));
    for (unsigned i = 0; i < N_DEPTHS; i++)
        CHECK(fxt_emit_stack(&emit, i, PROCESS, PROCESS, pcs, depths[i],
                             depths[i] == 1024 ? FXT_STACK_END_DEPTH
                                               : FXT_STACK_END_OUTERMOST),
              "no room for %u PCs", (unsigned)depths[i]);
    filled_regions_add(&block, (struct filled_region){.data = words,
                                                      .size = sizeof(words),
                                                      .n_reported = N_DEPTHS});
    recording_add_block(&recording, &block);
    CHECK(block.all[0].used == emit.pos * 8, "%u of %u bytes",
          (unsigned)block.all[0].used, (unsigned)emit.pos * 8);
    CHECK(recording.n_samples == N_DEPTHS && recording.n_damaged == 0, "%u samples",
          (unsigned)recording.n_samples);
    CHECK(recording.ends.counts[FXT_STACK_END_OUTERMOST] == N_DEPTHS - 1, "whole ones");
    CHECK(recording.ends.counts[FXT_STACK_END_DEPTH] == 1, "cut ones");
}

static struct fxt_emit fill_region(uint64_t n_pcs)
{
    static const uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    struct fxt_emit emit;

    memset(words, 0, sizeof(words));
    fxt_emit_init(&emit, words, sizeof(words));
    while (fxt_emit_stack(&emit, 1, PROCESS, PROCESS, pcs, n_pcs, FXT_STACK_END_DEPTH))
        continue;
    return emit;
}

/* Processes that sample themselves, and may be killed, do so by signals. */
TEST(recording, a_region_that_may_have_dropped_a_sample_by_signals_is_full)
{
    for (uint64_t n_pcs = 1; n_pcs <= FXT_SAMPLER_PCS_MAX; n_pcs++) {
        struct fxt_emit emit = fill_region(n_pcs);
        struct filled_region region = {.size = sizeof(words), .used = emit.pos * 8};

        CHECK(filled_region_is_full(&region), "with %u PCs", (unsigned)n_pcs);
        region.size += (FXT_SAMPLER_PCS_MAX + SAMPLE_WORDS) * 8;
        CHECK(!filled_region_is_full(&region), "with room");
    }
}
