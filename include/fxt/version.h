/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The version of libfxt. The build reads it from here; nothing else states it.
 *
 * Releases follow semantic versioning. The shared library's soversion is
 * FXT_SOVERSION: it changes when a program built against an older library would no
 * longer work, and only then.
 */
#ifndef FXT_VERSION_H
#define FXT_VERSION_H

#define FXT_VERSION_MAJOR 0
#define FXT_VERSION_MINOR 1
#define FXT_VERSION_PATCH 0
#define FXT_VERSION_STRING "0.1.0"

#define FXT_SOVERSION 0

#endif
