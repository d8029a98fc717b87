/* SPDX-License-Identifier: BSD-2-Clause */
/* See archive.h. */
#include "archive.h"

#include "base/io/output.h"

/* The file is opened when its first bytes come: files that were mapped have been read and
 * closed by then, where this process may have only few open. */
struct archive_file {
    const char *name;
    struct text *why;
    struct output *output;
};

static int write_bytes(void *context, const void *data, size_t size)
{
    struct archive_file *file = context;

    if (file->output == NULL)
        file->output = output_open(file->name, true, file->why);
    if (file->output == NULL)
        return -1;
    output_write(file->output, data, size);
    return output_failed(file->output);
}

/* With a failure there is no file. What cannot be opened or written has its reason from
 * the output. */
static bool close_archive(struct archive_file *file, const char *failure)
{
    if (file->output != NULL && !output_close(file->output, failure == NULL, file->why))
        return false;
    if (failure != NULL && file->why->size == 0)
        text_str(file->why, failure);
    return failure == NULL;
}

bool archive_write_session(struct fxt_sampler *sampler,
                           const struct fxt_sampler_archive *archive, const char *name,
                           struct text *why)
{
    struct archive_file file = {name, why, NULL};
    enum fxt_sampler_code code = fxt_sampler_write(sampler, archive, write_bytes, &file);

    return close_archive(&file,
                         code != FXT_SAMPLER_OK ? fxt_sampler_code_message(code) : NULL);
}

bool archive_write_recording(const struct recording *recording, bool has_samples,
                             const char *name, struct text *why)
{
    struct archive_file file = {name, why, NULL};
    enum fxt_code code = recording_write(recording, has_samples, write_bytes, &file);

    return close_archive(&file, code != FXT_OK ? fxt_code_message(code) : NULL);
}
