/* SPDX-License-Identifier: BSD-2-Clause */
/* See binary.h. */
#include "binary.h"

#include <string.h>

#include "common/base/sort.h"
#include "demangle.h"

static char *hex_of(const unsigned char *bytes, size_t size)
{
    struct text hex = {NULL, 0, 0};

    text_hex_bytes(&hex, bytes, size);
    text_char(&hex, '\0');
    return hex.data;
}

struct binary *binary_read(const char *name, struct file *file, struct text *why)
{
    struct binary *binary;
    struct elf elf;
    bool ok = elf_read(&elf, file, why);

    file_close(file);
    if (!ok)
        return NULL;
    binary = (struct binary *)memory_allocate(sizeof(*binary));
    *binary = (struct binary){
        .name = memory_copy_string(name),
        .build_id = hex_of(elf.image.build_id, elf.image.build_id_size),
        .elf = elf,
    };
    return binary;
}

struct binary *binary_open(const char *name, struct text *why)
{
    struct file *file = file_open(name, why);

    return file != NULL ? binary_read(name, file, why) : NULL;
}

struct binary *binary_make(char *name)
{
    struct binary *binary = (struct binary *)memory_allocate(sizeof(*binary));

    *binary = (struct binary){.name = name, .build_id = memory_copy_string("")};
    return binary;
}

void binary_take_debug(struct binary *binary, struct binary *debug)
{
    binary->debug = debug;
}

bool binary_has_full_table(const struct binary *binary)
{
    return binary->elf.symbols.has_full_table ||
           (binary->debug != NULL && binary->debug->elf.symbols.has_full_table);
}

bool binary_lacks_debug(const struct binary *binary)
{
    return binary->debug == NULL &&
           !(binary->elf.symbols.has_full_table && binary->elf.has_debug_info);
}

const struct elf_code *binary_code_in(const struct binary *binary, uint64_t start,
                                      uint64_t limit)
{
    for (size_t i = 0; i < binary->elf.image.n_code; i++) {
        const struct elf_code *code = &binary->elf.image.code[i];

        if (code->vaddr < limit && start < code->limit)
            return code;
    }
    return NULL;
}

/* Whether a file is still that of the binary. */
static bool is_file_of(struct file *file, const struct elf *elf)
{
    struct text ignored = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf_image image;
    bool is_same =
        elf_headers_read(&headers, file, &ignored) &&
        elf_image_read(&image, &headers, &ignored) && image.n_code == elf->image.n_code &&
        image.build_id_size == elf->image.build_id_size &&
        memcmp(image.code, elf->image.code, image.n_code * sizeof(image.code[0])) == 0 &&
        memcmp(image.build_id, elf->image.build_id, image.build_id_size) == 0;

    text_free(&ignored);
    return is_same;
}

/* Opens the file again, if it is still that of the binary; else returns NULL. */
static struct file *open_again(const struct binary *binary)
{
    struct text ignored = {NULL, 0, 0};
    struct file *file = file_open(binary->name, &ignored);

    if (file != NULL && !is_file_of(file, &binary->elf)) {
        file_close(file);
        file = NULL;
    }
    text_free(&ignored);
    return file;
}

/* A file that is not there any more is not looked for at every address. */
static void read_stubs_at(struct binary *binary, uint64_t address)
{
    struct file *file = open_again(binary);

    if (file == NULL) {
        binary->elf.stubs.is_read = true;
        return;
    }
    elf_read_stubs_at(&binary->elf, file, address);
    file_close(file);
}

/* A separate debug file has no code, and so no PLT stubs. */
static const struct elf_symbol *find_in_tables(struct binary *binary, uint64_t address)
{
    const struct elf_symbol *symbol = NULL;

    if (binary->debug != NULL && binary->debug->elf.symbols.has_full_table)
        symbol = elf_symbols_find(&binary->debug->elf.symbols, address);
    if (symbol != NULL)
        return symbol;
    symbol = elf_find(&binary->elf, address);
    if ((symbol == NULL || !symbol->is_sized) && binary->elf.has_code &&
        elf_stubs_may_be_at(&binary->elf.stubs, address)) {
        read_stubs_at(binary, address);
        symbol = elf_find(&binary->elf, address);
    }
    return symbol;
}

/* A symbol whose end is not known ends where the next function begins. */
static bool reaches(const struct binary *binary, const struct elf_symbol *symbol,
                    uint64_t address)
{
    struct elf_function function;

    return symbol->is_sized ||
           !elf_functions_find(&binary->functions, address, &function) ||
           function.start <= symbol->start;
}

static const struct elf_symbol *find_symbol(struct binary *binary, uint64_t address)
{
    const struct elf_symbol *symbol = find_in_tables(binary, address);

    return symbol != NULL && reaches(binary, symbol, address) ? symbol : NULL;
}

const char *binary_symbol(struct binary *binary, uint64_t address)
{
    const struct elf_symbol *symbol = find_symbol(binary, address);

    return symbol != NULL ? symbol->name : NULL;
}

/* ---- Functions without symbols ----------------------------------------------------- */

void binary_read_functions(struct binary *binary)
{
    struct elf_wanted wanted = {binary->unnamed, binary->n_unnamed, &binary->elf.symbols,
                                binary_has_full_table(binary)};
    struct file *file;

    if (!binary->wants_functions || !binary->elf.has_code)
        return;
    binary->wants_functions = false;
    elf_functions_free(&binary->functions);
    file = open_again(binary);
    if (file == NULL)
        return;
    sort_numbers(binary->unnamed, binary->n_unnamed);
    elf_functions_read(&binary->functions, file, &binary->elf.image, &wanted);
    file_close(file);
}

bool binary_function(const struct binary *binary, uint64_t address, uint64_t *start)
{
    struct elf_function function;

    if (!elf_functions_find(&binary->functions, address, &function))
        return false;
    *start = function.start;
    return true;
}

/* The name of a function for whose address there is no symbol; or NULL. Its start may
 * have one: a part of it is elsewhere. */
static const char *name_function(struct binary *binary, uint64_t address)
{
    struct elf_function function;
    const struct elf_symbol *symbol;

    if (!elf_functions_find(&binary->functions, address, &function))
        return NULL;
    symbol = find_symbol(binary, function.start);
    return symbol != NULL && symbol->start == function.start ? symbol->name
                                                             : function.name;
}

/* ---- Lines ------------------------------------------------------------------------- */

const struct binary *binary_of_lines(const struct binary *binary)
{
    const struct binary *debug = binary->debug;

    return debug != NULL && debug->elf.has_debug_info ? debug : binary;
}

/* Whether functions of one name are told apart by their addresses where the names of
 * their source files do not: a symbol has only the last component of a path. Rust's names
 * have all that tells functions apart, so that those of one name are copies. */
static bool needs_start(const struct elf_symbol *symbol)
{
    return symbol->is_local && !demangle_is_rust(symbol->name);
}

static void find_repeated(struct binary *binary)
{
    elf_symbols_find_repeated(&binary->elf.symbols);
    if (binary->debug != NULL)
        elf_symbols_find_repeated(&binary->debug->elf.symbols);
}

static void want_function(struct binary *binary, uint64_t address)
{
    MEMORY_ADD(binary->unnamed, binary->n_unnamed, binary->unnamed_capacity, address);
    binary->wants_functions = true;
}

void binary_want(struct binary *binary, uint64_t address)
{
    const struct elf_symbol *symbol = find_in_tables(binary, address);

    if (symbol == NULL || !symbol->is_sized)
        want_function(binary, address);
    if (binary_of_lines(binary)->elf.has_debug_info)
        debug_lines_want(&binary->lines, address);
    else if (symbol != NULL && needs_start(symbol))
        find_repeated(binary);
}

bool binary_wants_lines(const struct binary *binary)
{
    return binary->lines.n_addresses > 0;
}

bool binary_read_lines(struct binary *binary, const char *shared_name, struct text *why)
{
    const struct binary *from = binary_of_lines(binary);

    return debug_lines_read(&binary->lines, &from->elf, from->name, shared_name, why);
}

static bool is_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0 ||
           (strncmp(name, "_D", 2) == 0 && name[2] >= '0' && name[2] <= '9');
}

/* Whether a symbol is more informative than a function's name in the DWARF: compilers
 * call the variants of copy copy.constprop.0 and the like, and mangled names contain
 * namespaces and types. Any other name is an alias, which is preferred if the function's
 * own name is internal to its library, as __libc_malloc is. */
static bool says_more(const struct elf_symbol *symbol, const char *name)
{
    size_t size = strlen(name);

    return is_mangled(symbol->name) || (name[0] == '_' && symbol->is_public) ||
           (strncmp(symbol->name, name, size) == 0 && symbol->name[size] == '.');
}

/* The function that contains the code has a symbol, too. For assembly that is the only
 * name; otherwise the symbol is used if it is more informative. In damaged DWARF the
 * entry may be in no function. */
static void name_outermost(struct source_line *outermost, struct binary *binary,
                           uint64_t address)
{
    const struct elf_symbol *symbol;

    if (outermost->name != NULL && is_mangled(outermost->name))
        return;
    symbol = find_symbol(binary, outermost->name != NULL ? outermost->entry : address);
    if (symbol != NULL &&
        (outermost->name == NULL || says_more(symbol, outermost->name))) {
        outermost->name = symbol->name;
        outermost->scope = NULL;
    } else if (outermost->name == NULL) {
        outermost->name = name_function(binary, address);
    }
}

/* Where the DWARF has no function, its symbol may be of a source file. */
static void find_home(struct source_line *outermost, struct binary *binary,
                      uint64_t address)
{
    const struct elf_symbol *symbol = find_symbol(binary, address);

    if (symbol == NULL || symbol->name != outermost->name)
        return;
    if (symbol->is_repeated && needs_start(symbol))
        outermost->start = symbol->start;
    else
        outermost->home = symbol->source;
    outermost->is_vague = demangle_is_copy(symbol->name);
}

void binary_lines(struct binary *binary, uint64_t address, struct source_lines *lines)
{
    lines->n = 0;
    debug_lines_find(&binary->lines, address, lines);
    if (lines->n == 0)
        source_lines_add(lines, (struct source_line){.name = NULL});
    name_outermost(&lines->items[lines->n - 1], binary, address);
    if (lines->items[lines->n - 1].home == NULL)
        find_home(&lines->items[lines->n - 1], binary, address);
    if (lines->items[lines->n - 1].name == NULL)
        lines->n = 0;
    for (size_t i = 0; i < lines->n; i++) {
        if (lines->items[i].name == NULL)
            lines->items[i].name = "?";
    }
}

void binary_close(struct binary *binary)
{
    if (binary == NULL)
        return;
    binary_close(binary->debug);
    debug_lines_free(&binary->lines);
    elf_functions_free(&binary->functions);
    memory_release(binary->unnamed);
    memory_release(binary->name);
    memory_release(binary->build_id);
    elf_free(&binary->elf);
    memory_release(binary);
}
