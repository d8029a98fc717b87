/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_choose.h. */
#include "options_choose.h"

#include <string.h>

#include "common/base/memory.h"
#include "tools/common/report.h"

enum letter {
    LETTER_CPU_MASK = OPTIONS_FIRST_CHOICE,
    LETTER_CPUS,
    LETTER_FOLD_RECURSION,
    LETTER_IDLE,
    LETTER_IDLE_FUNCTION,
    LETTER_MIN_WAIT,
    LETTER_PERIOD,
    LETTER_PID,
    LETTER_POINT,
    LETTER_PROCESS,
    LETTER_SCHED,
    LETTER_SKIP_ABOVE,
    LETTER_SKIP_BELOW,
    LETTER_SPANS,
    LETTER_TID,
    LETTER_TIME
};

const struct option_entry options_sources[] = {
    {"spans", LETTER_SPANS, NULL,
     "take the spans of a trace (durations) instead of samples, and count the self time "
     "of each"},
    {"sched", LETTER_SCHED, "WHAT",
     "take scheduling records instead of samples: off-cpu for the time for which threads "
     "did not run, or wakeup for the time from each wakeup until the thread ran, by the "
     "thread that woke it; or beside samples: wall for all the time of threads"},
    {"min-wait", LETTER_MIN_WAIT, "TIME",
     "with --sched, leave out shorter waits, as in 1ms (ns, us, ms, s)"},
    {NULL, 0, NULL, NULL},
};

const struct option_entry options_choosing[] = {
    {"cpus", LETTER_CPUS, "LIST", "only samples of these CPUs, as in 0,2-5"},
    {"cpu-mask", LETTER_CPU_MASK, "MASK",
     "the same as a mask, as in 0x3d; adds to --cpus"},
    {"period", LETTER_PERIOD, "TIME",
     "the time from one sample to the next, as in 1ms (ns, us, ms, s): count CPU time "
     "beside samples"},
    {"pid", LETTER_PID, "LIST", "only these processes, as in 1045,1046"},
    {"process", LETTER_PROCESS, "PATTERN",
     "only processes of such names, as in 'net*'; adds to --pid"},
    {"tid", LETTER_TID, "LIST", "only these threads"},
    {"time", LETTER_TIME, "FROM-TO",
     "only these times of the trace's clock, as in 1.5-2.25 or 800ms- (in s, or with a "
     "unit: ms, us, ns)"},
    {"idle", LETTER_IDLE, "hide|show",
     "whether to leave out stacks whose innermost function matches --idle-function "
     "(default: show)"},
    {"idle-function", LETTER_IDLE_FUNCTION, "REGEX",
     "matches the innermost functions of idle threads; may be given several times"},
    {"skip-above", LETTER_SKIP_ABOVE, "REGEX",
     "leave out the callers of the outermost function that matches"},
    {"skip-below", LETTER_SKIP_BELOW, "REGEX",
     "leave out what the outermost function that matches calls"},
    {"fold-recursion", LETTER_FOLD_RECURSION, NULL,
     "a function that calls itself counts once"},
    {NULL, 0, NULL, NULL},
};

const struct option_entry options_points[] = {
    {"point", LETTER_POINT, "N",
     "of a series of heaps: point N, in place of the last; or with EARLIER..N what has "
     "changed from one to the other"},
    {NULL, 0, NULL, NULL},
};

/* A time, and where there is none what stands for it. */
static bool take_time(const char *string, uint64_t missing, uint64_t *ns)
{
    *ns = missing;
    return string[0] == '\0' || parse_time(string, ns);
}

static bool take_window(struct options *o, const char *value)
{
    char *first = memory_copy_string(value);
    char *last = strchr(first, '-');
    bool good = last != NULL && strcmp(value, "-") != 0;

    if (good) {
        *last++ = '\0';
        good = take_time(first, 0, &o->first_ns) &&
               take_time(last, UINT64_MAX, &o->last_ns) && o->first_ns <= o->last_ns;
    }
    o->has_window = true;
    memory_release(first);
    return good;
}

static bool take_number(const char *string, uint64_t *number)
{
    return parse_u64(string, number) && *number > 0;
}

/* N, or EARLIER..N, where N may be missing for the last one. */
static bool take_point(struct options *o, const char *value)
{
    char *first = memory_copy_string(value);
    char *dots = strstr(first, "..");
    const char *last = dots != NULL ? dots + 2 : first;
    bool good = true;

    o->has_point = true;
    o->point = 0;
    o->has_earlier_point = dots != NULL;
    if (dots != NULL) {
        *dots = '\0';
        good = take_number(first, &o->earlier_point);
    }
    if (dots == NULL || last[0] != '\0')
        good = take_number(last, &o->point) && good;
    memory_release(first);
    return good;
}

static bool take_idle(struct options *o, const char *value)
{
    o->has_idle = true;
    o->hides_idle = strcmp(value, "hide") == 0;
    return o->hides_idle || strcmp(value, "show") == 0;
}

static bool take_sched(struct options *o, const char *value)
{
    if (strcmp(value, "off-cpu") == 0)
        o->build.source = FXT_PROFILE_OFF_CPU;
    else if (strcmp(value, "wakeup") == 0)
        o->build.source = FXT_PROFILE_WAKEUPS;
    else if (strcmp(value, "wall") == 0)
        o->build.source = FXT_PROFILE_WALL_CLOCK;
    else
        return false;
    return true;
}

/* The library compiles it again: here it is only checked. */
static bool take_expression(struct options *o, struct value_list *list, const char *value)
{
    return value_list_add(list, value) && options_check_expression(o, value);
}

bool options_take_choice(struct options *o, int letter, const char *value)
{
    switch ((enum letter)letter) {
    case LETTER_CPU_MASK:
        o->has_cpus = true;
        return parse_cpu_mask(value, &o->cpus);
    case LETTER_CPUS:
        o->has_cpus = true;
        return parse_cpu_list(value, &o->cpus);
    case LETTER_FOLD_RECURSION:
        o->folds_recursion = true;
        return true;
    case LETTER_IDLE:
        return take_idle(o, value);
    case LETTER_IDLE_FUNCTION:
        return take_expression(o, &o->idle, value);
    case LETTER_MIN_WAIT:
        o->has_min_wait = true;
        return parse_duration(value, &o->build.min_wait_ns);
    case LETTER_PERIOD:
        return parse_duration(value, &o->build.period_ns) && o->build.period_ns > 0 &&
               o->build.period_ns <= INT64_MAX;
    case LETTER_PID:
        return number_list_add(&o->processes, value);
    case LETTER_POINT:
        return take_point(o, value);
    case LETTER_PROCESS:
        return value_list_add(&o->process_names, value);
    case LETTER_SCHED:
        return take_sched(o, value);
    case LETTER_SKIP_ABOVE:
        return take_expression(o, &o->above, value);
    case LETTER_SKIP_BELOW:
        return take_expression(o, &o->below, value);
    case LETTER_SPANS:
        o->build.source = FXT_PROFILE_SPANS;
        return true;
    case LETTER_TID:
        return number_list_add(&o->threads, value);
    case LETTER_TIME:
        return take_window(o, value);
    }
    return false;
}

bool options_check_choices(const struct options *o)
{
    const char *wrong = NULL;

    if (o->hides_idle && o->idle.n == 0)
        wrong =
            "--idle hide needs --idle-function: it matches the functions of idle threads";
    else if (!o->has_idle && o->idle.n > 0)
        wrong = "--idle-function has no meaning without --idle";
    else if (o->has_min_wait && !options_is_of_sched(o))
        wrong = "--min-wait has no meaning without --sched";
    if (wrong != NULL)
        complain(o->program, NULL, "%s", wrong);
    return wrong == NULL;
}
