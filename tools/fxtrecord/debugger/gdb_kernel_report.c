/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_kernel.h: what is reported of the kernel and of the stacks. */
#include <inttypes.h>

#include "common/base/text.h"
#include "gdb_kernel.h"
#include "tools/common/report.h"
#include "tools/fxtrecord/record_options.h"

enum { NS_IN_MS = 1000000 };

void gdb_kernel_describe(const struct gdb_kernel *k, const char *target)
{
    const struct guest_kernel *g = &k->guest;
    const char *separator = g->release[0] != '\0' ? " " : "";

    if (g->table.n == 0) {
        complain(FXTRECORD_PROGRAM, target,
                 "Linux%s%s: %" PRIu32 " symbols were read in %" PRIu64
                 " ms; stacks are by frame pointers",
                 separator, g->release, g->n_symbols, k->read_ns / NS_IN_MS);
        return;
    }
    complain(FXTRECORD_PROGRAM, target,
             "Linux%s%s: %zu ORC entries, in the format of %s, %" PRIu32
             " symbols and %zu module%s were read in %" PRIu64 " ms",
             separator, g->release, g->table.n + g->modules.n_entries,
             orc_format_kernels(g->table.format), g->n_symbols, g->modules.n,
             text_plural(g->modules.n), k->read_ns / NS_IN_MS);
    if (g->modules.n_without > 0)
        complain(FXTRECORD_PROGRAM, target,
                 "%zu module%s without ORC entries: stacks through them may be cut",
                 g->modules.n_without, text_plural(g->modules.n_without));
}

static const char *const cut_reasons[GUEST_ENDS] = {
    [GUEST_CUT_NO_RULE] = "at code that no table describes, such as what the kernel has "
                          "generated, or at no code",
    [GUEST_CUT_MEMORY] = "at memory that cannot be read",
    [GUEST_CUT_REGISTER] = "at a frame whose register is not known",
    [GUEST_CUT_BACKWARDS] = "at a frame below the one before",
    [GUEST_CUT_LONG] = "since there are more frames",
    [GUEST_IN_FIRMWARE] = "in firmware, whose caller could not be found",
};

static void report_cuts(const struct gdb_kernel *k, const char *target)
{
    uint64_t n = 0;

    for (int i = 0; i < GUEST_ENDS; i++)
        n += k->n_ends[i];
    for (int i = 0; i < GUEST_ENDS; i++) {
        if (cut_reasons[i] != NULL && k->n_ends[i] > 0)
            complain(FXTRECORD_PROGRAM, target,
                     "%" PRIu64 " of %" PRIu64 " stacks end %s%s", k->n_ends[i], n,
                     i == GUEST_IN_FIRMWARE ? "" : "within the kernel, ", cut_reasons[i]);
    }
}

static const char *const image_ends[] = {
    [UNWIND_END_NO_RULE] = "at code that no file describes, as where a kernel begins",
    [UNWIND_END_UNREADABLE] = "at memory that cannot be read",
    [UNWIND_END_NOT_CODE] = "at a return address that is in no file's code",
    [UNWIND_END_NO_PROGRESS] = "at a frame below the one before",
    [UNWIND_END_SPECIAL_RULE] = "at a frame whose register is not known",
    [UNWIND_END_STACK_SWITCH] = "at code that switches stacks",
};

static void report_images(const struct gdb_images *images, const char *target)
{
    const size_t n_ends = sizeof(images->n_ends) / sizeof(images->n_ends[0]);
    uint64_t n = 0;

    for (size_t i = 0; i < n_ends; i++)
        n += images->n_ends[i];
    for (size_t i = 0; i < n_ends; i++) {
        if (image_ends[i] != NULL && images->n_ends[i] > 0)
            complain(FXTRECORD_PROGRAM, target,
                     "%" PRIu64 " of %" PRIu64 " stacks by the tables of --elf end %s",
                     images->n_ends[i], n, image_ends[i]);
    }
}

void gdb_kernel_report(const struct gdb_kernel *k, const char *target)
{
    report_cuts(k, target);
    report_images(&k->images, target);
    if (k->n_single <= k->n_walked / 2)
        return;
    complain(FXTRECORD_PROGRAM, target,
             "%" PRIu64 " of %" PRIu64 " stacks have one frame: the code is probably "
             "compiled without frame pointers%s%s (%s)",
             k->n_single, k->n_walked, k->why != NULL ? ", and " : "",
             k->why != NULL ? k->why : "",
             k->images.n > 0 ? "no file of --elf has it" : "see --elf");
}
