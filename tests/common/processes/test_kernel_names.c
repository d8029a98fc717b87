/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the kernel's functions that an archive gets, from copies of
 * /proc/kallsyms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/fxt.h>

#include "common/processes/kernel_names.h"
#include "tests/support/pooled.h"

enum { SECOND = 1000000000 };

static char root[32];
static char shown[4096];

static void start(void)
{
    char path[64];

    strcpy(root, "/tmp/fxt-kernel-XXXXXX");
    CHECK(mkdtemp(root) != NULL, "no directory");
    snprintf(path, sizeof(path), "%s/proc", root);
    CHECK(mkdir(path, 0755) == 0, "no directory");
}

static void put_symbols(const char *text)
{
    char path[64];
    FILE *file;

    snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
    file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "no file");
}

static void remove_root(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -r %s", root);
    CHECK(system(command) == 0, "%s", command);
}

static void take(struct kernel_names *names, uint64_t now_ns, const uint64_t *pcs,
                 uint64_t n)
{
    kernel_names_take(names, (struct fxt_words){pcs, n, false});
    kernel_names_find(names, root, now_ns, false);
}

/* ---- What is written --------------------------------------------------------------- */

static uint64_t word_at(const unsigned char *at)
{
    uint64_t word = 0;

    for (int i = 7; i >= 0; i--)
        word = word << 8 | at[i];
    return word;
}

static void show_string(const char *format, const unsigned char *strings, uint64_t word)
{
    snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), format,
             (int)(word >> 32), strings + (word & UINT32_MAX));
}

static int show_record(void *context, const struct fxt_record *record)
{
    const unsigned char *payload = record->large_blob.payload.data;
    uint64_t n_words;
    uint64_t n;

    (void)context;
    if (record->type != FXT_RECORD_LARGE)
        return 0;
    n_words = record->args[1].value.uint32;
    n = record->args[2].value.uint64;
    CHECK(record->large_blob.thread.process == 0, "of a process");
    snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown),
             "%.*s:", (int)record->args[3].value.string.size,
             record->args[3].value.string.data);
    for (uint64_t i = 0; i < n; i++) {
        const unsigned char *entry = payload + i * n_words * 8;

        show_string(" %.*s", payload + n * n_words * 8, word_at(entry + 24));
        snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), " %llx+%llx",
                 (unsigned long long)word_at(entry),
                 (unsigned long long)word_at(entry + 8));
        if (n_words == 5)
            show_string(" (%.*s)", payload + n * n_words * 8, word_at(entry + 32));
        else
            CHECK(n_words == 4, "%d words", (int)n_words);
        CHECK(word_at(entry + 16) == 0, "it has a time");
    }
    strcat(shown, "\n");
    return 0;
}

static int keep(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, context) == size ? 0 : 1;
}

static void check_written(struct kernel_names *names, const char *expected)
{
    char *data = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&data, &size);
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = keep, .context = file};
    struct fxt_reader_options reading = {
        .size = sizeof(reading), .on_record = show_record, .stream = FXT_STREAM_ARCHIVE};
    struct fxt_writer *writer;
    struct fxt_reader *reader;
    struct fxt_chunk chunk = {0};

    CHECK(fxt_writer_create(&options, &writer) == FXT_OK, "no writer");
    fxt_writer_start_archive(writer, 0);
    kernel_names_write(names, writer, 5);
    CHECK(fxt_writer_finish(writer) == FXT_OK, "not written");
    fxt_writer_destroy(writer);
    fclose(file);
    shown[0] = '\0';
    chunk.data = data;
    chunk.size = size;
    CHECK(fxt_reader_create(&reading, &reader) == FXT_OK, "no reader");
    CHECK(fxt_reader_finish(reader, &chunk) == FXT_OK, "not read");
    fxt_reader_destroy(reader);
    free(data);
    CHECK(strcmp(shown, expected) == 0, "%s instead of %s", shown, expected);
}

/* ---- Cases ------------------------------------------------------------------------- */

static const char symbols[] = "ffffffff81000000 T _stext\n"
                              "ffffffff81000000 T do_call\n"
                              "ffffffff81000040 t inner\n"
                              "ffffffff81000040 T outer\n"
                              "ffffffff81000080 t tail\n"
                              "ffffffff81000090 D table\n"
                              "ffffffffc0a00010 t ext4_read\t[ext4]\n"
                              "ffffffffc0a00ff0 t ext4_last\t[ext4]\n"
                              "ffffffffc0b00000 t bpf_prog_1\t[bpf]\n"
                              "0000000000000000 A hidden\n"
                              "nonsense\n"
                              "ffffffffc0c00000 t\n"
                              "ffffffffc0c00000 t  [no_name]\n";

POOLED_TEST(kernel_names, only_functions_that_were_seen_once)
{
    struct kernel_names names = {0};
    const uint64_t first[] = {0xffffffff81000000, 0x401000, 0xffffffffc0a00020};
    const uint64_t more[] = {0xffffffff81000010, 0xffffffff81000048, 0xffffffffc0a00fff};

    start();
    put_symbols(symbols);
    check_written(&names, "");
    take(&names, SECOND, first, 3);
    check_written(&names, "[kernel.kallsyms]: _stext ffffffff81000000+40\n"
                          "[ext4]: ext4_read ffffffffc0a00010+fe0\n");
    take(&names, SECOND, first, 3);
    check_written(&names, "");
    take(&names, SECOND, more, 3);
    check_written(&names, "[kernel.kallsyms]: outer ffffffff81000040+40\n"
                          "[ext4]: ext4_last ffffffffc0a00ff0+10\n");
    kernel_names_start_archive(&names);
    take(&names, SECOND, more, 2);
    check_written(&names, "[kernel.kallsyms]: _stext ffffffff81000000+40"
                          " outer ffffffff81000040+40\n");
    remove_root();
}

/* A caller is looked up one byte lower; what comes after a function is not known. */
POOLED_TEST(kernel_names, returns_to_the_end_of_a_function)
{
    struct kernel_names names = {0};
    const uint64_t end_of_tail[] = {0xffffffff81000090};
    const uint64_t outside[] = {0xffffffff81000098, 0xffffffffc0a01800,
                                0xffffffffffffffff};

    start();
    put_symbols(symbols);
    take(&names, SECOND, end_of_tail, 1);
    check_written(&names, "[kernel.kallsyms]: tail ffffffff81000080+10\n");
    take(&names, SECOND, outside, 3);
    check_written(&names, "");
    remove_root();
}

POOLED_TEST(kernel_names, code_that_is_loaded_later)
{
    struct kernel_names names = {0};
    const uint64_t late[] = {0xffffffffc0d00004, 0xffffffffc0e00004};

    start();
    put_symbols(symbols);
    take(&names, SECOND, late, 0);
    check_written(&names, "");
    kernel_names_read(&names, root, SECOND);
    put_symbols("ffffffffc0d00000 t bpf_prog_2\t[bpf]\n");
    take(&names, 2 * (uint64_t)SECOND, late, 1);
    check_written(&names, "");
    take(&names, 20 * (uint64_t)SECOND, NULL, 0);
    check_written(&names, "[bpf]: bpf_prog_2 ffffffffc0d00000+1000\n");
    put_symbols("ffffffffc0e00000 t bpf_prog_3\t[bpf]\n");
    take(&names, 21 * (uint64_t)SECOND, late, 2);
    check_written(&names, "");
    kernel_names_find(&names, root, 21 * (uint64_t)SECOND, true);
    check_written(&names, "[bpf]: bpf_prog_3 ffffffffc0e00000+1000\n");
    remove_root();
}

/* By where they begin in their module, which is the same in every boot; but not those
 * that other source files may use, that are alone in their module, or that were
 * generated. */
POOLED_TEST(kernel_names, local_functions_of_one_name)
{
    struct kernel_names names = {0};
    const uint64_t pcs[] = {0xffffffff92000108, 0xffffffff92000208, 0xffffffff92000308,
                            0xffffffffc0a00018, 0xffffffffc0b00008, 0xffffffffc0c00008,
                            0xffffffffc0a00028};

    start();
    put_symbols("ffffffff92000000 T _stext\n"
                "ffffffff92000100 t init_once\n"
                "ffffffff92000200 t init_once\n"
                "ffffffff92000300 T init_once\n"
                "ffffffff92000400 D table\n"
                "ffffffffc0a00000 t ext4_read\t[ext4]\n"
                "ffffffffc0a00010 t init_once\t[ext4]\n"
                "ffffffffc0a00020 t helper.cold\t[ext4]\n"
                "ffffffffc0a00030 t helper.cold\t[ext4]\n"
                "ffffffffc0b00000 t bpf_prog_1\t[bpf]\n"
                "ffffffffc0c00000 t bpf_prog_1\t[bpf]\n");
    take(&names, SECOND, pcs, 7);
    check_written(&names, "[kernel.kallsyms]:"
                          " init_once ffffffff92000100+100 ([kernel]+0x100)"
                          " init_once ffffffff92000200+100 ([kernel]+0x200)"
                          " init_once ffffffff92000300+100 ()\n"
                          "[ext4]: init_once ffffffffc0a00010+10 ()"
                          " helper.cold ffffffffc0a00020+10 ([ext4]+0x20)\n"
                          "[bpf]: bpf_prog_1 ffffffffc0b00000+100000"
                          " bpf_prog_1 ffffffffc0c00000+1000\n");
    remove_root();
}

/* Users other than root see zeros. */
POOLED_TEST(kernel_names, nothing_is_known_where_addresses_are_hidden)
{
    struct kernel_names names = {0};
    const uint64_t pcs[] = {0xffffffff81000000};

    start();
    take(&names, 0, pcs, 1);
    put_symbols("0000000000000000 T _stext\n0000000000000000 T do_call\n");
    kernel_names_start_archive(&names);
    take(&names, 10 * (uint64_t)SECOND, pcs, 1);
    check_written(&names, "");
    remove_root();
}
