/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_name.h. */
#include "options_name.h"

#include <string.h>

enum letter {
    LETTER_CUT_FRAMES = OPTIONS_FIRST_NAMING,
    LETTER_DEBUG_DIR,
    LETTER_ELF,
    LETTER_FULL_NAMES,
    LETTER_INLINES,
    LETTER_KALLSYMS,
    LETTER_NO_DEBUGINFOD,
    LETTER_UNSYMBOLIZED
};

const struct option_entry options_naming[] = {
    {"elf", LETTER_ELF, "FILE[@ADDRESS|+SLIDE]",
     "name functions by the symbols of FILE, whose lowest segment was loaded at ADDRESS, "
     "or SLIDE above where it was linked; may be given several times"},
    {"debug-dir", LETTER_DEBUG_DIR, "DIR",
     "look in DIR for the files of modules by build id and name, before /usr/lib/debug "
     "and the modules' own paths; may be given several times"},
    {"no-debuginfod", LETTER_NO_DEBUGINFOD, NULL,
     "do not request missing files from the servers in DEBUGINFOD_URLS"},
    {"kallsyms", LETTER_KALLSYMS, "FILE",
     "name the functions of a Linux kernel by its list of symbols, /proc/kallsyms or a "
     "copy"},
    {"inlines", LETTER_INLINES, "HOW",
     "inlined functions: lines of their caller's frame, in formats that have such lines "
     "(the default); frames; or off: left out"},
    {"cut-frames", LETTER_CUT_FRAMES, "hide|show",
     "whether a stack that is not whole has a root frame that says why (default: show)"},
    {"full-names", LETTER_FULL_NAMES, NULL,
     "keep names in a gdb log as they are, with type arguments and closures"},
    {"unsymbolized", LETTER_UNSYMBOLIZED, NULL,
     "name functions by module and offset only"},
    {NULL, 0, NULL, NULL},
};

static bool take_inlines(struct options *o, const char *value)
{
    o->build.no_inlines = strcmp(value, "off") == 0;
    o->write.inlines_are_locations = strcmp(value, "frames") == 0;
    return o->build.no_inlines || o->write.inlines_are_locations ||
           strcmp(value, "lines") == 0;
}

static bool take_cut_frames(struct options *o, const char *value)
{
    o->hides_cuts = strcmp(value, "hide") == 0;
    return o->hides_cuts || strcmp(value, "show") == 0;
}

bool options_take_naming(struct options *o, int letter, const char *value)
{
    switch ((enum letter)letter) {
    case LETTER_CUT_FRAMES:
        return take_cut_frames(o, value);
    case LETTER_DEBUG_DIR:
        return value_list_add(&o->debug_dirs, value);
    case LETTER_ELF:
        return value_list_add(&o->elfs, value);
    case LETTER_FULL_NAMES:
        o->build.full_names = true;
        return true;
    case LETTER_INLINES:
        return take_inlines(o, value);
    case LETTER_KALLSYMS:
        o->kallsyms = value;
        return value[0] != '\0';
    case LETTER_NO_DEBUGINFOD:
        o->no_debuginfod = true;
        return true;
    case LETTER_UNSYMBOLIZED:
        o->unsymbolized = true;
        return true;
    }
    return false;
}
