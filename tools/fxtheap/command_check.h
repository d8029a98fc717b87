/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands into which a library cannot be loaded, or that it does not follow. */
#ifndef FXTHEAP_COMMAND_CHECK_H
#define FXTHEAP_COMMAND_CHECK_H

enum command_kind {
    /* A dynamic program, a script, or what is not known. */
    COMMAND_RECORDED,
    COMMAND_STATIC,
    /* The dynamic loader does not take libraries from the environment. */
    COMMAND_PRIVILEGED,
    /* Has a sanitizer that must come before all other allocators. */
    COMMAND_SANITIZED,
    /* Calls functions of an allocator that others do not have, such as mallocx. */
    COMMAND_OWN_FUNCTIONS
};

/* Looks at the file that execvp would run for a name. */
enum command_kind command_check(const char *name);

#endif
