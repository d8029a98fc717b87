/* SPDX-License-Identifier: BSD-2-Clause */
/* See live.h: what is recorded by a session, and what was recorded otherwise. */
#include "live.h"

/* ---- A session --------------------------------------------------------------------- */

/* A file has its own reason. */
static bool take_code(enum fxt_sampler_code code, struct text *why)
{
    if (code != FXT_SAMPLER_OK && code != FXT_SAMPLER_E_SINK)
        text_str(why, fxt_sampler_code_message(code));
    return code == FXT_SAMPLER_OK;
}

static bool open_session(void *context, fxt_write_fn *write, void *to, struct text *why)
{
    const struct live_session *s = context;

    return take_code(fxt_sampler_open_archive(s->sampler, s->archive, write, to), why);
}

static bool append_session(void *context, struct text *why)
{
    const struct live_session *s = context;

    return take_code(fxt_sampler_append(s->sampler), why);
}

static bool close_session(void *context, struct live_archive *archive, struct text *why)
{
    const struct live_session *s = context;
    enum fxt_sampler_code code = fxt_sampler_close_archive(s->sampler, s->summary);

    archive->n_samples = s->summary->samples;
    archive->n_damaged = s->summary->damaged;
    return take_code(code, why);
}

struct live_source live_session_source(struct live_session *session)
{
    return (struct live_source){open_session, append_session, close_session, session};
}

/* ---- A recording ------------------------------------------------------------------- */

static bool write_stream(struct live_recording *r)
{
    return archive_stream_write(r->stream, r->write, r->to);
}

static bool open_recording(void *context, fxt_write_fn *write, void *to, struct text *why)
{
    struct live_recording *r = context;

    (void)why;
    r->write = write;
    r->to = to;
    r->stream = archive_stream_begin(r->recording, r->regions.directory == NULL);
    return write_stream(r);
}

static bool append_recording(void *context, struct text *why)
{
    struct live_recording *r = context;
    bool good;

    do {
        filled_regions_clear(&r->block);
        r->find_block(r->context, &r->block);
        recording_add_block(r->recording, &r->block);
        archive_stream_add(r->stream, &r->block);
        good = write_stream(r) && (r->regions.directory == NULL ||
                                   region_files_append(&r->regions, &r->block, why));
    } while (good && r->block.n > 0);
    recording_forget(r->recording, 0);
    return good;
}

static bool close_recording(void *context, struct live_archive *archive, struct text *why)
{
    struct live_recording *r = context;
    enum fxt_code code;
    bool good;

    archive_stream_end(r->stream);
    good = write_stream(r);
    archive->n_samples = archive_stream_samples(r->stream);
    code = archive_stream_code(r->stream);
    if (code != FXT_OK)
        text_str(why, fxt_code_message(code));
    archive_stream_free(r->stream);
    r->stream = NULL;
    archive->n_damaged = r->recording->n_damaged;
    if (r->regions.directory != NULL) {
        archive->n_samples = r->recording->n_samples;
        region_files_remove_others(&r->regions);
        good = region_files_end(&r->regions, why) && good;
    }
    return good && code == FXT_OK;
}

struct live_source live_recording_source(struct live_recording *recording)
{
    return (struct live_source){open_recording, append_recording, close_recording,
                                recording};
}
