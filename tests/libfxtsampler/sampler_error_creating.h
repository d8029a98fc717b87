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

static enum fxt_sampler_code other_size(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.size--;
    return try_config(config);
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

static enum fxt_sampler_code short_period(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.period_ns = FXT_SAMPLER_PERIOD_MIN_NS - 1;
    return try_config(config);
}

static enum fxt_sampler_code long_period(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.period_ns = FXT_SAMPLER_PERIOD_MAX_NS + 1;
    return try_config(config);
}

static enum fxt_sampler_code no_buffer(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.buffer_size = 0;
    return try_config(config);
}

static enum fxt_sampler_code large_buffer(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.buffer_size = FXT_SAMPLER_BUFFER_SIZE_MAX + 1;
    return try_config(config);
}

static enum fxt_sampler_code discipline(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    config.discipline = 1;
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

static enum fxt_sampler_code kernel_by_signals(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);

    (void)method;
    config.flags = FXT_SAMPLER_KERNEL_ONLY;
    return try_config(config);
}

static enum fxt_sampler_code cycles_by_signals(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);

    (void)method;
    config.flags = FXT_SAMPLER_CYCLES;
    return try_config(config);
}

static enum fxt_sampler_code second_session(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);

    create(&config);
    return try_config(config);
}

#endif
