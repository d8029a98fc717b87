/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <string.h>

#include <regex.h>

#include "common/base/memory.h"

bool number_list_add(struct number_list *list, const char *value)
{
    char *rest = memory_copy_string(value);

    while (rest != NULL) {
        uint64_t number;

        if (!parse_u64(strsep(&rest, ","), &number))
            return false;
        MEMORY_ADD(list->numbers, list->n, list->capacity, number);
    }
    return true;
}

bool options_check_expression(struct option_given *given)
{
    regex_t compiled;
    int code = regcomp(&compiled, given->value, REG_EXTENDED | REG_NOSUB);
    char why[120];

    if (code == 0) {
        regfree(&compiled);
        return true;
    }
    regerror(code, &compiled, why, sizeof(why));
    return text_fail(&given->why, "%s", why);
}
