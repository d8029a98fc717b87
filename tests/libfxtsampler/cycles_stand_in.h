/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of CPU cycles for machines that have none: see cycles_stand_in.c. */
#ifndef TESTS_LIBFXTSAMPLER_CYCLES_STAND_IN_H
#define TESTS_LIBFXTSAMPLER_CYCLES_STAND_IN_H

#include <sys/types.h>

enum cycles_stand_in {
    /* One cycle a nanosecond. */
    CYCLES_OF_A_CLOCK,
    /* They stand still. */
    CYCLES_THAT_STOPPED,
    /* Each is counted for the thread `cycles_thread`, which waits, once samples are
     * taken: so does a counter that others have not count for those that asked. */
    CYCLES_OF_ANOTHER,
    /* Opening them fails: with `cycles_error`, or so on every CPU but the first. */
    CYCLES_OF_NONE,
    CYCLES_OF_THE_FIRST_CPU,
};

extern enum cycles_stand_in cycles_stand_in;
extern pid_t cycles_thread;
extern int cycles_error;

#endif
