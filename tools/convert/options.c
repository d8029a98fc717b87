/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <string.h>

#include <regex.h>

#include "common/base/memory.h"

static void add_number(struct number_list *list, uint64_t number)
{
    MEMORY_ADD(list->numbers, list->n, list->capacity, number);
}

bool number_list_add(struct number_list *list, const char *value)
{
    char *copy = memory_copy_string(value);
    char *at = copy;
    bool good = true;

    while (at != NULL && good) {
        char *next = strchr(at, ',');
        uint64_t number = 0;

        if (next != NULL)
            *next++ = '\0';
        good = parse_u64(at, &number);
        add_number(list, number);
        at = next;
    }
    memory_release(copy);
    return good;
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
    text_str(&given->why, why);
    return false;
}
