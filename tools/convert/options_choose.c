/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_choose.h. */
#include "options_choose.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/report.h"
#include "base/text.h"

enum letter {
    LETTER_FOLD_RECURSION = OPTIONS_FIRST_CHOICE,
    LETTER_IDLE,
    LETTER_IDLE_FUNCTION,
    LETTER_PERIOD,
    LETTER_PID,
    LETTER_PROCESS,
    LETTER_SKIP_ABOVE,
    LETTER_SKIP_BELOW,
    LETTER_SPANS,
    LETTER_TID,
    LETTER_TIME
};

const struct option options_choices[OPTIONS_N_CHOICES] = {
    {"fold-recursion", no_argument, NULL, LETTER_FOLD_RECURSION},
    {"idle", required_argument, NULL, LETTER_IDLE},
    {"idle-function", required_argument, NULL, LETTER_IDLE_FUNCTION},
    {"period", required_argument, NULL, LETTER_PERIOD},
    {"pid", required_argument, NULL, LETTER_PID},
    {"process", required_argument, NULL, LETTER_PROCESS},
    {"skip-above", required_argument, NULL, LETTER_SKIP_ABOVE},
    {"skip-below", required_argument, NULL, LETTER_SKIP_BELOW},
    {"spans", no_argument, NULL, LETTER_SPANS},
    {"tid", required_argument, NULL, LETTER_TID},
    {"time", required_argument, NULL, LETTER_TIME},
};

const char options_choices_help[] =
    "      --spans             take the spans of a trace (durations) instead of "
    "samples,\n"
    "                          and count the self time of each\n"
    "      --period TIME       the time from one sample to the next, as in 1ms (ns, us,\n"
    "                          ms, s): count CPU time beside samples\n"
    "      --pid LIST          only these processes, as in 1045,1046\n"
    "      --process PATTERN   only processes of such names, as in 'net*'; adds to "
    "--pid\n"
    "      --tid LIST          only these threads\n"
    "      --time FROM-TO      only these times of the trace's clock, as in 1.5-2.25 or\n"
    "                          800ms- (in s, or with a unit: ms, us, ns)\n"
    "      --idle hide|show    whether to leave out stacks whose innermost function\n"
    "                          matches --idle-function (default: show)\n"
    "      --idle-function REGEX\n"
    "                          matches the innermost functions of idle threads; may be\n"
    "                          given several times\n"
    "      --skip-above REGEX  leave out the callers of the outermost function that\n"
    "                          matches\n"
    "      --skip-below REGEX  leave out what the outermost function that matches calls\n"
    "      --fold-recursion    a function that calls itself counts once\n";

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
        good = take_time(first, 0, &o->window.first_ns) &&
               take_time(last, UINT64_MAX, &o->window.last_ns) &&
               o->window.first_ns <= o->window.last_ns;
    }
    o->has_window = true;
    memory_release(first);
    return good;
}

static bool take_idle(struct filter *filter, const char *value)
{
    filter->hides_idle = strcmp(value, "hide") == 0;
    return filter->hides_idle || strcmp(value, "show") == 0;
}

bool options_take_choice(struct options *o, int letter, const char *value)
{
    switch ((enum letter)letter) {
    case LETTER_FOLD_RECURSION:
        o->filter.folds_recursion = true;
        return true;
    case LETTER_IDLE:
        o->has_idle = true;
        return take_idle(&o->filter, value);
    case LETTER_IDLE_FUNCTION:
        return filter_add_expression(&o->filter.idle, value);
    case LETTER_PERIOD:
        return parse_duration(value, &o->period_ns) && o->period_ns > 0 &&
               o->period_ns <= INT64_MAX;
    case LETTER_PID:
        return filter_add_numbers(&o->filter.processes, value);
    case LETTER_PROCESS:
        return filter_add_pattern(&o->filter.process_names, value);
    case LETTER_SKIP_ABOVE:
        return filter_add_expression(&o->filter.above, value);
    case LETTER_SKIP_BELOW:
        return filter_add_expression(&o->filter.below, value);
    case LETTER_SPANS:
        o->spans = true;
        return true;
    case LETTER_TID:
        return filter_add_numbers(&o->filter.threads, value);
    case LETTER_TIME:
        return take_window(o, value);
    }
    return false;
}

bool options_check_choices(const struct options *o)
{
    const char *wrong = NULL;

    if (o->filter.hides_idle && o->filter.idle.n == 0)
        wrong =
            "--idle hide needs --idle-function: it matches the functions of idle threads";
    else if (!o->has_idle && o->filter.idle.n > 0)
        wrong = "--idle-function has no meaning without --idle";
    if (wrong != NULL)
        complain(o->program, NULL, "%s", wrong);
    return wrong == NULL;
}
