/* SPDX-License-Identifier: BSD-2-Clause */
/* Where fxtrecord finds a kernel and its modules: in copies of what kernels say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/pooled.h"
#include "common/processes/kernel_modules.h"

static char root[] = "/tmp/fxt-kernel-XXXXXX";

static void put(const char *name, const void *data, size_t size)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0,
          "%s cannot be written", path);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

/* A GNU build id of four equal bytes, after a note of another kind. */
static void put_note(const char *name, unsigned char byte)
{
    uint32_t words[10] = {4, 1, 6, 0x00554e47, 7, 4, 4, 3, 0x00554e47, 0};

    words[9] = byte * 0x01010101u;
    put(name, words, sizeof(words));
}

static void remove_root(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -r %s", root);
    CHECK(system(command) == 0, "%s", command);
}

static void check_part(const struct kernel_modules *kernel, size_t i, const char *name,
                       uint64_t start, uint64_t length, unsigned char byte)
{
    const struct kernel_module *part = &kernel->all[i];

    CHECK(strcmp(part->file.name, name) == 0, "%s", part->file.name);
    CHECK(part->start == start && part->length == length, "%s is elsewhere", name);
    CHECK(part->file.build_id_size == (byte != 0 ? 4 : 0), "%s: %zu bytes", name,
          part->file.build_id_size);
    CHECK(byte == 0 || part->file.build_id[3] == byte, "another build id");
}

POOLED_TEST(kernel, text_and_modules_with_their_build_ids)
{
    struct kernel_modules kernel = {NULL, 0, 0};

    CHECK(mkdtemp(root) != NULL, "no directory");
    put_text("/proc/kallsyms", "ffffffff81000000 T _stext\n"
                               "ffffffff81000010 T _stext_of_another\n"
                               "ffffffff81c00000 T _etext\n");
    put_note("/sys/kernel/notes", 0xaa);
    put_text("/proc/modules", "ext4 1036288 1 - Live 0xffffffffc0a00000\n"
                              "dm_mod 4096 2 ext4,other, Live 0xffffffffc0900000 (OE)\n"
                              "last 8192 0 - Loading 0xffffffffc0800000\n");
    put_note("/sys/module/ext4/notes/.note.gnu.build-id", 0xbb);
    put_note("/sys/module/last/notes/.note.gnu.build-id", 0xcc);
    kernel_modules_read(&kernel, root);
    CHECK(kernel.n == 4, "%zu parts", kernel.n);
    check_part(&kernel, 0, "[kernel.kallsyms]", 0xffffffff81000000, 0xc00000, 0xaa);
    check_part(&kernel, 1, "[ext4]", 0xffffffffc0a00000, 1036288, 0xbb);
    check_part(&kernel, 2, "[dm_mod]", 0xffffffffc0900000, 4096, 0);
    check_part(&kernel, 3, "[last]", 0xffffffffc0800000, 8192, 0xcc);
    remove_root();
}

/* Users other than root see zeros. */
POOLED_TEST(kernel, nothing_is_known_where_addresses_are_hidden)
{
    struct kernel_modules kernel = {NULL, 0, 0};

    CHECK(mkdtemp(root) != NULL, "no directory");
    kernel_modules_read(&kernel, root);
    CHECK(kernel.n == 0, "a kernel out of nothing");
    put_text("/proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T _etext\n");
    put_text("/proc/modules", "ext4 1036288 1 - Live 0x0000000000000000\n");
    kernel_modules_read(&kernel, root);
    CHECK(kernel.n == 0, "a kernel at 0");
    put_text("/proc/kallsyms", "f000 T _stext\nf100 T _etext\n");
    kernel_modules_read(&kernel, root);
    CHECK(kernel.n == 1, "%zu parts", kernel.n);
    remove_root();
}
