/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the input from its start to its end, as often as that is needed. */
#ifndef FXTCUT_READING_H
#define FXTCUT_READING_H

#include <stdbool.h>
#include <stdio.h>

#include <fxt/reader.h>

#include "common/base/text.h"
#include "settings.h"

/* Where the input is read from. */
struct input_passes {
    const struct cut_settings *settings;
    /* A copy of what can be read only once; else NULL. */
    FILE *copy;
    struct text name;
    enum cut_status status;
};

/* What takes the records; any of the functions may be NULL, and all get `context`. */
struct taker {
    int (*record)(void *context, const struct fxt_reader *reader,
                  const struct fxt_record *record);
    void (*release)(void *context);
    void (*finish)(void *context, const struct fxt_reader *reader);
    void *context;
    /* Damage is reported. */
    bool reports;
};

/* Makes it possible to read the input several times if `is_repeated`. Returns false if it
 * cannot be read, which was reported and is in the status. */
bool reading_start(struct input_passes *reading, const struct cut_settings *settings,
                   bool is_repeated);

/* Reads all of it. Returns false if it could not be used at all; then, and if there was
 * damage, the status says so. */
bool reading_run(struct input_passes *reading, const struct taker *taker);

void reading_end(struct input_passes *reading);

#endif
