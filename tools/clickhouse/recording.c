/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. */
#include "recording.h"

#include "common/base/io/input.h"
#include "common/base/quote.h"
#include "common/base/sha256.h"
#include "row_binary.h"

enum { PIECE = 1 << 18 };

#define NS_PER_S 1000000000

/* ---- The id ------------------------------------------------------------------------ */

static bool hash_file(const char *path, unsigned char digest[SHA256_BYTES],
                      struct text *why)
{
    struct input *input = input_open(path, why);
    struct sha256 hash;
    const char *error;

    if (input == NULL)
        return false;
    sha256_start(&hash);
    for (input_want(input, PIECE); input_size(input) > 0; input_want(input, PIECE)) {
        sha256_add(&hash, input_data(input), input_size(input));
        input_consume(input, input_size(input));
    }
    sha256_end(&hash, digest);
    error = input_error(input);
    if (error != NULL)
        text_str(why, error);
    input_close(input);
    return error == NULL;
}

bool recording_identify(struct recording *recording, const struct fxt_profile_file *files,
                        size_t n_files, const char **about, struct text *why)
{
    unsigned char digest[SHA256_BYTES];
    struct sha256 all;

    sha256_start(&all);
    for (size_t i = 0; i < n_files; i++) {
        if (!hash_file(files[i].path, digest, why)) {
            *about = files[i].path;
            return false;
        }
        sha256_add(&all, digest, sizeof(digest));
    }
    if (n_files > 1)
        sha256_end(&all, digest);
    memcpy(recording->id, digest, sizeof(recording->id));
    return true;
}

/* ---- The row ----------------------------------------------------------------------- */

uint32_t recording_seconds(int64_t ns)
{
    int64_t seconds = ns / NS_PER_S;

    if (seconds < 0)
        return 0;
    return seconds < UINT32_MAX ? (uint32_t)seconds : UINT32_MAX;
}

void recording_date(struct recording *recording, const struct fxt_profile *profile)
{
    uint64_t clock_ns;
    uint64_t wall_ns;

    if (!fxt_profile_wall_clock(profile, &clock_ns, &wall_ns))
        wall_ns = 0;
    recording->time =
        recording_seconds(wall_ns < INT64_MAX ? (int64_t)wall_ns : INT64_MAX);
}

static void add_string(struct text *rows, const char *string, size_t size)
{
    struct text valid = {NULL, 0, 0};

    quote_utf8(&valid, string, size);
    row_binary_string(rows, valid.data, valid.size);
    text_free(&valid);
}

void recording_row(struct text *rows, const struct recording *r, uint64_t n_rows)
{
    text_add(rows, r->id, sizeof(r->id));
    row_binary_u32(rows, r->time);
    add_string(rows, r->host, strlen(r->host));
    row_binary_size(rows, r->n_labels);
    for (size_t i = 0; i < r->n_labels; i++)
        add_string(rows, r->labels[i].name, r->labels[i].name_size);
    row_binary_size(rows, r->n_labels);
    for (size_t i = 0; i < r->n_labels; i++)
        add_string(rows, r->labels[i].value, strlen(r->labels[i].value));
    row_binary_u64(rows, n_rows);
}
