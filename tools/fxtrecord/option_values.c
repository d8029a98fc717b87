/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_values.h. */
#include "option_values.h"

#include <string.h>

#include "common/base/parse.h"
#include "options_check.h"
#include "tools/fxtrecord/debugger/rsp_target.h"

typedef bool parse_fn(const char *string, uint64_t *number);

/* A number from `min` up to `max`, or the end with a message. */
static uint64_t take_number(const char *value, parse_fn *parse, uint64_t min,
                            uint64_t max, const char *refusal)
{
    uint64_t number;

    if (!parse(value, &number) || number < min || number > max)
        options_refuse(refusal);
    return number;
}

uint64_t option_frequency(const char *value)
{
    return 1000000000 /
           take_number(value, parse_u64, 1, 100000,
                       "-F takes a number of samples a second, from 1 to 100000");
}

uint64_t option_period(const char *value)
{
    return take_number(value, parse_duration, FXT_SAMPLER_PERIOD_MIN_NS,
                       FXT_SAMPLER_PERIOD_MAX_NS,
                       "--period takes a time from 10us on, such as 1ms");
}

uint64_t option_duration(const char *value)
{
    return take_number(value, parse_time, 1, UINT64_MAX,
                       "-d takes a time above 0, such as 10 or 500ms");
}

uint64_t option_buffer_size(const char *value)
{
    return take_number(
        value, parse_size, 1, FXT_SAMPLER_BUFFER_SIZE_MAX,
        "--buffer-size takes a number of bytes up to 1G, such as 65536 or 4M");
}

uint64_t option_file_size(const char *value)
{
    return take_number(value, parse_size, 65536, UINT64_MAX,
                       "--max-size and --rotate take a number of bytes from 64K on, such "
                       "as 100M or 2G");
}

uint64_t option_kept(const char *value)
{
    return take_number(value, parse_u64, 1, UINT64_MAX, "--keep takes a number above 0");
}

uint64_t option_last(const char *value)
{
    return take_number(value, parse_time, 1, FXT_SAMPLER_PERIOD_MAX_NS,
                       "--last takes a time up to a day, such as 30 or 500ms");
}

uint64_t option_count(const char *value)
{
    return take_number(value, parse_u64, 1, INT64_MAX,
                       "--count takes a number of events above 0");
}

uint64_t option_samples(const char *value)
{
    return take_number(value, parse_u64, 1, UINT64_MAX,
                       "--samples takes a number above 0");
}

uint64_t option_interval(const char *value)
{
    return take_number(value, parse_time, 0, FXT_SAMPLER_PERIOD_MAX_NS,
                       "--interval takes a time up to a day, such as 0.1 or 50ms");
}

uint32_t option_stack_size(const char *value)
{
    const char *refusal =
        "--stack-size takes a number of bytes up to 65528, a multiple of 8, "
        "such as 16K";
    uint64_t size =
        take_number(value, parse_size, 1, FXT_SAMPLER_STACK_SIZE_MAX, refusal);

    if (size % 8 != 0)
        options_refuse(refusal);
    return (uint32_t)size;
}

enum fxt_sampler_method option_method(const char *value)
{
    if (strcmp(value, "perf") == 0)
        return FXT_SAMPLER_PERF;
    if (strcmp(value, "signal") != 0)
        options_refuse("--method is perf or signal");
    return FXT_SAMPLER_SIGNAL;
}

enum fxt_sampler_call_graph option_call_graph(const char *value)
{
    if (strcmp(value, "auto") == 0)
        return FXT_SAMPLER_CALL_GRAPH_AUTO;
    if (strcmp(value, "dwarf") == 0)
        return FXT_SAMPLER_UNWIND_TABLES;
    if (strcmp(value, "fp") != 0)
        options_refuse("--call-graph is auto, dwarf or fp");
    return FXT_SAMPLER_FRAME_POINTERS;
}

int option_architecture(const char *value)
{
    enum rsp_machine machine = rsp_machine_named(value);

    if (machine == RSP_UNKNOWN_MACHINE)
        options_refuse("--architecture is x86-64, aarch64 or riscv64");
    return machine;
}
