/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_groups.h: how functions get their names. */
#include "option_groups.h"

#include <string.h>

static bool take_inlines(struct option_given *given)
{
    struct options *o = given->options;

    o->build.no_inlines = strcmp(given->value, "off") == 0;
    o->write.inlines_are_locations = strcmp(given->value, "frames") == 0;
    return o->build.no_inlines || o->write.inlines_are_locations ||
           strcmp(given->value, "lines") == 0;
}

static bool take_cut_frames(struct option_given *given)
{
    struct options *o = given->options;

    o->hides_cuts = strcmp(given->value, "hide") == 0;
    return o->hides_cuts || strcmp(given->value, "show") == 0;
}

#define OPTION_STRUCT struct options

const struct option_entry options_naming[] = {
    {"elf", 0, "FILE[@ADDRESS|+SLIDE]", OPTION_LIST(elfs),
     "name functions by the symbols of FILE, whose lowest segment was loaded at ADDRESS, "
     "or SLIDE above where it was linked; may be given several times"},
    {"debug-dir", 0, "DIR", OPTION_LIST(debug_dirs),
     "look in DIR for the files of modules by build id and name, before /usr/lib/debug "
     "and the modules' own paths; may be given several times"},
    {"no-debuginfod", 0, NULL, OPTION_FLAG(no_debuginfod),
     "do not request missing files from the servers in DEBUGINFOD_URLS"},
    {"kallsyms", 0, "FILE", OPTION_NAME(kallsyms),
     "name the functions of a Linux kernel by its list of symbols, /proc/kallsyms or a "
     "copy"},
    {"inlines", 0, "HOW", OPTION_CALL(take_inlines),
     "inlined functions: lines of their caller's frame, in formats that have such lines "
     "(the default); frames; or off: left out"},
    {"cut-frames", 0, "hide|show", OPTION_CALL(take_cut_frames),
     "whether a stack that is not whole has a root frame that says why (default: show)"},
    {"full-names", 0, NULL, OPTION_FLAG(build.full_names),
     "keep names in a gdb log as they are, with type arguments and closures"},
    {"unsymbolized", 0, NULL, OPTION_FLAG(unsymbolized),
     "name functions by module and offset only"},
    OPTIONS_END,
};
