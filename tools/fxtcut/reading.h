/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the input from its start to its end, as often as that is needed. */
#ifndef FXTCUT_READING_H
#define FXTCUT_READING_H

#include <stdbool.h>
#include <stdio.h>

#include <fxt/reader.h>

#include "common/base/text.h"
#include "settings.h"
#include "tools/common/report.h"

/* Where the input is read from. */
struct input_passes {
    const struct cut_settings *settings;
    /* A copy of what can be read only once; else NULL. */
    FILE *copy;
    struct text name;
    enum cut_status status;
};

/* What takes the records: the first member of a struct that has more. Its functions, of
 * which the last two may be NULL, get it as their context. The reader calls the first one
 * itself, as there may be nothing else to do for most records. */
struct taker {
    fxt_record_fn *record;
    void (*release)(void *context);
    void (*finish)(void *context);
    /* Damage is reported. */
    bool reports;
    /* Set while it is being read. */
    struct fxt_reader *reader;
    struct report report;
};

/* Makes it possible to read the input several times if `is_repeated`. Returns false if it
 * cannot be read, which was reported and is in the status. */
bool reading_start(struct input_passes *reading, const struct cut_settings *settings,
                   bool is_repeated);

/* Reads all of it. Returns false if it could not be used at all; then, and if there was
 * damage, the status says so. */
bool reading_run(struct input_passes *reading, struct taker *taker);

void reading_end(struct input_passes *reading);

#endif
