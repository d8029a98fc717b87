/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures of stacks that others have taken: a debugger stopped all CPUs, again and
 * again, and there are names of functions instead of addresses. As cargo-osdk's profiler
 * leaves them: the debugger's own log or JSON. Folded stacks are one capture, in which a
 * stack has any number of samples. What reads them is in captures/.
 *
 * They become samples whose PCs are numbers of names (pc_names of the builder), and whose
 * time, where samples of different times are to stay apart, is the number of the capture.
 */
#ifndef FXTPROFILE_IMPORT_IMPORT_H
#define FXTPROFILE_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect.h"
#include "common/base/io/input.h"
#include "settings.h"

/* The CPU by which captures in JSON mean one that is not known. */
enum { IMPORT_UNKNOWN_CPU = CPU_MAX + 1 };

struct import {
    const struct import_settings *settings;
    struct collect *collect;
    struct input *input;
    /* What reports call it. */
    const char *name;
    uint64_t n_errors;
};

/* There is such a content. */
bool import_has_content(unsigned content);

/* What the input is, FXT_PROFILE_CONTENT_FXT for what is not recognised. The settings
 * say, or its first bytes do. */
enum fxt_profile_content import_recognise(const struct import_settings *settings,
                                          struct input *input);

/* What an input is that import_recognise has not recognised and that is no FXT either, as
 * recognise_foreign has it; NULL for what may be, and where the settings say what it is.
 */
const char *import_refuse(const struct import_settings *settings, struct input *input);

/* Reads all of an input that is not FXT. Returns false, which was reported, if it cannot
 * be used: the client does not accept it. */
bool import_input(struct import *import, enum fxt_profile_content content);

/* All inputs have been read: puts the names into an order that does not depend on the
 * input's. Does nothing for a profile without captures or waits. */
void import_finish(struct profile_builder *builder);

/* ---- For the readers --------------------------------------------------------------- */

/* Reads the input's lines, or its text. */
void import_gdb(struct import *import);
void import_json(struct import *import);
void import_folded(struct import *import);

/* One more capture begins; there is one before the first stack. */
void import_start_capture(struct import *import);

/* A stack of the last capture and how often it was seen. The names' numbers are leaf
 * first; without names it is none. The CPU may be PROFILE_NO_CPU; `thread` is 0 where a
 * CPU's is all that is known. */
void import_add(struct import *import, uint32_t cpu, uint64_t thread,
                const uint64_t *names, size_t n_names, int64_t count);

uint64_t import_name(struct import *import, struct string name);

/* Reports something that could not be read: "line 12: a frame without ...". */
void import_fault(struct import *import, const char *unit, uint64_t number,
                  const char *what);

/* The same for what was read, but may be wrong. */
void import_warn(struct import *import, const char *unit, uint64_t number,
                 const char *what);

#endif
