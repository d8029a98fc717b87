/* SPDX-License-Identifier: BSD-2-Clause */
/* Control groups by name. */
#ifndef FXTRECORD_CGROUP_H
#define FXTRECORD_CGROUP_H

/* Opens the directory of a control group: a path such as /sys/fs/cgroup/system.slice, or
 * one below the hierarchy that perf events use. Returns -1 with errno set. */
int cgroup_open(const char *name);

#endif
