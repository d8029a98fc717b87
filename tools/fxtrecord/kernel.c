/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel.h. */
#include "kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_in(const char *root, const char *name)
{
    char path[4096];

    if (snprintf(path, sizeof(path), "%s%s", root, name) >= (int)sizeof(path))
        return NULL;
    return fopen(path, "rbe");
}

static void read_build_id(struct image *image, const char *root, const char *name)
{
    unsigned char notes[8192];
    FILE *file = open_in(root, name);

    if (file == NULL)
        return;
    images_take_notes(image, notes, fread(notes, 1, sizeof(notes), file));
    fclose(file);
}

static struct kernel_part *add_part(struct kernel *kernel, const char *name,
                                    uint64_t start, uint64_t length)
{
    struct kernel_part *part;

    kernel->parts =
        memory_grow(kernel->parts, kernel->n, &kernel->capacity, sizeof(*kernel->parts));
    part = &kernel->parts[kernel->n++];
    *part = (struct kernel_part){.start = start, .length = length};
    part->image.name = memory_copy_string(name);
    return part;
}

/* The kernel's text is from _stext to _etext. Who may not know sees zeros. */
static bool find_text(const char *root, uint64_t *start, uint64_t *end)
{
    FILE *file = open_in(root, "/proc/kallsyms");
    char *line = NULL;
    size_t capacity = 0;

    *start = 0;
    *end = 0;
    if (file == NULL)
        return false;
    while ((*start == 0 || *end == 0) && getline(&line, &capacity, file) >= 0) {
        char name[16];
        uint64_t address;

        if (sscanf(line, "%" SCNx64 " %*c %15s", &address, name) != 2)
            continue;
        if (strcmp(name, "_stext") == 0)
            *start = address;
        else if (strcmp(name, "_etext") == 0)
            *end = address;
    }
    free(line);
    fclose(file);
    return *start != 0 && *end > *start;
}

/* A line of /proc/modules: name size references users state address */
static void read_modules(struct kernel *kernel, const char *root)
{
    FILE *file = open_in(root, "/proc/modules");
    char name[64];
    uint64_t size;
    uint64_t start;

    while (file != NULL && fscanf(file, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64 "%*[^\n]",
                                  name, &size, &start) == 3) {
        char text[128];

        if (start == 0)
            break;
        snprintf(text, sizeof(text), "[%s]", name);
        add_part(kernel, text, start, size);
        snprintf(text, sizeof(text), "/sys/module/%s/notes/.note.gnu.build-id", name);
        read_build_id(&kernel->parts[kernel->n - 1].image, root, text);
    }
    if (file != NULL)
        fclose(file);
}

void kernel_read(struct kernel *kernel, const char *root)
{
    uint64_t start;
    uint64_t end;

    if (!find_text(root, &start, &end))
        return;
    read_build_id(&add_part(kernel, "[kernel.kallsyms]", start, end - start)->image, root,
                  "/sys/kernel/notes");
    read_modules(kernel, root);
}

void kernel_free(struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->n; i++)
        memory_release(kernel->parts[i].image.name);
    memory_release(kernel->parts);
    *kernel = (struct kernel){NULL, 0, 0};
}
