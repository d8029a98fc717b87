/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_image.h. */
#include "gdb_image.h"

#include <elf.h>

#include "common/unwind/unwind_file.h"

enum { WORD_BYTES = 8 };

/* ---- Files ------------------------------------------------------------------------- */

static enum unwind_machine machine_of(enum rsp_machine machine)
{
    switch (machine) {
    case RSP_AARCH64:
        return UNWIND_AARCH64;
    case RSP_RISCV64:
        return UNWIND_RISCV64;
    case RSP_X86_64:
    case RSP_UNKNOWN_MACHINE:
        break;
    }
    return UNWIND_X86_64;
}

/* The tables stay where they are, as the images do. */
static bool take_code(struct gdb_image *image, struct text *why)
{
    struct elf_segment segment;
    uint64_t n_rows = 0;

    for (uint64_t i = 0; elf_segment_read(&image->headers, i, &segment); i++) {
        const struct unwind_range range = {segment.vaddr,
                                           segment.vaddr + segment.file_size};
        struct unwind_table *table = &image->tables[image->n_tables];

        if (segment.type != PT_LOAD || (segment.flags & PF_X) == 0 ||
            segment.file_size > UINT64_MAX - segment.vaddr ||
            image->n_tables == GDB_IMAGE_CODE_MAX)
            continue;
        if (unwind_file_read_range(table, image->headers.file, &range,
                                   &unwind_base_allocator, why) != UNWIND_OK)
            return false;
        image->code[image->n_tables++] = (struct unwind_module){
            .start = range.start, .limit = range.limit, .table = table};
        n_rows += table->n_rows;
    }
    image->space.modules = image->code;
    image->space.n_modules =
        unwind_space_arrange(image->code, image->n_tables, 2 * GDB_IMAGE_CODE_MAX);
    if (n_rows > 0)
        return true;
    return text_fail(why, "it has neither .debug_frame nor .eh_frame");
}

static bool open_image(struct gdb_image *image, const char *name,
                       enum rsp_machine machine, struct text *why)
{
    struct file *file = file_open(name, why);

    if (file == NULL || !elf_headers_read(&image->headers, file, why)) {
        if (file != NULL)
            file_close(file);
        image->headers.file = NULL;
        return false;
    }
    image->space.machine = machine_of(machine);
    image->space.generation = 1;
    if (!image->headers.is_64 || image->headers.machine != image->space.machine)
        return text_fail(why, "it is not for %s", rsp_machine_name(machine));
    if (image->headers.type != ET_EXEC)
        return text_fail(why, "it is not linked for the addresses that it runs at");
    return take_code(image, why);
}

bool gdb_images_open(struct gdb_images *images, const char *const *names, size_t n,
                     enum rsp_machine machine, size_t *which, struct text *why)
{
    images->all = memory_allocate(n * sizeof(*images->all));
    for (*which = 0; *which < n; ++*which) {
        if (!open_image(&images->all[images->n++], names[*which], machine, why))
            return false;
    }
    return true;
}

/* ---- Code -------------------------------------------------------------------------- */

const struct gdb_image *gdb_images_find(const struct gdb_images *images, uint64_t pc)
{
    for (size_t i = 0; i < images->n; i++) {
        if (unwind_space_find(&images->all[i].space, pc) != NULL)
            return &images->all[i];
    }
    return NULL;
}

static bool read_file(const struct gdb_image *image, uint64_t address, void *to,
                      size_t size)
{
    struct elf_segment segment;

    for (uint64_t i = 0; elf_segment_read(&image->headers, i, &segment); i++) {
        if (segment.type == PT_LOAD && address >= segment.vaddr &&
            address - segment.vaddr < segment.file_size &&
            segment.file_size - (address - segment.vaddr) >= size &&
            segment.offset <= UINT64_MAX - (address - segment.vaddr))
            return file_read(image->headers.file,
                             segment.offset + (address - segment.vaddr), to, size);
    }
    return false;
}

/* The words around the PC. */
static bool is_equal(const struct gdb_image *image, struct gdb_view *view, uint64_t pc)
{
    uint64_t address = (pc & ~(uint64_t)(WORD_BYTES - 1)) - WORD_BYTES;
    unsigned char bytes[3 * WORD_BYTES];
    size_t n_equal = 0;

    for (size_t i = 0; i < sizeof(bytes); i += WORD_BYTES) {
        uint64_t word;

        if (!read_file(image, address + i, bytes, WORD_BYTES) ||
            !gdb_view_word(view, address + i, &word))
            continue;
        for (size_t j = 0; j < WORD_BYTES; j++) {
            if (bytes[j] != (word >> 8 * j & 0xff))
                return false;
        }
        n_equal++;
    }
    return n_equal >= 2;
}

const struct gdb_image *gdb_images_find_equal(const struct gdb_images *images,
                                              struct gdb_view *view, uint64_t pc)
{
    for (size_t i = 0; i < images->n; i++) {
        if (unwind_space_find(&images->all[i].space, pc) != NULL &&
            is_equal(&images->all[i], view, pc))
            return &images->all[i];
    }
    return NULL;
}

/* ---- Walks ------------------------------------------------------------------------- */

void gdb_image_registers(enum rsp_machine machine, const struct gdb_registers *from,
                         struct unwind_registers *to)
{
    const struct unwind_numbers numbers = unwind_numbers_of(machine_of(machine));

    *to = (struct unwind_registers){.pc = from->pc};
    to->known = UNWIND_KNOWS(numbers.sp) | UNWIND_KNOWS(numbers.fp);
    to->r[numbers.sp] = from->stack;
    to->r[numbers.fp] = from->frame;
    if (numbers.link < 32) {
        to->known |= UNWIND_KNOWS(numbers.link);
        to->r[numbers.link] = from->link;
    }
    if (machine != RSP_X86_64)
        return;
    to->known |= UNWIND_KNOWS(0) | UNWIND_KNOWS(1) | UNWIND_KNOWS(5) | UNWIND_KNOWS(10) |
                 UNWIND_KNOWS(13);
    to->r[0] = from->ax;
    to->r[1] = from->dx;
    to->r[5] = from->di;
    to->r[10] = from->r10;
    to->r[13] = from->r13;
}

struct walk_context {
    const struct gdb_image *image;
    struct gdb_view *view;
};

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
    struct walk_context *w = context;

    return gdb_view_word(w->view, address, word);
}

static bool read_code(void *context, const struct unwind_module *module, uint64_t address,
                      unsigned char *bytes, size_t n)
{
    struct walk_context *w = context;

    (void)module;
    return read_file(w->image, address, bytes, n);
}

uint64_t gdb_image_walk(struct gdb_images *images, const struct gdb_image *image,
                        struct gdb_view *view, const struct unwind_registers *registers,
                        uint64_t *pcs, uint64_t max_pcs)
{
    struct walk_context context = {image, view};
    const struct unwind_start start = {.space = &image->space,
                                       .registers = registers,
                                       .read_code = read_code,
                                       .read_word = read_word,
                                       .context = &context};
    struct unwind_result result;
    uint32_t n = unwind_walk(&start, pcs, (uint32_t)max_pcs, &result);

    if (!view->is_wanting)
        images->n_ends[result.end]++;
    return n;
}
