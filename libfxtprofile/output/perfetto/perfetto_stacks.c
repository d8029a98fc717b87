/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of a trace of Perfetto, with their frames and mappings: see perfetto.h. */
#include "perfetto.h"

#include "libfxtprofile/output/protobuf.h"
#include "perfetto_fields.h"

/* Files are the paths of mappings and of sources, in two lists of strings. */
enum { IS_MAPPING_PATH = 1, IS_SOURCE_PATH = 2 };

/* ---- Mappings ---------------------------------------------------------------------- */

static unsigned char digit(char c)
{
    return (unsigned char)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

/* The profile has the digits in hex, and readers expect the bytes. */
static uint64_t intern_build_id(struct perfetto *f, uint32_t number)
{
    struct string id = string_table_get(&f->profile->build_ids, number);

    if (f->build_ids[number] == 0) {
        f->build_ids[number] = 1;
        f->name.size = 0;
        for (size_t i = 0; i + 1 < id.size; i += 2)
            text_char(&f->name, (char)(digit(id.data[i]) << 4 | digit(id.data[i + 1])));
        proto_value(&f->entry, ENTRY_IID, (uint64_t)number + 1);
        proto_text(&f->entry, ENTRY_STRING, &f->name);
        proto_text(&f->interned, INTERNED_BUILD_IDS, &f->entry);
    }
    return (uint64_t)number + 1;
}

static void define_mapping(struct perfetto *f, const struct profile_mapping *mapping)
{
    const struct profile *p = f->profile;
    uint64_t path = 0;
    uint64_t build_id = 0;

    if (string_table_get(&p->build_ids, mapping->build_id).size > 0)
        build_id = intern_build_id(f, mapping->build_id);
    if (string_table_get(&p->files, mapping->file).size > 0)
        path = perfetto_intern(f, f->files, IS_MAPPING_PATH, INTERNED_MAPPING_PATHS,
                               &p->files, mapping->file);
    proto_value(&f->entry, ENTRY_IID, (uint64_t)(mapping - p->mappings) + 1);
    proto_number(&f->entry, MAPPING_BUILD_ID, build_id);
    proto_number(&f->entry, MAPPING_START_OFFSET, mapping->file_offset);
    proto_number(&f->entry, MAPPING_START, mapping->start);
    proto_number(&f->entry, MAPPING_END, mapping->limit);
    proto_number(&f->entry, MAPPING_LOAD_BIAS, mapping->vaddr - mapping->file_offset);
    proto_number(&f->entry, MAPPING_PATH, path);
    proto_number(&f->entry, MAPPING_EXACT_OFFSET, mapping->file_offset);
    proto_text(&f->interned, INTERNED_MAPPINGS, &f->entry);
}

/* Older readers drop stacks with a frame that has no mapping: there is one more, which
 * has nothing but its id. */
static uint64_t intern_mapping(struct perfetto *f, uint32_t number)
{
    const struct profile *p = f->profile;

    if (number == PROFILE_NO_MAPPING)
        number = (uint32_t)p->n_mappings;
    if (f->mappings[number] == 0) {
        f->mappings[number] = 1;
        if (number < p->n_mappings) {
            define_mapping(f, &p->mappings[number]);
        } else {
            proto_value(&f->entry, ENTRY_IID, (uint64_t)number + 1);
            proto_text(&f->interned, INTERNED_MAPPINGS, &f->entry);
        }
    }
    return (uint64_t)number + 1;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* As the file's own headers have it. */
static uint64_t relative_pc(const struct profile *p,
                            const struct profile_location *location)
{
    const struct profile_mapping *mapping;

    if (location->mapping == PROFILE_NO_MAPPING)
        return location->address;
    mapping = &p->mappings[location->mapping];
    return location->address - mapping->start + mapping->vaddr;
}

/* Each line is a frame: inlined functions are frames with the same address. */
static uint64_t intern_frame(struct perfetto *f, const struct profile_location *location,
                             uint32_t line)
{
    const struct profile *p = f->profile;
    const struct profile_function *function = &p->functions[p->lines[line].function];
    uint64_t name;
    uint64_t mapping;
    uint64_t source = 0;

    if (f->lines[line] != 0)
        return (uint64_t)line + 1;
    f->lines[line] = 1;
    name = perfetto_intern(f, f->names, 1, INTERNED_FUNCTION_NAMES, &p->names,
                           function->name);
    mapping = intern_mapping(f, location->mapping);
    if (string_table_get(&p->files, function->file).size > 0)
        source = perfetto_intern(f, f->files, IS_SOURCE_PATH, INTERNED_SOURCE_PATHS,
                                 &p->files, function->file);
    proto_value(&f->entry, ENTRY_IID, (uint64_t)line + 1);
    proto_value(&f->entry, FRAME_FUNCTION_NAME, name);
    proto_value(&f->entry, FRAME_MAPPING, mapping);
    proto_value(&f->entry, FRAME_REL_PC, relative_pc(p, location));
    proto_number(&f->entry, FRAME_SOURCE_PATH, source);
    proto_number(&f->entry, FRAME_LINE, p->lines[line].line);
    proto_text(&f->interned, INTERNED_FRAMES, &f->entry);
    return (uint64_t)line + 1;
}

/* In what mode the CPU was; 0 where it is not known. */
static unsigned mode_of(const struct profile *p, const struct profile_stack *stack)
{
    const struct profile_location *leaf;

    if (profile_is_of_names(p) || stack->n == 0)
        return 0;
    leaf = &p->locations[stack->frames[0]];
    if (leaf->is_end)
        return 0;
    return profile_is_in_kernel(leaf->address) ? MODE_KERNEL : MODE_USER;
}

void perfetto_define_stack(struct perfetto *f, uint32_t number)
{
    const struct profile *p = f->profile;
    const struct profile_stack *stack = &p->stacks[number];

    f->stacks[number] = (unsigned char)(PERFETTO_DEFINED + mode_of(p, stack));
    proto_value(&f->stack, ENTRY_IID, (uint64_t)number + 1);
    /* From the root to the leaf. */
    for (uint32_t i = stack->n; i > 0; i--) {
        const struct profile_location *location = &p->locations[stack->frames[i - 1]];

        for (uint32_t j = location->n_lines; j > 0; j--)
            proto_value(&f->stack, CALLSTACK_FRAMES,
                        intern_frame(f, location, location->first_line + j - 1));
    }
    proto_text(&f->interned, INTERNED_CALLSTACKS, &f->stack);
}
