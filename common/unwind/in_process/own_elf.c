/* SPDX-License-Identifier: BSD-2-Clause */
/* See own_elf.h. */
#include "own_elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- Memory ------------------------------------------------------------------------ */

static void *allocate(void *context, size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)context;
    return memory != MAP_FAILED ? memory : NULL;
}

static void release(void *context, void *memory, size_t size)
{
    (void)context;
    munmap(memory, size);
}

const struct unwind_allocator own_allocator = {allocate, release, NULL};

/* Some filters of system calls forbid process_vm_readv, which takes one call in place of
 * three. Reading memory directly would fault where a mapping is gone or unreadable. */
static ssize_t read_own_file(void *to, uint64_t from, size_t size)
{
    long file =
        syscall(SYS_openat, (long)AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (file < 0)
        return -1;
    n = syscall(SYS_pread64, file, to, size, from);
    syscall(SYS_close, file);
    return n;
}

bool own_copy(void *to, uint64_t from, size_t size)
{
    unsigned char *at = to;

    while (size > 0) {
        struct iovec here = {at, size};
        struct iovec there = {.iov_len = size};
        ssize_t n;

        memcpy(&there.iov_base, &from, sizeof(there.iov_base));
        n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        if (n < 0 && (errno == ENOSYS || errno == EPERM))
            n = read_own_file(at, from, size);
        if (n <= 0)
            return false;
        at += n;
        from += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* ---- Program headers --------------------------------------------------------------- */

enum { PHDRS_MAX = 64 };

/* What the program headers say, in addresses of the file. */
struct image {
    Elf64_Ehdr header;
    uint64_t header_at;
    unsigned n_phdrs;
    uint64_t bias;
    uint64_t frame_header;
    uint64_t dynamic;
    /* Of the segment that has the frame header. */
    uint64_t segment;
    uint64_t segment_size;
};

static bool read_phdr(const struct image *image, unsigned i, Elf64_Phdr *phdr)
{
    return own_copy(phdr, image->header_at + image->header.e_phoff + i * sizeof(*phdr),
                    sizeof(*phdr));
}

static void take_phdr(struct image *image, const Elf64_Phdr *phdr)
{
    switch (phdr->p_type) {
    case PT_LOAD:
        if (phdr->p_offset == 0)
            image->bias = image->header_at - phdr->p_vaddr;
        break;
    case PT_GNU_EH_FRAME:
        image->frame_header = phdr->p_vaddr;
        break;
    case PT_DYNAMIC:
        image->dynamic = phdr->p_vaddr;
        break;
    }
}

static bool read_image(uint64_t header, struct image *image)
{
    const Elf64_Ehdr *h = &image->header;
    Elf64_Phdr phdr;

    memset(image, 0, sizeof(*image));
    image->header_at = header;
    if (!own_copy(&image->header, header, sizeof(image->header)) ||
        memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_phentsize != sizeof(phdr))
        return false;
    image->n_phdrs = h->e_phnum < PHDRS_MAX ? h->e_phnum : PHDRS_MAX;
    image->bias = header;
    for (unsigned i = 0; i < image->n_phdrs; i++) {
        if (!read_phdr(image, i, &phdr))
            return false;
        take_phdr(image, &phdr);
    }
    for (unsigned i = 0; i < image->n_phdrs && image->frame_header != 0; i++) {
        if (read_phdr(image, i, &phdr) && phdr.p_type == PT_LOAD &&
            image->frame_header - phdr.p_vaddr < phdr.p_filesz) {
            image->segment = phdr.p_vaddr;
            image->segment_size = phdr.p_filesz;
        }
    }
    return true;
}

/* ---- What the table does not have -------------------------------------------------- */

enum { NOTES_MAX = 16, NAME_BYTES = 4, ID_BYTES = 8, DYNAMIC_MAX = 256, INIT_BYTES = 32 };

static bool find_id_in(uint64_t at, uint64_t size, struct own_elf *elf)
{
    uint64_t end = at + size;
    Elf64_Nhdr note;

    for (unsigned i = 0; i < NOTES_MAX && at < end && end - at >= sizeof(note); i++) {
        uint64_t body = at + sizeof(note) + NAME_BYTES;

        if (!own_copy(&note, at, sizeof(note)))
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == NAME_BYTES &&
            note.n_descsz >= ID_BYTES && own_copy(&elf->id, body, sizeof(elf->id))) {
            elf->id_at = body;
            return true;
        }
        at += sizeof(note) + (note.n_namesz + UINT64_C(3)) / 4 * 4 +
              (note.n_descsz + UINT64_C(3)) / 4 * 4;
    }
    return false;
}

/* The build id distinguishes files that were loaded at the same address one after the
 * other. */
static void find_id(const struct image *image, struct own_elf *elf)
{
    Elf64_Phdr phdr;

    for (unsigned i = 0; i < image->n_phdrs; i++) {
        if (read_phdr(image, i, &phdr) && phdr.p_type == PT_NOTE &&
            find_id_in(image->bias + phdr.p_vaddr, phdr.p_filesz, elf))
            return;
    }
}

/* .init and .fini have no rows, and sections have no addresses in memory; but the dynamic
 * section has them. They are a few instructions. */
static void find_init(const struct image *image, struct unwind_table *table)
{
    uint64_t at = image->bias + image->dynamic;
    Elf64_Dyn entry;

    for (unsigned i = 0; i < DYNAMIC_MAX && image->dynamic != 0; i++) {
        if (!own_copy(&entry, at + i * sizeof(entry), sizeof(entry)) ||
            entry.d_tag == DT_NULL)
            return;
        if (entry.d_tag != DT_INIT && entry.d_tag != DT_FINI)
            continue;
        table->init[entry.d_tag == DT_FINI] =
            (struct unwind_range){entry.d_un.d_ptr, entry.d_un.d_ptr + INIT_BYTES};
    }
}

/* ---- The table --------------------------------------------------------------------- */

/* Makes the table from a copy of what there is from `low`, an address in the file, up to
 * the end of the segment. */
static bool build_from_copy(const struct image *image, uint64_t low,
                            struct unwind_table *table)
{
    size_t size = (size_t)(image->segment_size - (low - image->segment));
    unsigned char *copy = allocate(NULL, size);
    bool good;

    if (!copy)
        return false;
    good = own_copy(copy, image->bias + low, size) &&
           unwind_table_build_loaded(table, copy + (image->frame_header - low), copy,
                                     copy + size, (uint64_t)(uintptr_t)copy - low,
                                     &own_allocator) == UNWIND_OK;
    release(NULL, copy, size);
    return good;
}

/* .eh_frame follows its header, as all linkers but old ones have it; else it is somewhere
 * in the same segment. */
static uint64_t find_low(const struct image *image)
{
    unsigned char start[8];
    int32_t distance;

    if (!own_copy(start, image->bias + image->frame_header, sizeof(start)))
        return image->segment;
    memcpy(&distance, start + 4, sizeof(distance));
    return start[1] == 0x1b && distance >= 0 ? image->frame_header : image->segment;
}

bool own_elf_build(uint64_t header, struct own_elf *elf, struct unwind_table *table)
{
    struct image image;

    *elf = (struct own_elf){0};
    *table = (struct unwind_table){0};
    if (!read_image(header, &image))
        return false;
    elf->bias = image.bias;
    find_id(&image, elf);
    if (image.frame_header == 0 || image.segment_size == 0 ||
        !build_from_copy(&image, find_low(&image), table))
        return false;
    table->entry = image.header.e_entry;
    find_init(&image, table);
    return true;
}
