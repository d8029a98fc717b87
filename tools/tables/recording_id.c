/* SPDX-License-Identifier: BSD-2-Clause */
/* See produce.h: the id of a recording. */
#include "produce.h"

#include <errno.h>
#include <sys/stat.h>

#include "common/base/clock.h"
#include "common/base/io/input.h"
#include "common/base/sha256.h"

enum { PIECE = 1 << 18 };

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

/* An archive that is still written would be another recording later. */
static bool is_settled(const char *path, uint64_t since_ns, struct text *why)
{
    struct stat status;

    if (stat(path, &status) != 0)
        text_str(why, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        text_str(why, "a recording is known by its content, which is read twice: only a "
                      "regular file can be");
    else if (file_time_ns(&status) >= since_ns)
        text_str(why, "it is still being written: wait until it is complete");
    else
        return true;
    return false;
}

bool recording_id_make(unsigned char id[HASH_BYTES], const struct fxt_profile_file *files,
                       size_t n_files, uint64_t unchanged_since_ns, const char **about,
                       struct text *why)
{
    unsigned char digest[SHA256_BYTES];
    struct sha256 all;

    sha256_start(&all);
    for (size_t i = 0; i < n_files; i++) {
        if (!is_settled(files[i].path, unchanged_since_ns, why) ||
            !hash_file(files[i].path, digest, why) ||
            !is_settled(files[i].path, unchanged_since_ns, why)) {
            *about = files[i].path;
            return false;
        }
        sha256_add(&all, digest, sizeof(digest));
    }
    if (n_files > 1)
        sha256_end(&all, digest);
    memcpy(id, digest, HASH_BYTES);
    return true;
}
