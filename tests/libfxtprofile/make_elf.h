/* SPDX-License-Identifier: BSD-2-Clause */
/* A small ELF file of either class and byte order, made by hand. */
#ifndef TESTS_LIBFXTPROFILE_MAKE_ELF_H
#define TESTS_LIBFXTPROFILE_MAKE_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where things are in the file. Code is 0x1000 bytes at address 0x401000 (offset 0x1000),
 * data as much at 0x402000; sections 1 and 2 are these. There is room for 8 sections. */
enum {
    MADE_SEGMENTS = 0x40,
    MADE_NOTE = 0x100,
    MADE_SECTIONS = 0x200,
    MADE_STRINGS = 0x400,
    MADE_STRINGS_SIZE = 0x400,
    MADE_SYMBOLS = 0x800,
    MADE_SIZE = 0x3000,
    MADE_BASE = 0x400000,
    MADE_CODE = 0x401000,
    MADE_CODE_LIMIT = 0x402000,
    MADE_CODE_SECTION = 1,
    MADE_DATA_SECTION = 2
};

struct made_elf {
    unsigned char bytes[MADE_SIZE];
    bool is_64;
    bool is_big;
    size_t n_symbols;
    size_t string_table_size;
};

static inline void made_put(struct made_elf *m, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        m->bytes[at + (m->is_big ? size - 1 - i : i)] = (unsigned char)(value >> 8 * i);
}

/* A field of a struct of <elf.h>, which has the same name in both classes. */
#define MADE_FIELD(m, at, type, field, value)                                            \
    do {                                                                                 \
        if ((m)->is_64)                                                                  \
            made_put(m, (at) + offsetof(Elf64_##type, field), value,                     \
                     sizeof(((Elf64_##type *)0)->field));                                \
        else                                                                             \
            made_put(m, (at) + offsetof(Elf32_##type, field), value,                     \
                     sizeof(((Elf32_##type *)0)->field));                                \
    } while (0)

#define MADE_SIZEOF(m, type) ((m)->is_64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

static inline void made_segment(struct made_elf *m, size_t index, uint32_t type,
                                uint32_t flags, uint64_t offset, uint64_t vaddr,
                                uint64_t size)
{
    size_t at = MADE_SEGMENTS + index * MADE_SIZEOF(m, Phdr);

    MADE_FIELD(m, at, Phdr, p_type, type);
    MADE_FIELD(m, at, Phdr, p_flags, flags);
    MADE_FIELD(m, at, Phdr, p_offset, offset);
    MADE_FIELD(m, at, Phdr, p_vaddr, vaddr);
    MADE_FIELD(m, at, Phdr, p_filesz, size);
    MADE_FIELD(m, at, Phdr, p_memsz, size);
    MADE_FIELD(m, at, Phdr, p_align, 4);
}

static inline void made_section(struct made_elf *m, size_t index, uint32_t type,
                                uint64_t flags, uint64_t offset, uint64_t size,
                                uint32_t link)
{
    size_t at = MADE_SECTIONS + index * MADE_SIZEOF(m, Shdr);

    MADE_FIELD(m, at, Shdr, sh_type, type);
    MADE_FIELD(m, at, Shdr, sh_flags, flags);
    MADE_FIELD(m, at, Shdr, sh_addr, flags & SHF_ALLOC ? MADE_BASE + offset : 0);
    MADE_FIELD(m, at, Shdr, sh_offset, offset);
    MADE_FIELD(m, at, Shdr, sh_size, size);
    MADE_FIELD(m, at, Shdr, sh_link, link);
}

static inline void made_header(struct made_elf *m)
{
    memcpy(m->bytes, ELFMAG, SELFMAG);
    m->bytes[EI_CLASS] = m->is_64 ? ELFCLASS64 : ELFCLASS32;
    m->bytes[EI_DATA] = m->is_big ? ELFDATA2MSB : ELFDATA2LSB;
    m->bytes[EI_VERSION] = EV_CURRENT;
    MADE_FIELD(m, 0, Ehdr, e_type, ET_EXEC);
    MADE_FIELD(m, 0, Ehdr, e_machine, EM_X86_64);
    MADE_FIELD(m, 0, Ehdr, e_phoff, MADE_SEGMENTS);
    MADE_FIELD(m, 0, Ehdr, e_phentsize, MADE_SIZEOF(m, Phdr));
    MADE_FIELD(m, 0, Ehdr, e_phnum, 3);
    MADE_FIELD(m, 0, Ehdr, e_shoff, MADE_SECTIONS);
    MADE_FIELD(m, 0, Ehdr, e_shentsize, MADE_SIZEOF(m, Shdr));
    MADE_FIELD(m, 0, Ehdr, e_shnum, 5);
}

/* A note with a build id of four bytes, after one that is none. */
static inline void made_notes(struct made_elf *m)
{
    static const unsigned char id[] = {0xde, 0xad, 0xbe, 0xef};

    made_put(m, MADE_NOTE, 4, 4);
    made_put(m, MADE_NOTE + 4, 5, 4);
    made_put(m, MADE_NOTE + 8, 1, 4);
    memcpy(m->bytes + MADE_NOTE + 12, "Foo", 4);
    made_put(m, MADE_NOTE + 24, 4, 4);
    made_put(m, MADE_NOTE + 28, 4, 4);
    made_put(m, MADE_NOTE + 32, NT_GNU_BUILD_ID, 4);
    memcpy(m->bytes + MADE_NOTE + 36, "GNU", 4);
    memcpy(m->bytes + MADE_NOTE + 40, id, 4);
}

static inline void made_symbol(struct made_elf *m, const char *name, unsigned char type,
                               unsigned char binding, uint16_t section, uint64_t value,
                               uint64_t size)
{
    size_t at = MADE_SYMBOLS + m->n_symbols * MADE_SIZEOF(m, Sym);

    MADE_FIELD(m, at, Sym, st_name, m->string_table_size);
    MADE_FIELD(m, at, Sym, st_info, ELF64_ST_INFO(binding, type));
    MADE_FIELD(m, at, Sym, st_shndx, section);
    MADE_FIELD(m, at, Sym, st_value, value);
    MADE_FIELD(m, at, Sym, st_size, size);
    strcpy((char *)m->bytes + MADE_STRINGS + m->string_table_size, name);
    m->string_table_size += strlen(name) + 1;
    m->n_symbols++;
    made_section(m, 3, SHT_SYMTAB, 0, MADE_SYMBOLS, m->n_symbols * MADE_SIZEOF(m, Sym),
                 4);
}

static inline void made_function(struct made_elf *m, const char *name, uint64_t value,
                                 uint64_t size)
{
    made_symbol(m, name, STT_FUNC, STB_GLOBAL, MADE_CODE_SECTION, value, size);
}

static inline void made_label(struct made_elf *m, const char *name, uint64_t value)
{
    made_symbol(m, name, STT_NOTYPE, STB_LOCAL, MADE_CODE_SECTION, value, 0);
}

static inline void made_start(struct made_elf *m, bool is_64, bool is_big)
{
    memset(m, 0, sizeof(*m));
    m->is_64 = is_64;
    m->is_big = is_big;
    m->string_table_size = 1;
    made_header(m);
    made_notes(m);
    made_segment(m, 0, PT_NOTE, PF_R, MADE_NOTE, 0, 44);
    made_segment(m, 1, PT_LOAD, PF_R | PF_X, 0x1000, MADE_CODE, 0x1000);
    made_segment(m, 2, PT_LOAD, PF_R | PF_W, 0x2000, MADE_CODE_LIMIT, 0x1000);
    made_section(m, MADE_CODE_SECTION, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
                 0x1000, 0);
    made_section(m, MADE_DATA_SECTION, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000,
                 0x1000, 0);
    made_section(m, 4, SHT_STRTAB, 0, MADE_STRINGS, MADE_STRINGS_SIZE, 0);
}

#endif
