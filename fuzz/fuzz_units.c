/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a unit of DWARF, and as the section with its abbreviations. The last byte
 * says in which byte order, and inside which DIEs the walk goes.
 */
#include "libfxtprofile/symbols/dwarf/debug_tree.h"
#include "target.h"

static void walk(struct debug_tree *tree, unsigned how)
{
    size_t last_depth = 0;
    uint64_t last = 0;

    while (debug_tree_next(tree)) {
        const struct debug_node *node = &tree->nodes[tree->depth];

        require(tree->depth > 0 && tree->depth < DEBUG_DEPTH_MAX, "there is one unit");
        require(tree->depth <= last_depth + 1, "children are inside of their parents");
        require(node->at > last, "a walk only goes forward");
        require(node->at < tree->in.at && tree->in.at <= tree->in.end,
                "DIEs are in the unit");
        last_depth = tree->depth;
        last = node->at;
        tree->skips_children = (unsigned)node->tag % 4 < how;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct unwind_bytes bytes = {data, size, 0};
    unsigned how = size > 0 ? data[size - 1] : 0;
    struct debug_sections sections = {
        .info = bytes, .abbreviations = bytes, .is_big_endian = how % 2 == 1};

    /* Where the unit's DIE can be, by the version and the size of offsets. */
    for (uint64_t die = 11; die <= 24; die++) {
        struct debug_tree *tree = debug_tree_start(
            (struct debug_place){.sections = &sections, .header = 0, .die = die});

        walk(tree, how >> 1 & 3);
        debug_tree_free(tree);
    }
    return 0;
}
