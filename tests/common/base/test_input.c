/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, which another thread decompresses, are what the same bytes are in memory, which
 * this thread decompresses: the bytes, where they end, and why. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/pooled.h"
#include "common/base/io/input.h"
#include "common/base/io/output.h"
#include "common/base/io/zstd.h"

/* Several times as much as is decompressed before a thread starts. */
enum { SIZE = 5000011 };

typedef void compress_fn(struct output *output);

struct contents {
    struct text bytes;
    struct text error;
};

static void count_bytes(void *context, size_t n_bytes)
{
    *(size_t *)context += n_bytes;
}

/* Takes up to so many bytes at a time, and closes the input. */
static struct contents read_all(struct input *input, size_t piece, size_t *n_read)
{
    struct contents c = {{NULL, 0, 0}, {NULL, 0, 0}};

    cr_assert_not_null(input);
    input_watch(input, count_bytes, n_read);
    while (input_want(input, piece) || input_size(input) > 0) {
        size_t n = input_size(input) < piece ? input_size(input) : piece;

        text_add(&c.bytes, input_data(input), n);
        input_consume(input, n);
    }
    cr_assert_eq(input_offset(input), c.bytes.size);
    if (input_error(input) != NULL)
        text_str(&c.error, input_error(input));
    text_char(&c.error, '\0');
    input_close(input);
    return c;
}

static struct input *open_file_of(const struct text *bytes)
{
    char path[] = "/tmp/test_input.XXXXXX";
    struct text why = {NULL, 0, 0};
    struct input *input;
    int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes->data, bytes->size), (ssize_t)bytes->size);
    close(fd);
    input = input_open(path, &why);
    unlink(path);
    return input;
}

static void check(const struct text *bytes, size_t piece)
{
    size_t n_file = 0;
    size_t n_memory = 0;
    struct contents file = read_all(open_file_of(bytes), piece, &n_file);
    struct contents memory =
        read_all(input_from_memory(bytes->data, bytes->size), piece, &n_memory);

    cr_assert_eq(file.bytes.size, memory.bytes.size, "%zu bytes, not %zu",
                 file.bytes.size, memory.bytes.size);
    cr_assert_eq(memcmp(file.bytes.data, memory.bytes.data, file.bytes.size), 0);
    cr_assert_str_eq(file.error.data, memory.error.data);
    cr_assert_eq(n_file, n_memory);
}

static struct text compress(compress_fn *as)
{
    struct text packed = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(&packed);
    unsigned char *bytes = memory_allocate(SIZE);
    uint32_t state = 1;

    for (size_t i = 0; i < SIZE; i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(state >> 30);
    }
    as(output);
    output_write(output, bytes, SIZE);
    cr_assert(output_close(output, true, &why));
    return packed;
}

static void check_format(compress_fn *as)
{
    struct text packed = compress(as);
    const size_t whole = packed.size;
    size_t n_read = 0;
    struct contents all = read_all(open_file_of(&packed), 1 << 16, &n_read);

    cr_assert_eq(all.bytes.size, SIZE);
    cr_assert_str_empty(all.error.data);
    cr_assert_eq(n_read, whole);
    check(&packed, 7);
    check(&packed, 3 << 20);
    for (size_t i = 1; i < 8; i++) {
        packed.size = whole * i / 8;
        check(&packed, 4096);
    }
    packed.size = whole;
    packed.data[whole / 2] ^= 0x55;
    check(&packed, 4096);
    packed.data[whole / 2] ^= 0x55;
    text_add(&packed, "\0\0\0", 3);
    check(&packed, 4096);
    text_str(&packed, "else");
    check(&packed, 4096);
}

POOLED_TEST(input, another_thread_decompresses_as_this_one)
{
    check_format(output_compress);
    if (zstd_exists())
        check_format(output_compress_zstd);
}

POOLED_TEST(input, errors_say_where_they_are)
{
    /* A header of ten bytes, the last block, which is empty, and the CRC and the size of
     * nothing; after these 20 bytes three zeros, which may follow. */
    static const char data[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03"
                               "\x03\0\0\0\0\0\0\0\0\0"
                               "\0\0\0else";
    size_t n_read = 0;
    struct contents cut = read_all(input_from_memory(data, 19), 1, &n_read);
    struct contents more = read_all(input_from_memory(data, 27), 1, &n_read);

    cr_assert_str_eq(cut.error.data, "the gzip data ends early at byte 19 of the file");
    cr_assert_str_eq(more.error.data,
                     "something else follows the gzip data at byte 23 of the file");
    cr_assert_eq(n_read, 19 + 27);
}

POOLED_TEST(input, an_input_is_closed_before_its_end)
{
    struct text packed = compress(output_compress);
    struct input *input;

    for (size_t i = 0; i < 20; i++) {
        input = open_file_of(&packed);
        cr_assert(input_want(input, (i + 1) * (SIZE / 20)));
        input_close(input);
    }
}
