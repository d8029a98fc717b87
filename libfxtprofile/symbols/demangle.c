/* SPDX-License-Identifier: BSD-2-Clause */
/* See demangle.h. */
#include "demangle.h"

#include <stddef.h>
#include <string.h>

#include "common/base/hex.h"

/* ---- Copies ------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether the last part of a name, after a dot, is that of a copy or a part of a function
 * in GCC or LLVM. */
static bool is_copy(const char *part, size_t size)
{
    static const char *const words[] = {"isra", "constprop", "part",
                                        "cold", "llvm",      "lto_priv"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (size == strlen(words[i]) && memcmp(part, words[i], size) == 0)
            return true;
    }
    return false;
}

/* The size of a name without suffixes such as .isra.0, .cold and .llvm.123. */
static size_t size_without_copies(const char *name, size_t size)
{
    for (;;) {
        size_t end = size;
        size_t start;

        while (end > 0 && is_digit(name[end - 1]))
            end--;
        end = end < size && end > 0 && name[end - 1] == '.' ? end - 1 : size;
        for (start = end; start > 0 && name[start - 1] != '.';)
            start--;
        if (start < 2 || !is_copy(name + start, end - start))
            return size;
        size = start - 1;
    }
}

bool demangle_is_copy(const char *name)
{
    size_t size = strlen(name);

    return size_without_copies(name, size) < size;
}

/* ---- Rust -------------------------------------------------------------------------- */

/* The older mangling is that of C++, with a hash as the last part: "17h", 16 digits of
 * hex, "E". */
bool demangle_is_rust(const char *name)
{
    enum { N_DIGITS = 16, HASH_SIZE = 3 + N_DIGITS + 1 };
    size_t size = size_without_copies(name, strlen(name));
    const char *hash;

    if (strncmp(name, "_R", 2) == 0)
        return true;
    if (size < HASH_SIZE || strncmp(name, "_ZN", 3) != 0)
        return false;
    hash = name + size - HASH_SIZE;
    if (memcmp(hash, "17h", 3) != 0 || hash[HASH_SIZE - 1] != 'E')
        return false;
    for (size_t i = 0; i < N_DIGITS; i++) {
        if (hex_digit(hash[3 + i]) < 0)
            return false;
    }
    return true;
}

/* ---- OCaml ------------------------------------------------------------------------- */

/* Of a name up to the number that the compiler adds; anonymous functions have only that
 * to tell them apart. */
static size_t size_without_stamp(const char *name, size_t size)
{
    static const char anonymous[] = "fun";
    size_t end = size;

    while (end > 0 && is_digit(name[end - 1]))
        end--;
    if (end == size || end < 2 || name[end - 1] != '_')
        return size;
    end--;
    if (end > strlen(anonymous) &&
        memcmp(name + end - strlen(anonymous), anonymous, strlen(anonymous)) == 0 &&
        strchr("_.$", name[end - strlen(anonymous) - 1]) != NULL)
        return size;
    return end;
}

/* The character that two hex digits stand for; 0 if they are none. */
static unsigned char hex_character(const char *at, const char *end)
{
    int high = end - at >= 2 ? hex_digit(at[0]) : -1;
    int low = end - at >= 2 ? hex_digit(at[1]) : -1;

    return high >= 0 && low >= 0 ? (unsigned char)(high << 4 | low) : 0;
}

/* How long the code at a $ is, whose character is stored; 0 for none, as the $ before
 * "fact" or "add": codes are of characters that names cannot have, which are those of
 * operators, and of letters of several bytes. */
static size_t take_code(const char *at, const char *end, bool is_after_byte,
                        unsigned char *character)
{
    bool is_doubled = end - at >= 2 && at[1] == '$';
    size_t size = is_doubled ? 4 : 3;

    *character = hex_character(at + size - 2, end);
    if (is_doubled)
        return *character != 0 ? size : 0;
    if (*character >= 0xc0 && end - at > 3 && at[3] == '$')
        return hex_character(at + 4, end) >> 6 == 2 ? size : 0;
    if (*character >= 0x80)
        return is_after_byte ? size : 0;
    return *character >= ' ' ? size : 0;
}

/* Stdlib.List.map is "camlStdlib__List__map_123" up to 5.0, "camlStdlib__List.map_123"
 * later, and "camlStdlib__List$map_123" in 5.3 and where names cannot have points. A
 * character that symbols cannot have is $, or $$ where a single one is a point, and its
 * code in hex. */
static bool demangle_ocaml(struct text *text, const char *name, size_t size)
{
    static const char prefix[] = "caml";
    size_t at = strlen(prefix);
    unsigned char character = 0;
    bool has_module = false;

    if (size <= at || memcmp(name, prefix, at) != 0 || name[at] < 'A' || name[at] > 'Z')
        return false;
    for (size_t i = at; i + 1 < size; i++)
        has_module |= strchr(".$", name[i]) != NULL || memcmp(name + i, "__", 2) == 0;
    if (!has_module)
        return false;
    size = size_without_stamp(name, size);
    while (at < size) {
        bool is_point = at + 2 < size && memcmp(name + at, "__", 2) == 0;
        size_t code = name[at] == '$' ? take_code(name + at, name + size,
                                                  character >= 0x80, &character)
                                      : 0;

        if (code == 0)
            character = name[at] == '$' || is_point ? '.' : (unsigned char)name[at];
        text_char(text, (char)character);
        at += code > 0 ? code : is_point ? 2 : 1;
    }
    return true;
}

/* ---- All --------------------------------------------------------------------------- */

/* A function that constructs, or destroys, what is global in a file, which is named after
 * its first function or after the file: as c++filt calls those of older compilers. */
static const char *skip_global(const char *name, const char **what)
{
    static const struct {
        const char *prefix;
        const char *what;
    } globals[] = {{"_GLOBAL__sub_I_", "global constructors keyed to "},
                   {"_GLOBAL__sub_D_", "global destructors keyed to "}};

    for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++) {
        size_t size = strlen(globals[i].prefix);

        if (strncmp(name, globals[i].prefix, size) == 0 && name[size] != '\0') {
            *what = globals[i].what;
            return name + size;
        }
    }
    *what = "";
    return name;
}

/* A name that ends. */
static bool add_name(struct text *text, const char *name, size_t size, bool is_global)
{
    if (demangle_mangled(text, name) || demangle_swift(text, name) ||
        demangle_ocaml(text, name, size))
        return true;
    if (is_global)
        text_add(text, name, size);
    return is_global;
}

/* The stub for a function has its name and a suffix. */
bool demangle(struct text *text, const char *name)
{
    static const char stub[] = "@plt";
    const char *what;
    const char *symbol = skip_global(name, &what);
    size_t whole = strlen(symbol);
    size_t start = text->size;
    bool is_stub =
        whole > strlen(stub) && strcmp(symbol + whole - strlen(stub), stub) == 0;
    size_t size = size_without_copies(symbol, is_stub ? whole - strlen(stub) : whole);
    bool is_shorter = size < whole - (is_stub ? strlen(stub) : 0);
    char *copy;

    if (!is_shorter && what[0] == '\0' && strchr("_$c", symbol[0]) == NULL)
        return false;
    copy = memory_copy_string(symbol);
    copy[size] = '\0';
    text_str(text, what);
    if (!add_name(text, copy, size, is_shorter || what[0] != '\0')) {
        text->size = start;
    } else if (is_stub) {
        text_str(text, stub);
    }
    memory_release(copy);
    return text->size > start;
}
