/* SPDX-License-Identifier: BSD-2-Clause */
/* See place.h. */
#include "place.h"

#include <string.h>

/* Whether a mapping of the input shows the file that the user named. */
static bool is_of(const struct map *map, const struct mapping *mapping,
                  const struct image *image)
{
    struct string build_id = modules_build_id(map->modules, mapping);
    size_t size = strlen(image->build_id);

    if (mapping->start - mapping->vaddr != image->bias)
        return false;
    return build_id.size == 0 || size == 0 ||
           (build_id.size == size && memcmp(build_id.data, image->build_id, size) == 0);
}

/* The file that a mapping of the input shows, if the user named it: one answer for all
 * of the mapping, whether or not it is all code. */
static void find_image(const struct map *map, struct place *place)
{
    const struct mapping *mapping = place->mapping;

    for (size_t i = 0; i < map->symbolizer->n; i++) {
        const struct image *image = &map->symbolizer->images[i];
        const struct elf_code *code =
            image_code_in(image, mapping->start, mapping->limit);

        if (code != NULL && is_of(map, mapping, image)) {
            place->image = image;
            place->code = code;
            return;
        }
    }
}

/* What the input says of a process comes before what the user says of all. */
struct place place_find(const struct map *map, uint64_t process, uint64_t address)
{
    struct place place = {.mapping = modules_find(map->modules, process, address)};

    if (place.mapping != NULL) {
        find_image(map, &place);
        return place;
    }
    place.image = symbolizer_find(map->symbolizer, address);
    if (place.image != NULL)
        place.code = image_code(place.image, address);
    return place;
}

const char *place_symbol(struct place place, uint64_t address)
{
    return place.image != NULL ? image_symbol(place.image, address) : NULL;
}

void place_lines(struct place place, uint64_t address, struct source_lines *lines)
{
    const char *symbol = place_symbol(place, address);

    lines->n = 0;
    if (symbol == NULL)
        return;
    lines->items = (struct source_line *)must_grow(
        lines->items, lines->n, &lines->capacity, sizeof(*lines->items));
    lines->items[lines->n++] = (struct source_line){.name = symbol};
}

bool place_is_known(struct place place)
{
    return place.mapping != NULL || place.image != NULL;
}

uint64_t place_of_call(const struct map *map, uint64_t process, uint64_t pc)
{
    struct place here = place_find(map, process, pc);
    struct place before;

    if (pc == 0)
        return pc;
    before = place_find(map, process, pc - 1);
    if (place_is_known(here) &&
        (here.mapping != before.mapping || here.code != before.code))
        return pc;
    if (place_symbol(here, pc) != NULL && place_symbol(before, pc - 1) == NULL)
        return pc;
    return pc - 1;
}
