/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_groups.h: what of the input, and what of its stacks, is in a profile. */
#include "option_groups.h"

#include <string.h>

#include "common/base/memory.h"
#include "tools/common/filter.h"
#include "tools/common/report.h"

static bool take_window(struct option_given *given)
{
    struct options *o = given->options;

    o->has_window = true;
    return filter_parse_window(given->value, &o->first_ns, &o->last_ns);
}

static bool take_number(const char *string, uint64_t *number)
{
    return parse_u64(string, number) && *number > 0;
}

/* N, or EARLIER..N, where N may be missing for the last one. */
static bool take_point(struct option_given *given)
{
    struct options *o = given->options;
    const char *value = given->value;
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
    return good;
}

static bool take_idle(struct option_given *given)
{
    struct options *o = given->options;

    o->hides_idle = strcmp(given->value, "hide") == 0;
    return o->hides_idle || strcmp(given->value, "show") == 0;
}

/* What is made of scheduling records. */
static const char *const sched_sources[] = {[FXT_PROFILE_OFF_CPU] = "off-cpu",
                                            [FXT_PROFILE_WAKEUPS] = "wakeup",
                                            [FXT_PROFILE_WALL_CLOCK] = "wall"};

static bool take_cpus(struct option_given *given)
{
    struct options *o = given->options;

    return parse_cpu_list(given->value, &o->cpus);
}

static bool take_cpu_mask(struct option_given *given)
{
    struct options *o = given->options;

    return parse_cpu_mask(given->value, &o->cpus);
}

static bool take_processes(struct option_given *given)
{
    struct options *o = given->options;

    return number_list_add(&o->processes, given->value);
}

static bool take_threads(struct option_given *given)
{
    struct options *o = given->options;

    return number_list_add(&o->threads, given->value);
}

#define OPTION_STRUCT struct options

/* The library compiles them again: here they are only checked. */
#define EXPRESSIONS(member)                                                              \
    OPTION_VALUE(OPTION_LIST_(member), OPTION_CALL_(options_check_expression))

const struct option_entry options_sources[] = {
    {"spans", 0, NULL, OPTION_CONSTANT(build.source, FXT_PROFILE_SPANS),
     "take the spans of a trace (durations) instead of samples, and count the self time "
     "of each"},
    {"sched", 0, "WHAT", OPTION_WORD(build.source, sched_sources),
     "take scheduling records instead of samples: off-cpu for the time for which threads "
     "did not run, or wakeup for the time from each wakeup until the thread ran, by the "
     "thread that woke it; or beside samples: wall for all the time of threads"},
    {"min-wait", 0, "TIME",
     OPTION_VALUE(OPTION_NUMBER_(build.min_wait_ns, parse_duration, 0, UINT64_MAX),
                  OPTION_FLAG_(has_min_wait)),
     "with --sched, leave out shorter waits, as in 1ms (ns, us, ms, s)"},
    OPTIONS_END,
};

const struct option_entry options_choosing[] = {
    {"cpus", 0, "LIST", OPTION_VALUE(OPTION_CALL_(take_cpus), OPTION_FLAG_(has_cpus)),
     "only samples of these CPUs, as in 0,2-5"},
    {"cpu-mask", 0, "MASK",
     OPTION_VALUE(OPTION_CALL_(take_cpu_mask), OPTION_FLAG_(has_cpus)),
     "the same as a mask, as in 0x3d; adds to --cpus"},
    {"period", 0, "TIME", OPTION_NUMBER(build.period_ns, parse_duration, 1, INT64_MAX),
     "the time from one sample to the next, as in 1ms (ns, us, ms, s): count CPU time "
     "beside samples"},
    {"pid", 0, "LIST", OPTION_CALL(take_processes),
     "only these processes, as in 1045,1046"},
    {"process", 0, "PATTERN", OPTION_LIST(process_names),
     "only processes of such names, as in 'net*'; adds to --pid"},
    {"tid", 0, "LIST", OPTION_CALL(take_threads), "only these threads"},
    {"time", 0, "FROM-TO", OPTION_CALL(take_window),
     "only these times of the trace's clock, as in 1.5-2.25 or 800ms- (in s, or with a "
     "unit: ms, us, ns)"},
    {"idle", 0, "hide|show",
     OPTION_VALUE(OPTION_CALL_(take_idle), OPTION_FLAG_(has_idle)),
     "whether to leave out stacks whose innermost function matches --idle-function "
     "(default: show)"},
    {"idle-function", 0, "REGEX", EXPRESSIONS(idle),
     "matches the innermost functions of idle threads; may be given several times"},
    {"skip-above", 0, "REGEX", EXPRESSIONS(above),
     "leave out the callers of the outermost function that matches"},
    {"skip-below", 0, "REGEX", EXPRESSIONS(below),
     "leave out what the outermost function that matches calls"},
    {"fold-recursion", 0, NULL, OPTION_FLAG(folds_recursion),
     "a function that calls itself counts once"},
    OPTIONS_END,
};

const struct option_entry options_points[] = {
    {"point", 0, "N", OPTION_CALL(take_point),
     "of a series of heaps: point N, in place of the last; or with EARLIER..N what has "
     "changed from one to the other"},
    OPTIONS_END,
};

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
