/* SPDX-License-Identifier: BSD-2-Clause */
/* What is compressed is the same again when it is decompressed, however it was written.
 */
#include "tests/support/pooled.h"
#include "common/base/io/input.h"
#include "common/base/io/output.h"
#include "common/base/io/zstd.h"

/* The byte at some place of what is written: varying, and cheap to compress. */
static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i >> 16 ^ i % 7);
}

typedef void compress_fn(struct output *output);

static void check(compress_fn *compress, size_t size, size_t piece_size)
{
    unsigned char *piece = (unsigned char *)memory_allocate(piece_size);
    struct text written = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(&written);
    struct input *input;
    size_t at = 0;

    compress(output);
    for (size_t done = 0; done < size; done += piece_size) {
        size_t n = size - done < piece_size ? size - done : piece_size;

        for (size_t i = 0; i < n; i++)
            piece[i] = byte_at(done + i);
        output_write(output, piece, n);
    }
    cr_assert(output_close(output, true, &why));
    input = input_from_memory(written.data, written.size);
    while (input_want(input, 1)) {
        const unsigned char *data = input_data(input);

        for (size_t i = 0; i < input_size(input); i++, at++) {
            if (data[i] != byte_at(at))
                cr_assert_fail("byte %zu of %zu", at, size);
        }
        input_consume(input, input_size(input));
    }
    cr_assert_null(input_error(input));
    cr_assert_eq(at, size);
    input_close(input);
}

static void check_sizes(compress_fn *compress)
{
    check(compress, 0, 1);
    check(compress, 1, 1);
    check(compress, 70000, 1);
    check(compress, 3000001, 1000);
    check(compress, 3000001, 3000001);
}

POOLED_TEST(output, what_is_compressed_comes_back)
{
    check_sizes(output_compress);
    if (zstd_exists())
        check_sizes(output_compress_zstd);
}

/* Parts of many sizes, of which every third is not in the file. */
POOLED_TEST(output, parts_that_are_written_come_back_without_the_others)
{
    struct text file = {NULL, 0, 0};
    struct text part = {NULL, 0, 0};
    struct text expected = {NULL, 0, 0};
    struct input *input;
    struct zstd *zstd;

    if (!zstd_exists())
        return;
    zstd = zstd_create();
    for (size_t i = 0; i < 100; i++) {
        bool is_written = i % 3 != 0;
        unsigned char data[5000];
        size_t size = i * 50 + 1;

        for (size_t j = 0; j < size; j++)
            data[j] = byte_at(i * 7001 + j);
        part.size = 0;
        zstd_add_part(zstd, data, size, &part);
        zstd_part_done(zstd, is_written);
        if (!is_written)
            continue;
        text_add(&file, part.data, part.size);
        text_add(&expected, data, size);
        /* What is written can be read at once, though the file does not end here. */
        input = input_from_memory(file.data, file.size);
        cr_assert(input_want(input, expected.size));
        cr_assert_not(input_want(input, expected.size + 1));
        cr_assert_not_null(input_error(input));
        input_close(input);
    }
    zstd_end(zstd, &file);
    zstd_free(zstd);
    input = input_from_memory(file.data, file.size);
    cr_assert(input_want(input, expected.size));
    cr_assert_not(input_want(input, expected.size + 1));
    cr_assert_eq(memcmp(input_data(input), expected.data, expected.size), 0);
    cr_assert_null(input_error(input));
    input_close(input);
}

POOLED_TEST(output, what_is_too_large_for_one_piece_comes_back)
{
    check(output_compress, ((size_t)1 << 27) + 5, (size_t)1 << 20);
    check(output_compress, ((size_t)1 << 27) + 5, ((size_t)1 << 27) + 5);
}
