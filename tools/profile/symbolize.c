/* SPDX-License-Identifier: BSD-2-Clause */
/* See symbolize.h. */
#include "symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* Cuts the address off the end of a name. Returns false if there is none. */
static bool take_address(char *name, uint64_t *address)
{
    char *at = strrchr(name, '@');

    if (at == NULL || !parse_u64(at + 1, address))
        return false;
    *at = '\0';
    return true;
}

static bool read_image(struct image *image, struct text *why)
{
    struct file *file = file_open(image->name, why);
    struct text hex = {NULL, 0, 0};
    bool ok;

    if (file == NULL)
        return false;
    ok = elf_read(&image->elf, file, why);
    file_close(file);
    if (!ok)
        return false;
    text_hex_bytes(&hex, image->elf.build_id, image->elf.build_id_size);
    text_char(&hex, '\0');
    image->build_id = hex.data;
    return true;
}

/* Whether an image's code ends below 2^64. */
static bool is_possible(const struct image *image)
{
    for (size_t i = 0; i < image->elf.n_code; i++) {
        const struct elf_code *code = &image->elf.code[i];

        if (code->vaddr + image->bias > code->limit + image->bias)
            return false;
    }
    return true;
}

static bool is_clear_of(const struct image *a, const struct image *b)
{
    for (size_t i = 0; i < a->elf.n_code; i++) {
        for (size_t j = 0; j < b->elf.n_code; j++) {
            const struct elf_code *c = &a->elf.code[i];
            const struct elf_code *d = &b->elf.code[j];

            if (c->vaddr + a->bias < d->limit + b->bias &&
                d->vaddr + b->bias < c->limit + a->bias)
                return false;
        }
    }
    return true;
}

static bool check_place(const struct symbolizer *s, const struct image *image,
                        struct text *why)
{
    if (!is_possible(image)) {
        text_str(why, "does not fit there: the addresses would pass 2^64");
        return false;
    }
    for (size_t i = 0; i < s->n; i++) {
        if (!is_clear_of(&s->images[i], image)) {
            text_str(why, "would be in the place of ");
            text_str(why, s->images[i].name);
            text_str(why, ": say where it was loaded, as in FILE@0x7f0012340000");
            return false;
        }
    }
    return true;
}

static void free_image(struct image *image)
{
    free(image->name);
    free(image->build_id);
    elf_free(&image->elf);
}

bool symbolizer_add(struct symbolizer *s, const char *file_and_address, struct text *why)
{
    struct image image = {.name = must_copy(file_and_address)};
    uint64_t address;
    bool moved = take_address(image.name, &address);

    if (!read_image(&image, why)) {
        free(image.name);
        return false;
    }
    if (moved)
        image.bias = address - image.elf.lowest;
    if (!check_place(s, &image, why)) {
        free_image(&image);
        return false;
    }
    s->images =
        (struct image *)must_grow(s->images, s->n, &s->capacity, sizeof(*s->images));
    s->images[s->n++] = image;
    return true;
}

const struct elf_code *image_code(const struct image *image, uint64_t address)
{
    return elf_find_code(&image->elf, address - image->bias);
}

const struct elf_code *image_code_in(const struct image *image, uint64_t start,
                                     uint64_t limit)
{
    for (size_t i = 0; i < image->elf.n_code; i++) {
        const struct elf_code *code = &image->elf.code[i];

        if (code->vaddr + image->bias < limit && start < code->limit + image->bias)
            return code;
    }
    return NULL;
}

const struct image *symbolizer_find(const struct symbolizer *s, uint64_t address)
{
    for (size_t i = 0; i < s->n; i++) {
        if (image_code(&s->images[i], address) != NULL)
            return &s->images[i];
    }
    return NULL;
}

const char *image_symbol(const struct image *image, uint64_t address)
{
    const struct elf_symbol *symbol = elf_find_symbol(&image->elf, address - image->bias);

    return symbol != NULL ? symbol->name : NULL;
}

void symbolizer_free(struct symbolizer *s)
{
    for (size_t i = 0; i < s->n; i++)
        free_image(&s->images[i]);
    free(s->images);
    *s = (struct symbolizer){NULL, 0, 0};
}
