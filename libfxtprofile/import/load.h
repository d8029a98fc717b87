/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All inputs into a profile, one after the other.
 *
 * Regions are of CPU 0, 1, 2 and so on, as they come: each file is one, or with
 * --region-size each piece of a file. A file that cannot be opened takes its number all
 * the same; archives take none. Where the user says another CPU, that counts.
 */
#ifndef FXTPROFILE_IMPORT_LOAD_H
#define FXTPROFILE_IMPORT_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "collect.h"
#include "common/base/io/input.h"
#include "settings.h"

struct load_state {
    /* How many records or stretches of input were lost to damage. */
    uint64_t n_errors;
    /* How many inputs could not be opened. */
    size_t n_unusable;
    /* An input could be opened but not be read to its end. */
    bool failed;
    /* How many regions there were. */
    uint32_t n_regions;
    /* Some input was no capture of stacks. */
    bool has_traces;
};

/* Reads the inputs that the settings name, after those that are counted in the state,
 * which is all zero at first. Faults are reported. */
void load_inputs(const struct import_settings *settings, struct collect *collect,
                 struct load_state *state);

/* Reads one input that is open, and stays so. Reports call it as `file` does, and the
 * settings' files are ignored. */
void load_input(const struct import_settings *settings, struct collect *collect,
                struct load_state *state, struct input *input,
                const struct import_file *file);

#endif
