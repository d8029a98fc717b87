/* SPDX-License-Identifier: BSD-2-Clause */
/* See settings.h. */
#include "settings.h"

#include <inttypes.h>

#include "around.h"
#include "cutter.h"
#include "files.h"
#include "reading.h"
#include "tools/common/report.h"

/* ---- One pass ---------------------------------------------------------------------- */

static void report_lost(const struct cut_settings *settings,
                        const struct trace_cutter *cutter)
{
    uint64_t n = cutter->parts.sources.n_lost + cutter->parts.descriptions.n_lost;

    if (n > 0 && !settings->quiet)
        complain(FXTCUT_PROGRAM, settings->input,
                 "strings, names and mappings that were too large to keep, and may be "
                 "missing: %" PRIu64,
                 n);
}

/* Writes what is in the windows to the next file or files. Returns how many records that
 * are. */
static uint64_t write_windows(struct input_passes *reading, struct files *files,
                              struct cut_settings *settings,
                              const struct time_windows *windows, bool reports)
{
    struct trace_cutter cutter = {
        .taker = {.record = cutter_take,
                  .release = cutter_release,
                  .finish = cutter_finish,
                  .reports = reports},
        .choice = &settings->choice,
        .windows = windows,
        .parts = {.split = settings->split, .next = files_next, .context = files}};
    uint64_t n = 0;

    if (!settings_have_around(settings))
        cutter.thin.every = settings->every;
    if (reading_run(reading, &cutter.taker)) {
        n = cutter.parts.n_all;
        if (reports)
            report_lost(settings, &cutter);
    }
    cutter_free(&cutter);
    return n;
}

/* ---- All passes -------------------------------------------------------------------- */

static bool find_windows(struct input_passes *reading, struct cut_settings *settings,
                         struct time_windows *windows)
{
    if (!settings_have_around(settings)) {
        if (settings->has_time)
            windows_add(windows, settings->time);
        return true;
    }
    if (!around_find_windows(reading, settings, windows))
        return false;
    if (windows->n > 0)
        return true;
    complain(FXTCUT_PROGRAM, settings->input, "no span that --around asks for");
    if (reading->status < CUT_BAD)
        reading->status = CUT_BAD;
    return false;
}

static void write_all(struct input_passes *reading, struct cut_settings *settings,
                      struct time_windows *windows)
{
    struct files files;
    uint64_t n = 0;

    files_start(&files, settings, settings->each || settings->split.by != SPLIT_NOT);
    if (settings->each) {
        for (size_t i = 0;
             i < windows->n && reading->status != CUT_UNUSABLE && !files.failed; i++) {
            const struct time_windows one = {&windows->windows[i], 1, 1};

            n += write_windows(reading, &files, settings, &one, i == 0);
        }
    } else {
        windows_merge(windows);
        n = write_windows(reading, &files, settings, windows, true);
    }
    if (!files_end(&files, reading->status != CUT_UNUSABLE) && reading->status < CUT_BAD)
        reading->status = CUT_BAD;
    if (n == 0 && reading->status == CUT_GOOD && !settings->quiet)
        complain(FXTCUT_PROGRAM, settings->input, "no record matches");
}

enum cut_status cut(struct cut_settings *settings)
{
    bool finds_first = settings->choice.by_process_name || settings_have_around(settings);
    struct time_windows windows = {NULL, 0, 0};
    struct input_passes reading;

    if (reading_start(&reading, settings, finds_first) &&
        (!settings->choice.by_process_name ||
         around_find_processes(&reading, settings)) &&
        find_windows(&reading, settings, &windows))
        write_all(&reading, settings, &windows);
    reading_end(&reading);
    return reading.status;
}
