/* SPDX-License-Identifier: BSD-2-Clause */
/* See image.h. */
#include "image.h"

#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/unwind/unwind_file.h"

/* More is not read. */
enum { PHDRS_MAX = 64, DYNAMIC_MAX = 256, SYMBOLS_MAX = 1 << 20 };
#define NAMES_SIZE_MAX (UINT64_C(1) << 26)
#define FRAMES_SIZE_MAX (UINT64_C(1) << 28)

bool image_copy(int memory, uint64_t address, void *to, size_t size)
{
    unsigned char *at = to;

    while (size > 0) {
        ssize_t n = pread(memory, at, size, (off_t)address);

        if (n <= 0)
            return false;
        at += n;
        address += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* ---- Symbols ----------------------------------------------------------------------- */

struct dynamic {
    uint64_t symbols;
    uint64_t names;
    uint64_t names_size;
};

/* glibc writes the address into the section; in a file that it has not loaded, such as
 * the vdso, the offset is there. */
static uint64_t address_of(const struct image *image, uint64_t value)
{
    return value < image->bias ? image->bias + value : value;
}

static struct dynamic read_dynamic(const struct image *image, int memory, uint64_t at)
{
    struct dynamic found = {0, 0, 0};
    Elf64_Dyn entry;

    for (unsigned i = 0; i < DYNAMIC_MAX; i++) {
        if (!image_copy(memory, at + i * sizeof(entry), &entry, sizeof(entry)) ||
            entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_SYMTAB)
            found.symbols = address_of(image, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_STRTAB)
            found.names = address_of(image, entry.d_un.d_ptr);
        else if (entry.d_tag == DT_STRSZ)
            found.names_size = entry.d_un.d_val;
    }
    return found;
}

/* The section does not say how many symbols there are; but all linkers put the names
 * after them. */
static void read_symbols(struct image *image, int memory, uint64_t at)
{
    struct dynamic d = read_dynamic(image, memory, at);
    uint64_t n = (d.names - d.symbols) / sizeof(Elf64_Sym);

    if (d.symbols == 0 || d.names <= d.symbols || n > SYMBOLS_MAX || d.names_size == 0 ||
        d.names_size > NAMES_SIZE_MAX)
        return;
    image->symbols = memory_allocate(n * sizeof(Elf64_Sym));
    image->names = memory_allocate(d.names_size + 1);
    if (!image_copy(memory, d.symbols, image->symbols, n * sizeof(Elf64_Sym)) ||
        !image_copy(memory, d.names, image->names, d.names_size))
        return;
    image->names[d.names_size] = '\0';
    image->names_size = d.names_size;
    image->n_symbols = n;
}

static bool is_named(const struct image *image, const Elf64_Sym *symbol, const char *name)
{
    return symbol->st_name < image->names_size &&
           strcmp(image->names + symbol->st_name, name) == 0;
}

struct unwind_range image_find(const struct image *image, const char *name)
{
    for (size_t i = 0; i < image->n_symbols; i++) {
        const Elf64_Sym *symbol = &image->symbols[i];
        uint64_t start = image->bias + symbol->st_value;

        if (symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
            ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && is_named(image, symbol, name))
            return (struct unwind_range){start, start + symbol->st_size};
    }
    return (struct unwind_range){0, 0};
}

bool image_mentions(const struct image *image, const char *name)
{
    for (size_t i = 0; i < image->n_symbols; i++) {
        if (is_named(image, &image->symbols[i], name))
            return true;
    }
    return false;
}

/* ---- The unwind table -------------------------------------------------------------- */

/* Of the segment that has the header of .eh_frame, which is at an address of the file. */
static void read_frames(struct image *image, int memory, uint64_t at,
                        const Elf64_Phdr *segment)
{
    uint64_t start = segment->p_vaddr;
    uint64_t size = segment->p_filesz;
    unsigned char *copy;

    if (size > FRAMES_SIZE_MAX)
        return;
    copy = memory_allocate(size);
    if (image_copy(memory, image->bias + start, copy, size))
        unwind_table_build_loaded(&image->table, copy + (at - start), copy, copy + size,
                                  (uint64_t)(uintptr_t)copy - start,
                                  &unwind_base_allocator);
    memory_release(copy);
}

/* ---- The whole --------------------------------------------------------------------- */

static void take_segments(struct image *image, int memory, const Elf64_Phdr *phdrs,
                          unsigned n, bool with_table)
{
    uint64_t frames = 0;

    image->bias = image->header;
    for (unsigned i = 0; i < n; i++) {
        if (phdrs[i].p_type == PT_LOAD && phdrs[i].p_offset == 0)
            image->bias = image->header - phdrs[i].p_vaddr;
        else if (phdrs[i].p_type == PT_GNU_EH_FRAME)
            frames = phdrs[i].p_vaddr;
    }
    for (unsigned i = 0; i < n; i++) {
        if (phdrs[i].p_type == PT_DYNAMIC && image->symbols == NULL)
            read_symbols(image, memory, image->bias + phdrs[i].p_vaddr);
        if (with_table && phdrs[i].p_type == PT_LOAD && frames != 0 &&
            image->table.n_rows == 0 && frames - phdrs[i].p_vaddr < phdrs[i].p_filesz)
            read_frames(image, memory, frames, &phdrs[i]);
    }
}

bool image_read(struct image *image, int memory, uint64_t header, bool with_table)
{
    Elf64_Ehdr h;
    Elf64_Phdr phdrs[PHDRS_MAX];

    if (!image_copy(memory, header, &h, sizeof(h)) ||
        memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    image->header = header;
    image->is_64 = h.e_ident[EI_CLASS] == ELFCLASS64;
    image->machine = h.e_machine;
    if (!image->is_64 || h.e_phentsize != sizeof(*phdrs) || h.e_phnum > PHDRS_MAX ||
        !image_copy(memory, header + h.e_phoff, phdrs, h.e_phnum * sizeof(*phdrs)))
        return true;
    take_segments(image, memory, phdrs, h.e_phnum, with_table);
    if (image->table.n_rows > 0)
        image->table.entry = h.e_entry;
    return true;
}

void image_free(struct image *image)
{
    memory_release(image->symbols);
    memory_release(image->names);
    unwind_table_free(&image->table);
    *image = (struct image){0};
}
