/* SPDX-License-Identifier: BSD-2-Clause */
/* See live.h. */
#include "live.h"

#include <inttypes.h>
#include <string.h>

#include "tools/common/report.h"

static bool has_numbers(const struct live *live)
{
    return live->options->rotate_bytes > 0;
}

static const char *file_name(const struct live *live)
{
    const char *name = live->files.path.data;

    return name == NULL || strcmp(name, "-") == 0 ? "standard output" : name;
}

/* The file's own reason, or that of the source. */
static bool report(struct live *live)
{
    return complain_text(FXTRECORD_PROGRAM, file_name(live),
                         live->files.why.size > 0 ? &live->files.why : &live->why);
}

/* ---- One archive ------------------------------------------------------------------- */

static bool open_archive(struct live *live, bool has_number)
{
    if (live->files.output == NULL && !trace_files_open(&live->files, has_number))
        return false;
    live->is_open = true;
    return live->source.open(live->source.context, trace_files_write, &live->files,
                             &live->why);
}

/* Returns whether everything is in it. One that has samples is kept even if not. */
static bool close_archive(struct live *live, bool keep)
{
    struct live_archive archive = {0};
    bool good;

    if (!live->is_open)
        return false;
    live->is_open = false;
    trace_files_spare(&live->files);
    good = live->source.close(live->source.context, &archive, &live->why);
    live->total.n_samples += archive.n_samples;
    live->total.n_damaged += archive.n_damaged;
    if (!live->files.is_published && archive.n_samples > 0)
        trace_files_publish(&live->files);
    keep = keep || live->files.is_published;
    /* Before the file loses the lock that it has while it is written. */
    if (live->options->embeds_symbols && keep)
        embed_queue_add(&live->embedding, live->files.path.data);
    return trace_files_close(&live->files, keep) && good;
}

/* ---- While it runs ----------------------------------------------------------------- */

bool live_prepare(struct live *live, const struct record_options *options,
                  const char *name)
{
    live->options = options;
    live->embedding.options = options;
    live->files.name = name;
    live->files.max_bytes = options->max_bytes;
    live->files.n_kept = options->n_kept;
    live->files.leaves_notes = options->notes_removed;
    live->files.are_compressed = options->compresses;
    return options->last_ns > 0 || trace_files_open(&live->files, has_numbers(live)) ||
           report(live);
}

bool live_begin(struct live *live, struct live_source source)
{
    live->source = source;
    if (live->options->last_ns > 0 || open_archive(live, has_numbers(live)))
        return true;
    close_archive(live, false);
    return report(live);
}

bool live_publish(struct live *live)
{
    if (live->options->last_ns > 0 || trace_files_publish(&live->files))
        return true;
    close_archive(live, false);
    return report(live);
}

static bool rotate(struct live *live)
{
    return close_archive(live, true) && open_archive(live, true) &&
           trace_files_publish(&live->files);
}

static bool append(struct live *live)
{
    if (!live->has_ended)
        live->has_ended = !live->source.append(live->source.context, &live->why);
    return !live->has_ended;
}

bool live_step(struct live *live)
{
    if (append(live) && has_numbers(live) &&
        live->files.n_bytes >= live->options->rotate_bytes)
        live->has_ended = !rotate(live);
    return !live->has_ended;
}

/* ---- The end ----------------------------------------------------------------------- */

static void report_unwritten(const struct live *live, uint64_t n_recorded)
{
    uint64_t n = n_recorded - live->total.n_samples;

    if (n_recorded > live->total.n_samples)
        complain(FXTRECORD_PROGRAM, NULL,
                 "the recording ended early: %" PRIu64 " sample%s could not be written",
                 n, text_plural(n));
}

bool live_end(struct live *live, uint64_t n_recorded)
{
    /* A file that is full now needs no other one after it. */
    bool good = append(live);

    good = close_archive(live, true) && good;
    if (good)
        return true;
    if (live->files.is_full && !live->files.has_failed && live->why.size == 0) {
        if (!live->options->quiet)
            complain(FXTRECORD_PROGRAM, file_name(live),
                     "the recording ended, as the file has the size of --max-size");
        return true;
    }
    report(live);
    report_unwritten(live, n_recorded);
    return false;
}

bool live_write_last(struct live *live, bool has_number)
{
    bool good = open_archive(live, has_number) &&
                live->source.append(live->source.context, &live->why);

    live->total = (struct live_archive){0};
    good = close_archive(live, good) && good;
    if (good)
        return true;
    report(live);
    if (live->total.n_samples > 0)
        complain(FXTRECORD_PROGRAM, NULL, "not all of the last samples were written");
    return false;
}

void live_describe(const struct live *live, struct text *to)
{
    if (live->files.n_files > 1 && live->options->last_ns == 0)
        text_printf(to, "%" PRIu64 " files, of which the last is %s", live->files.n_files,
                    file_name(live));
    else
        text_str(to, file_name(live));
}

void live_drop(struct live *live)
{
    trace_files_close(&live->files, false);
    embed_queue_wait(&live->embedding);
}
