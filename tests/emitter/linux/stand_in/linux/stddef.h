/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for the Linux kernel's header of that name. */
#ifndef TESTS_EMITTER_LINUX_STAND_IN_LINUX_STDDEF_H
#define TESTS_EMITTER_LINUX_STAND_IN_LINUX_STDDEF_H

enum { false = 0, true = 1 };

#endif
