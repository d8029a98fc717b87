/* SPDX-License-Identifier: BSD-2-Clause */
/* See archive.h. */
#include "archive.h"

#include "base/io/output.h"

static int write_bytes(void *context, const void *data, size_t size)
{
    struct output *output = context;

    output_write(output, data, size);
    return output_failed(output);
}

/* Ends the file: with `failure`, if it is not NULL, there is none. What failed to be
 * written is the output's to explain. */
static bool close_archive(struct output *output, const char *failure, struct text *why)
{
    if (!output_close(output, failure == NULL, why))
        return false;
    if (failure != NULL)
        text_str(why, failure);
    return failure == NULL;
}

bool archive_write_session(struct fxt_sampler *sampler,
                           const struct fxt_sampler_archive *archive, const char *name,
                           struct text *why)
{
    struct output *output = output_open(name, true, why);
    enum fxt_sampler_code code;

    if (output == NULL)
        return false;
    code = fxt_sampler_write(sampler, archive, write_bytes, output);
    return close_archive(
        output, code != FXT_SAMPLER_OK ? fxt_sampler_code_message(code) : NULL, why);
}

bool archive_write_recording(const struct recording *recording, bool has_samples,
                             const char *name, struct text *why)
{
    struct output *output = output_open(name, true, why);
    enum fxt_code code;

    if (output == NULL)
        return false;
    code = recording_write(recording, has_samples, write_bytes, output);
    return close_archive(output, code != FXT_OK ? fxt_code_message(code) : NULL, why);
}
