/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_values.h. */
#include "option_values.h"

#include <string.h>

#include "common/base/parse.h"
#include "options_check.h"
#include "tools/fxtrecord/debugger/rsp_target.h"

uint64_t option_frequency(const char *value)
{
    uint64_t hz;

    if (!parse_u64(value, &hz) || hz == 0 || hz > 100000)
        options_refuse("-F takes a number of samples a second, from 1 to 100000");
    return 1000000000 / hz;
}

uint64_t option_period(const char *value)
{
    uint64_t ns;

    if (!parse_duration(value, &ns) || ns < FXT_SAMPLER_PERIOD_MIN_NS ||
        ns > FXT_SAMPLER_PERIOD_MAX_NS)
        options_refuse("--period takes a time from 10us on, such as 1ms");
    return ns;
}

uint64_t option_duration(const char *value)
{
    uint64_t ns;

    if (!parse_time(value, &ns) || ns == 0)
        options_refuse("-d takes a time above 0, such as 10 or 500ms");
    return ns;
}

uint64_t option_buffer_size(const char *value)
{
    uint64_t size;

    if (!parse_size(value, &size) || size == 0 || size > FXT_SAMPLER_BUFFER_SIZE_MAX)
        options_refuse(
            "--buffer-size takes a number of bytes up to 1G, such as 65536 or 4M");
    return size;
}

uint64_t option_file_size(const char *value)
{
    uint64_t size;

    if (!parse_size(value, &size) || size < 65536)
        options_refuse("--max-size and --rotate take a number of bytes from 64K on, such "
                       "as 100M or 2G");
    return size;
}

uint64_t option_kept(const char *value)
{
    uint64_t n;

    if (!parse_u64(value, &n) || n == 0)
        options_refuse("--keep takes a number above 0");
    return n;
}

uint64_t option_last(const char *value)
{
    uint64_t ns;

    if (!parse_time(value, &ns) || ns == 0 || ns > FXT_SAMPLER_PERIOD_MAX_NS)
        options_refuse("--last takes a time up to a day, such as 30 or 500ms");
    return ns;
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

uint32_t option_stack_size(const char *value)
{
    uint64_t size;

    if (!parse_size(value, &size) || size == 0 || size % 8 != 0 ||
        size > FXT_SAMPLER_STACK_SIZE_MAX)
        options_refuse(
            "--stack-size takes a number of bytes up to 65528, a multiple of 8, "
            "such as 16K");
    return (uint32_t)size;
}

uint64_t option_count(const char *value)
{
    uint64_t n;

    if (!parse_u64(value, &n) || n == 0 || n > INT64_MAX)
        options_refuse("--count takes a number of events above 0");
    return n;
}

uint64_t option_samples(const char *value)
{
    uint64_t n;

    if (!parse_u64(value, &n) || n == 0)
        options_refuse("--samples takes a number above 0");
    return n;
}

uint64_t option_interval(const char *value)
{
    uint64_t ns;

    if (!parse_time(value, &ns) || ns > FXT_SAMPLER_PERIOD_MAX_NS)
        options_refuse("--interval takes a time up to a day, such as 0.1 or 50ms");
    return ns;
}

int option_architecture(const char *value)
{
    enum rsp_machine machine = rsp_machine_named(value);

    if (machine == RSP_UNKNOWN_MACHINE)
        options_refuse("--architecture is x86-64, aarch64 or riscv64");
    return machine;
}
