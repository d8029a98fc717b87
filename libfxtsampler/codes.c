/* SPDX-License-Identifier: BSD-2-Clause */
/* What the codes of fxt/sampler.h are called. */
#include <fxt/sampler.h>

struct description {
    const char *name;
    const char *message;
};

static struct description describe_code(enum fxt_sampler_code code)
{
    switch (code) {
    case FXT_SAMPLER_OK:
        return (struct description){"ok", "no error"};
    case FXT_SAMPLER_E_OPTIONS:
        return (struct description){"options", "the options must be 0"};
    case FXT_SAMPLER_E_CONFIG:
        return (struct description){
            "config", "a structure is missing, or has a size, a method or a flag "
                      "that this version does not know"};
    case FXT_SAMPLER_E_PERIOD:
        return (struct description){"period",
                                    "the period must be between 10,000 nanoseconds and a "
                                    "day, or too short for signals"};
    case FXT_SAMPLER_E_BUFFER_SIZE:
        return (struct description){"buffer_size",
                                    "the buffer size must be between 1 byte and 1 GiB"};
    case FXT_SAMPLER_E_DISCIPLINE:
        return (struct description){"discipline", "the discipline must be 0 (none)"};
    case FXT_SAMPLER_E_EXISTS:
        return (struct description){
            "exists", "this process has a session already: destroy it first"};
    case FXT_SAMPLER_E_NO_SESSION:
        return (struct description){
            "no_session",
            "there is no such session: it was not created, or was destroyed"};
    case FXT_SAMPLER_E_RUNNING:
        return (struct description){"running", "the session is running: stop it first"};
    case FXT_SAMPLER_E_NOT_RUNNING:
        return (struct description){"not_running",
                                    "the session is not running: start it first"};
    case FXT_SAMPLER_E_NO_TARGET:
        return (struct description){"no_target", "there is no such process or thread"};
    case FXT_SAMPLER_E_ATTACHED:
        return (struct description){
            "attached", "the target is already attached, or cannot be detached"};
    case FXT_SAMPLER_E_METHOD:
        return (struct description){
            "method", "signals sample only the user stacks of this process"};
    case FXT_SAMPLER_E_PERMISSION:
        return (struct description){"permission", "the system does not allow it"};
    case FXT_SAMPLER_E_SUPPORT:
        return (struct description){"support", "the system does not have it"};
    case FXT_SAMPLER_E_REGION:
        return (struct description){"region", "there is no region with that index"};
    case FXT_SAMPLER_E_RESOURCES:
        return (struct description){"resources",
                                    "memory, files, timers or threads are used up"};
    case FXT_SAMPLER_E_ARCHIVE:
        return (struct description){
            "archive", "the session was created without FXT_SAMPLER_ARCHIVE"};
    case FXT_SAMPLER_E_SINK:
        return (struct description){"sink", "the caller's function has failed"};
    case FXT_SAMPLER_E_FULL:
        return (struct description){"full",
                                    "a region is full: drain or clear the session first"};
    case FXT_SAMPLER_E_OPEN:
        return (struct description){
            "open", "an archive of the session is open already, or none is"};
    case FXT_SAMPLER_E_EVENT:
        return (struct description){
            "event", "this machine has no such event, or it cannot take samples"};
    }
    return (struct description){"unknown_code", "an unknown error"};
}

const char *fxt_sampler_code_name(enum fxt_sampler_code code)
{
    return describe_code(code).name;
}

const char *fxt_sampler_code_message(enum fxt_sampler_code code)
{
    return describe_code(code).message;
}
