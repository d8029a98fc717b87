/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_tables.h. */
#include "perf_tables.h"

#include <string.h>

#include "common/elf/elf_headers.h"
#include "common/base/memory.h"
#include "common/unwind/unwind_file.h"

/* A table takes a few milliseconds for as many megabytes. */
enum { LARGE_BYTES = 1 << 19, PAGE_BYTES = 4096 };

/* ---- Files ------------------------------------------------------------------------- */

/* A file system may use an inode's number again, with another generation; /proc has no
 * generations. */
static bool is_same_inode(const struct mapped_file *a, const struct mapped_file *b)
{
    const struct file_identity *x = &a->identity;
    const struct file_identity *y = &b->identity;

    return x->inode != 0 && x->inode == y->inode && x->device_major == y->device_major &&
           x->device_minor == y->device_minor &&
           (x->generation == y->generation || x->generation == 0 || y->generation == 0);
}

static bool is_same_build(const struct mapped_file *a, const struct mapped_file *b)
{
    return a->has_reported_id && b->has_reported_id &&
           a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/*
 * The kernel reports a path in the process's root directory, which may not be ours, and
 * the process that mapped the file may have ended before the file was opened. If another
 * process has mapped it, under whatever name, then that one's file is used.
 */
static uint32_t find_open(const struct perf_tables *tables, uint32_t number)
{
    const struct mapped_file *file = &tables->files.all[number];

    for (uint32_t i = 0; file->file == NULL && i < tables->files.n; i++) {
        const struct mapped_file *other = &tables->files.all[i];

        if (other->file != NULL &&
            (is_same_inode(file, other) || is_same_build(file, other)))
            return i;
    }
    return number;
}

uint32_t perf_tables_add(struct perf_tables *tables, const struct file_mapping *mapping)
{
    uint32_t file = mapped_files_add(&tables->files, mapping);

    while (tables->n < tables->files.n) {
        MEMORY_ADD(tables->all, tables->n, tables->capacity, (struct perf_table){0});
    }
    return find_open(tables, file);
}

bool perf_tables_is_large(const struct perf_tables *tables, uint32_t file)
{
    const struct mapped_file *mapped = &tables->files.all[file];

    return !tables->all[file].is_built && mapped->file != NULL &&
           file_size(mapped->file) >= LARGE_BYTES;
}

/* ---- Building ---------------------------------------------------------------------- */

/* The same file under another name, or reported by its build id and from /proc. */
static const struct perf_table *find_same(const struct perf_tables *tables,
                                          const struct stat *identity)
{
    for (size_t i = 0; i < tables->n; i++) {
        const struct stat *other = &tables->all[i].identity;

        if (tables->all[i].is_built && identity->st_ino != 0 &&
            identity->st_ino == other->st_ino && identity->st_dev == other->st_dev &&
            identity->st_size == other->st_size &&
            identity->st_mtim.tv_sec == other->st_mtim.tv_sec &&
            identity->st_mtim.tv_nsec == other->st_mtim.tv_nsec)
            return &tables->all[i];
    }
    return NULL;
}

/* Go keeps frame records, and so does what is mapped from a file that is no program: a
 * compiler at run time made it. */
static bool keeps_frames(struct file *file, bool is_image)
{
    struct elf_headers headers;
    struct elf_section section;
    struct text ignored = {NULL, 0, 0};
    bool is_elf = elf_headers_read(&headers, file, &ignored);

    text_free(&ignored);
    if (!is_elf)
        return !is_image;
    return elf_section_find(&headers, ".gopclntab", &section);
}

static void read_table(struct perf_table *table, struct file *file)
{
    struct unwind_table *made = memory_allocate(sizeof(*made));

    if (unwind_file_read(made, file, &unwind_base_allocator, NULL) == UNWIND_OK &&
        made->machine == UNWIND_THIS_MACHINE)
        table->table = made;
    else
        unwind_table_free(made);
    if (table->table == NULL)
        memory_release(made);
}

void perf_tables_build(struct perf_tables *tables, uint32_t number)
{
    struct mapped_file *mapped = &tables->files.all[number];
    struct perf_table *table = &tables->all[number];
    const struct perf_table *same;
    bool is_image;

    /* It may be opened for the next process that maps it. */
    if (table->is_built || mapped->file == NULL)
        return;
    is_image = mapped_file_read_image(mapped);
    table->flags = keeps_frames(mapped->file, is_image) ? UNWIND_KEEPS_FRAMES : 0;
    if (fstat(file_descriptor(mapped->file), &table->identity) != 0)
        table->identity = (struct stat){0};
    same = find_same(tables, &table->identity);
    if (same != NULL)
        table->table = same->table;
    else if (is_image)
        read_table(table, mapped->file);
    table->is_built = true;
}

/* ---- Code -------------------------------------------------------------------------- */

static bool find_offset(const struct mapped_file *mapped, uint64_t address,
                        uint64_t *offset)
{
    for (size_t i = 0; i < mapped->n_code; i++) {
        const struct elf_code *code = &mapped->code[i];

        if (address < code->vaddr || address >= code->limit)
            continue;
        *offset = code->offset + (address - code->vaddr);
        return true;
    }
    return false;
}

static const struct perf_code_page *find_page(struct perf_tables *tables, uint32_t file,
                                              uint64_t offset)
{
    struct perf_code_page *page =
        &tables->pages[(offset / PAGE_BYTES + file) % PERF_CODE_PAGES];
    struct file *from = tables->files.all[file].file;
    uint64_t size;
    uint64_t left;

    if (page->is_read && page->file == file && page->offset == offset)
        return page;
    size = file_size(from);
    left = offset < size ? size - offset : 0;
    memset(page->bytes, 0, sizeof(page->bytes));
    page->is_read = file_read(from, offset, page->bytes,
                              left < PAGE_BYTES ? (size_t)left : PAGE_BYTES);
    page->file = file;
    page->offset = offset;
    return page->is_read ? page : NULL;
}

bool perf_tables_read_code(struct perf_tables *tables, uint32_t file, uint64_t address,
                           unsigned char *bytes, size_t n)
{
    const struct mapped_file *mapped = &tables->files.all[file];
    const struct perf_code_page *page;
    uint64_t offset;

    if (mapped->file == NULL || !find_offset(mapped, address, &offset))
        return false;
    for (size_t i = 0; i < n; i++, offset++) {
        page = find_page(tables, file, offset / PAGE_BYTES * PAGE_BYTES);
        if (page == NULL)
            return false;
        bytes[i] = page->bytes[offset % PAGE_BYTES];
    }
    return true;
}
