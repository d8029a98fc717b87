/* SPDX-License-Identifier: BSD-2-Clause */
/* What is compressed is the same again when it is decompressed, however it was written.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "common/base/io/input.h"
#include "common/base/io/output.h"

/* The byte at some place of what is written: varying, and cheap to compress. */
static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i >> 16 ^ i % 7);
}

static void check(size_t size, size_t piece_size)
{
    unsigned char *piece = (unsigned char *)memory_allocate(piece_size);
    struct text written = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(&written);
    struct input *input;
    size_t at = 0;

    output_compress(output);
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
    text_free(&written);
    memory_release(piece);
}

Test(output, what_is_compressed_comes_back)
{
    check(0, 1);
    check(1, 1);
    check(70000, 1);
    check(3000001, 1000);
    check(3000001, 3000001);
}

Test(output, what_is_too_large_for_one_piece_comes_back)
{
    check(((size_t)1 << 27) + 5, (size_t)1 << 20);
    check(((size_t)1 << 27) + 5, ((size_t)1 << 27) + 5);
}
