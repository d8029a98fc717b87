/* SPDX-License-Identifier: BSD-2-Clause */
/* The errors of fxt_sampler_create: what a configuration may not say. */
#ifndef TESTS_LIBFXTSAMPLER_SAMPLER_ERROR_CREATING_H
#define TESTS_LIBFXTSAMPLER_SAMPLER_ERROR_CREATING_H

#include "sampled.h"

/* Returns the code of the call that goes wrong. */
typedef enum fxt_sampler_code provoke_function(enum fxt_sampler_method method);

/* ---- Creating ---------------------------------------------------------------------- */

static enum fxt_sampler_code try_config(struct fxt_sampler_config config)
{
    struct fxt_sampler *sampler = (struct fxt_sampler *)&config;
    enum fxt_sampler_code code = fxt_sampler_create(0, &config, &sampler);

    CHECK(code == FXT_SAMPLER_OK || sampler == NULL, "a session in spite of %s",
          fxt_sampler_code_name(code));
    return code;
}

/* A configuration that differs from a good one. */
#define CONFIG_ERROR(name, its_method, change)                                           \
    static enum fxt_sampler_code name(enum fxt_sampler_method method)                    \
    {                                                                                    \
        struct fxt_sampler_config config = config_of(its_method);                        \
                                                                                         \
        (void)method;                                                                    \
        config.change;                                                                   \
        return try_config(config);                                                       \
    }

CONFIG_ERROR(other_size, method, size--)
CONFIG_ERROR(short_period, method, period_ns = FXT_SAMPLER_PERIOD_MIN_NS - 1)
CONFIG_ERROR(long_period, method, period_ns = FXT_SAMPLER_PERIOD_MAX_NS + 1)
CONFIG_ERROR(no_buffer, method, buffer_size = 0)
CONFIG_ERROR(large_buffer, method, buffer_size = FXT_SAMPLER_BUFFER_SIZE_MAX + 1)
CONFIG_ERROR(discipline, method, discipline = 1)
CONFIG_ERROR(kernel_by_signals, FXT_SAMPLER_SIGNAL, flags = FXT_SAMPLER_KERNEL_ONLY)
CONFIG_ERROR(cycles_by_signals, FXT_SAMPLER_SIGNAL, flags = FXT_SAMPLER_CYCLES)

static enum fxt_sampler_code options(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler;

    return fxt_sampler_create(1, &config, &sampler);
}

static enum fxt_sampler_code no_config(enum fxt_sampler_method method)
{
    struct fxt_sampler *sampler;

    (void)method;
    return fxt_sampler_create(0, NULL, &sampler);
}

static enum fxt_sampler_code other_method(enum fxt_sampler_method method)
{
    (void)method;
    return try_config(config_of((enum fxt_sampler_method)3));
}

static enum fxt_sampler_code other_flag(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.flags = FXT_SAMPLER_USER_ONLY | FXT_SAMPLER_KERNEL_ONLY;
    CHECK(try_config(config) == FXT_SAMPLER_E_CONFIG, "neither user nor kernel");
    config.flags = 128;
    return try_config(config);
}

static enum fxt_sampler_code no_directory(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    enum fxt_sampler_code code;

    config.directory = "/nonexistent";
    code = try_config(config);
    CHECK(strstr(fxt_sampler_reason(NULL), "No such file") != NULL, "the reason is '%s'",
          fxt_sampler_reason(NULL));
    return code;
}

static enum fxt_sampler_code second_session(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    create(&config);
    return try_config(config);
}

#endif
