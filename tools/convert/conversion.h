/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a converter, from its options to its verdict: conversion_read makes a
 * profile of the inputs, an output writes it (see convert.c), and the rest says what came
 * of it.
 */
#ifndef CONVERT_CONVERSION_H
#define CONVERT_CONVERSION_H

#include "convert.h"
#include "import_reports.h"
#include "libfxtprofile/pipeline.h"
#include "options.h"

enum { EXIT_GOOD = 0, EXIT_BAD = 1, EXIT_UNUSABLE = 2 };

struct conversion {
    const struct converter *converter;
    /* The command as it was given. */
    struct text command;
    struct options options;
    struct pipeline pipeline;
    struct import_reports reports;
};

/* Reads all inputs and puts the profile together. */
void conversion_read(struct conversion *conversion);

/* Says what is in the profile and what is not. */
void conversion_summarize(const struct conversion *conversion);

/* What can only be judged once it is known what the input holds: complains and returns
 * false if the options do not go with it. */
bool conversion_fits(const struct conversion *conversion);

/* The exit status. */
int conversion_judge(const struct conversion *conversion);

/* Whether no input would be lost by writing, which is said if it would: before they are
 * read; what names are from, so far as that is known; and when all was read, with the
 * exit status so far, what only the inputs tell. */
bool conversion_spares_inputs(const struct conversion *conversion);
bool conversion_spares_symbols(const struct conversion *conversion);
bool conversion_spares_captures(const struct conversion *conversion, int status);

#endif
