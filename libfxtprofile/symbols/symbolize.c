/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbolize.h. */
#include "symbolize.h"

#include <string.h>

#include "common/base/parse.h"
#include "debug_files.h"

/* Cuts the number off the end of a name. Returns the character before it, or '\0' if
 * there is no number. */
static char take_number(char *name, uint64_t *number)
{
    char *at = strrchr(name, '@');
    char *plus = strrchr(name, '+');
    char sign;

    if (at == NULL || (plus != NULL && plus > at))
        at = plus;
    if (at == NULL || !parse_u64(at + 1, number))
        return '\0';
    sign = *at;
    *at = '\0';
    return sign;
}

/* Whether an image's code ends below 2^64. */
static bool is_image_possible(const struct image *image)
{
    for (size_t i = 0; i < image->binary->elf.image.n_code; i++) {
        const struct elf_code *code = &image->binary->elf.image.code[i];

        if (code->vaddr + image->bias > code->limit + image->bias)
            return false;
    }
    return true;
}

static bool is_clear_of(const struct image *a, const struct image *b)
{
    for (size_t i = 0; i < a->binary->elf.image.n_code; i++) {
        for (size_t j = 0; j < b->binary->elf.image.n_code; j++) {
            const struct elf_code *c = &a->binary->elf.image.code[i];
            const struct elf_code *d = &b->binary->elf.image.code[j];

            if (c->vaddr + a->bias < d->limit + b->bias &&
                d->vaddr + b->bias < c->limit + a->bias)
                return false;
        }
    }
    return true;
}

/* Whether the build id alone tells of what an image is: libraries and most programs are
 * linked at 0, where none is loaded. */
static bool is_by_build_id(const struct image *image)
{
    return !image->is_moved && image->binary->elf.image.lowest == 0 &&
           image->binary->build_id[0] != '\0';
}

static bool check_place(const struct symbolizer *s, const struct image *image,
                        struct text *why)
{
    if (!is_image_possible(image))
        return text_fail(why, "does not fit there: its addresses would exceed 2^64");
    for (size_t i = 0; i < s->n; i++) {
        if (!is_clear_of(&s->images[i], image) &&
            !(is_by_build_id(&s->images[i]) && is_by_build_id(image))) {
            text_str(why, "would overlap ");
            text_str(why, s->images[i].binary->name);
            return text_fail(why, ": say where it was loaded, as in FILE@0x7f0012340000");
        }
    }
    return true;
}

bool symbolizer_add_binary(struct symbolizer *s, struct binary *binary, uint64_t bias,
                           bool is_moved, struct text *why)
{
    struct image image = {.binary = binary, .bias = bias, .is_moved = is_moved};

    if (!check_place(s, &image, why)) {
        binary_close(binary);
        return false;
    }
    s->images =
        (struct image *)memory_grow(s->images, s->n, &s->capacity, sizeof(*s->images));
    s->images[s->n++] = image;
    return true;
}

static void start_search(const struct symbolizer *s, struct symbol_search *search)
{
    *search = (struct symbol_search){.first_line = (uint32_t)s->files.report.final.n};
}

static void end_search(const struct symbolizer *s, struct symbol_search *search)
{
    search->limit_line = (uint32_t)s->files.report.final.n;
}

bool symbolizer_add(struct symbolizer *s, const char *file_and_address, struct text *why)
{
    char *name = memory_copy_string(file_and_address);
    uint64_t number = 0;
    char sign = take_number(name, &number);
    struct binary *binary = binary_open(name, why);
    struct symbol_search search;

    memory_release(name);
    if (binary == NULL)
        return false;
    start_search(s, &search);
    debug_files_attach(&s->files, binary);
    end_search(s, &search);
    if (sign == '@')
        number -= binary->elf.image.lowest;
    if (!symbolizer_add_binary(s, binary, number, sign != '\0', why))
        return false;
    s->images[s->n - 1].search = search;
    s->n_files = s->n;
    return true;
}

const struct image *symbolizer_find(const struct symbolizer *s, uint64_t address)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct image *image = &s->images[i];

        if (elf_image_find_code(&image->binary->elf.image, address - image->bias) != NULL)
            return image;
    }
    return NULL;
}

/* ---- Modules ----------------------------------------------------------------------- */

static void make_room(struct symbolizer *s, size_t n)
{
    s->found = (struct found_module *)memory_reallocate(s->found, n * sizeof(*s->found));
    memset(s->found + s->n_found, 0, (n - s->n_found) * sizeof(*s->found));
    s->n_found = n;
}

struct binary *symbolizer_find_module(struct symbolizer *s, uint32_t module,
                                      uint64_t process, struct string name,
                                      struct string build_id)
{
    struct found_module *found;

    if (!s->finds_modules)
        return NULL;
    if (module >= s->n_found)
        make_room(s, (size_t)module < 32 ? 64 : 2 * (size_t)module);
    found = &s->found[module];
    if (!found->looked) {
        found->looked = true;
        start_search(s, &found->search);
        found->binary = debug_files_find(&s->files, process, name, build_id);
        end_search(s, &found->search);
    } else if (found->binary == NULL && process != found->process) {
        found->binary = debug_files_find_of_process(&s->files, process, name, build_id);
    }
    found->process = process;
    return found->binary;
}

/* ---- Servers ----------------------------------------------------------------------- */

static bool fetch(struct symbolizer *s, struct symbol_search *search,
                  struct binary **binary, struct string name, struct string build_id)
{
    if (search->is_asked || (*binary != NULL && !binary_lacks_debug(*binary)))
        return false;
    search->is_asked = true;
    if (!debug_files_fetch(&s->files, binary, name, build_id))
        return false;
    debug_file_report_drop(&s->files.report, search->first_line, search->limit_line);
    return true;
}

bool symbolizer_fetch_module(struct symbolizer *s, uint32_t module, struct string name,
                             struct string build_id)
{
    struct found_module *found = &s->found[module];

    return s->finds_modules && fetch(s, &found->search, &found->binary, name, build_id);
}

bool symbolizer_fetch_image(struct symbolizer *s, size_t image)
{
    struct image *of = &s->images[image];
    struct string name = {of->binary->name, strlen(of->binary->name)};

    return fetch(s, &of->search, &of->binary, name, (struct string){"", 0});
}

/* ---- Lines ------------------------------------------------------------------------- */

static void read_lines(struct symbolizer *s, struct binary *binary)
{
    struct text why = {NULL, 0, 0};
    const struct binary *from;
    char *shared;

    if (binary == NULL)
        return;
    binary_read_functions(binary);
    if (!binary_wants_lines(binary))
        return;
    from = binary_of_lines(binary);
    shared = debug_shared_find(&s->files, from);
    if (!binary_read_lines(binary, shared, &why))
        debug_file_report_lines(&s->files.report, from, &why);
    text_free(&why);
    memory_release(shared);
}

void symbolizer_read_lines(struct symbolizer *s)
{
    for (size_t i = 0; i < s->n; i++)
        read_lines(s, s->images[i].binary);
    for (size_t i = 0; i < s->n_found; i++)
        read_lines(s, s->found[i].binary);
}

void symbolizer_free(struct symbolizer *s)
{
    for (size_t i = 0; i < s->n; i++)
        binary_close(s->images[i].binary);
    for (size_t i = 0; i < s->n_found; i++) {
        if (s->found[i].looked)
            binary_close(s->found[i].binary);
    }
    memory_release(s->images);
    memory_release(s->kernel_names);
    memory_release(s->found);
    debug_files_free(&s->files);
    *s = (struct symbolizer){.n = 0};
}
