/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_modules.h. */
#include "kernel_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc_file.h"

enum { PATH_SIZE = 4096 };

static FILE *open_in(const char *root, const char *name)
{
    char path[PATH_SIZE];

    if (snprintf(path, sizeof(path), "%s%s", root, name) >= (int)sizeof(path))
        return NULL;
    return fopen(path, "rbe");
}

static void read_build_id(struct mapped_file *image, const char *root, const char *name)
{
    unsigned char notes[8192];
    FILE *file = open_in(root, name);

    if (file == NULL)
        return;
    mapped_file_take_notes(image, notes, fread(notes, 1, sizeof(notes), file));
    fclose(file);
}

struct kernel_module *kernel_modules_add(struct kernel_modules *kernel, const char *name,
                                         uint64_t start, uint64_t length)
{
    struct kernel_module *module;

    kernel->all =
        memory_grow(kernel->all, kernel->n, &kernel->capacity, sizeof(*kernel->all));
    module = &kernel->all[kernel->n++];
    *module = (struct kernel_module){.start = start, .length = length};
    module->file.name = memory_copy_string(name);
    return module;
}

/* The kernel's text is from _stext to _etext. Users without permission to see addresses
 * read zeros. */
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
static void read_modules(struct kernel_modules *kernel, const char *root)
{
    char path[PATH_SIZE];
    struct proc_file *file;
    const char *line;

    if (snprintf(path, sizeof(path), "%s/proc/modules", root) >= (int)sizeof(path))
        return;
    file = proc_file_open(path);
    while (file != NULL && (line = proc_file_line(file)) != NULL) {
        char text[128];
        char name[64];
        uint64_t size;
        uint64_t start;

        if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size, &start) !=
                3 ||
            start == 0)
            break;
        snprintf(text, sizeof(text), "[%s]", name);
        kernel_modules_add(kernel, text, start, size);
        snprintf(text, sizeof(text), "/sys/module/%s/notes/.note.gnu.build-id", name);
        read_build_id(&kernel->all[kernel->n - 1].file, root, text);
    }
    if (file != NULL)
        proc_file_close(file);
}

void kernel_modules_read(struct kernel_modules *kernel, const char *root)
{
    uint64_t start;
    uint64_t end;

    if (!find_text(root, &start, &end))
        return;
    read_build_id(
        &kernel_modules_add(kernel, "[kernel.kallsyms]", start, end - start)->file, root,
        "/sys/kernel/notes");
    read_modules(kernel, root);
}
