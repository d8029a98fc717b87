/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses libfxtprofile from outside, with own_names.c as libfxt.c: makes folded stacks and
 * a compressed profile of a sample in memory. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>
#include <fxt/profile.h>

extern int call_own_names(void);

static struct fxt_profile *make_profile(void)
{
    /* A backtrace of two PCs in thread 2 of process 1. */
    static const uint64_t region[] = {
        10 | 6 << 4 | 2 << 16 | 2 << 28, 1000, 1, 2, 0x10, 0x20,
    };
    struct fxt_profile_options options = {.size = sizeof(options)};
    struct fxt_profile_builder *builder;
    struct fxt_profile *profile = NULL;

    if (fxt_profile_builder_create(&options, &builder) != FXT_OK)
        return NULL;
    fxt_profile_builder_add_memory(builder, NULL, region, sizeof(region));
    if (fxt_profile_builder_finish(builder, &profile) != FXT_OK)
        fprintf(stderr, "%s\n", fxt_profile_builder_message(builder));
    fxt_profile_builder_destroy(builder);
    return profile;
}

/* Whether what is written in a format begins with that. */
static bool begins_with(const struct fxt_profile *profile, enum fxt_profile_format format,
                        const char *expected)
{
    struct fxt_profile_output output = {.size = sizeof(output), .format = format};
    struct fxt_buffer buffer = {0};
    bool good =
        fxt_profile_write(profile, &output, fxt_buffer_write, &buffer) == FXT_OK &&
        buffer.size > strlen(expected) &&
        memcmp(buffer.data, expected, strlen(expected)) == 0;

    free(buffer.data);
    return good;
}

int main(void)
{
    struct fxt_profile *profile = make_profile();
    bool good = profile != NULL && call_own_names() == 0 &&
                begins_with(profile, FXT_PROFILE_FOLDED, "process[1];0x20;0x10 1") &&
                begins_with(profile, FXT_PROFILE_PPROF, "\x1f\x8b");

    fxt_profile_destroy(profile);
    return good ? 0 : 1;
}
