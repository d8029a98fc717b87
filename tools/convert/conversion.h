/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a converter, from its options to its verdict: conversion_read makes a
 * profile of the inputs, an output writes it (see convert.c), and the rest says what came
 * of it.
 */
#ifndef CONVERT_CONVERSION_H
#define CONVERT_CONVERSION_H

#include "libfxtprofile/import/collect.h"
#include "convert.h"
#include "libfxtprofile/import/heap_snapshot.h"
#include "libfxtprofile/import/load.h"
#include "libfxtprofile/profile/modules.h"
#include "import_reports.h"
#include "options.h"
#include "libfxtprofile/profile/profile.h"
#include "libfxtprofile/import/spans.h"
#include "libfxtprofile/symbols/symbolize.h"

enum { EXIT_GOOD = 0, EXIT_BAD = 1, EXIT_UNUSABLE = 2 };

struct conversion {
    const struct converter *converter;
    /* The command as it was given. */
    struct text command;
    struct options options;
    struct symbolizer symbolizer;
    struct modules modules;
    struct spans spans;
    struct heap heap;
    struct profile profile;
    struct collect collect;
    struct import_reports reports;
    /* The samples may be of another sampler than the user says. */
    bool looks_restorable;
};

/* Reads all inputs and puts the profile together. */
struct load_result conversion_read(struct conversion *conversion);

/* Says what is in the profile and what is not, in its comments and on standard error. */
void conversion_summarize(struct conversion *conversion, uint64_t n_errors);

/* What can only be judged once it is known what the input holds: complains and returns
 * false if the options do not go with it. */
bool conversion_fits(const struct conversion *conversion);

/* The exit status. */
int conversion_judge(const struct conversion *conversion, struct load_result loaded);

/* Whether no input would be lost by writing, which is said if it would: before they are
 * read; what names are from, so far as that is known; and when all was read, with the
 * exit status so far, what only the inputs tell. */
bool conversion_spares_inputs(const struct conversion *conversion);
bool conversion_spares_symbols(const struct conversion *conversion);
bool conversion_spares_captures(const struct conversion *conversion,
                                struct load_result loaded, int status);

#endif
