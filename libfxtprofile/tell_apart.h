/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Different functions of one name get different names, by the file that declares them or
 * the source file of their symbol: "helper (a.c)", "helper (b.c)"; or, if their module
 * has several whose file is not known, by where they begin there: "helper
 * (program+0x1234)", or of a kernel "helper ([kernel]+0x1234)". Others of which no file
 * is known keep theirs: their modules stand beside them, and a name such as _start, which
 * most programs share with the dynamic loader, is the same in every recording. Only the
 * last component of a path counts: a header's function that several files or modules have
 * a copy of is one function. But where one module has functions of one name in different
 * files of one name, the directories in which these differ are added: "helper (x/a.c)",
 * "helper (y/a.c)". Nothing else of a profile changes, and no name that only one function
 * has; so that functions are chosen by their names before this.
 */
#ifndef FXTPROFILE_TELL_APART_H
#define FXTPROFILE_TELL_APART_H

#include "libfxtprofile/profile/profile.h"

void profile_tell_apart(struct profile *profile);

#endif
