/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be known before the first record is written: the processes that have a name,
 * and when the instances of a span were. */
#ifndef FXTCUT_AROUND_H
#define FXTCUT_AROUND_H

#include "reading.h"
#include "settings.h"
#include "windows.h"

/* Adds the processes that have one of the settings' names to its choice, wherever in the
 * input they are named. Returns false if the input cannot be used. */
bool around_find_processes(struct input_passes *reading, struct cut_settings *settings);

/* Adds a window for each instance of a span or an operation around which is to be cut: of
 * the chosen processes, threads and providers, at the chosen time, and of those every
 * N-th; in the order of their begins. */
bool around_find_windows(struct input_passes *reading, struct cut_settings *settings,
                         struct time_windows *windows);

#endif
