/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The format's own words for its numbers, as they stand in fxtdump's JSON. Each function
 * returns NULL for a number that has no name.
 */
#ifndef TOOLS_ENUM_NAMES_H
#define TOOLS_ENUM_NAMES_H

#include <stdint.h>

const char *name_record_type(uint64_t type);
const char *name_metadata_type(uint64_t type);
const char *name_provider_event(uint64_t event);
const char *name_event_type(uint64_t type);
const char *name_blob_type(uint64_t type);
const char *name_object_type(uint64_t type);
const char *name_scheduling_type(uint64_t type);
const char *name_thread_state(uint64_t state);
const char *name_profiler_type(uint64_t type);
const char *name_arg_type(uint64_t type);

#endif
