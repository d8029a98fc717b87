/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of options, each of which ends the program if it is not one. */
#ifndef FXTRECORD_OPTION_VALUES_H
#define FXTRECORD_OPTION_VALUES_H

#include "record_options.h"

uint64_t option_frequency(const char *value);
uint64_t option_period(const char *value);
uint64_t option_duration(const char *value);
uint64_t option_buffer_size(const char *value);
uint64_t option_file_size(const char *value);
uint64_t option_kept(const char *value);
uint64_t option_last(const char *value);
enum fxt_sampler_method option_method(const char *value);
enum fxt_sampler_call_graph option_call_graph(const char *value);
uint32_t option_stack_size(const char *value);
uint64_t option_count(const char *value);
uint64_t option_samples(const char *value);
uint64_t option_interval(const char *value);
int option_architecture(const char *value);

#endif
