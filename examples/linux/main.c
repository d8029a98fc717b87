// SPDX-License-Identifier: BSD-2-Clause
/* A module that samples all CPUs from when it is loaded until it is stopped or unloaded;
 * see README.md. */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "files.h"
#include "session.h"

static unsigned int period_us = 1000;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "microseconds between samples of a CPU, on average");

static unsigned int buffer_bytes = 4 << 20;
module_param(buffer_bytes, uint, 0444);
MODULE_PARM_DESC(buffer_bytes, "size of each CPU's ring");

/* A shorter period leaves a CPU no time for anything else. */
enum { PERIOD_US_MIN = 10, PERIOD_US_MAX = 1000000, BUFFER_BYTES_MIN = 4096 };

static int __init load(void)
{
    struct session_options options = {buffer_bytes, period_us};
    int error;

    if (period_us < PERIOD_US_MIN || period_us > PERIOD_US_MAX ||
        buffer_bytes < BUFFER_BYTES_MIN) {
        pr_err("fxtsampler: period_us is %u to %u, buffer_bytes at least %u\n",
               PERIOD_US_MIN, PERIOD_US_MAX, BUFFER_BYTES_MIN);
        return -EINVAL;
    }
    error = session_create(&options);
    if (error)
        return error;
    error = session_start();
    if (error) {
        session_destroy();
        return error;
    }
    files_create();
    return 0;
}

/* The files first, since they start sessions. */
static void __exit unload(void)
{
    files_remove();
    session_stop();
    session_destroy();
}

module_init(load);
module_exit(unload);
MODULE_DESCRIPTION("Samples all CPUs, in Fuchsia's trace format");
MODULE_LICENSE("Dual BSD/GPL");
