/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_groups.h: --value. */
#include "option_groups.h"

#include <string.h>

#include "common/base/text.h"
#include "tools/common/report.h"

bool options_take_value(struct option_given *given)
{
    struct options *o = given->options;
    struct fxt_profile_output *to = &o->write;
    const char *name = given->value;

    to->value_name = NULL;
    if (strcmp(name, "samples") == 0 || strcmp(name, "spans") == 0 ||
        strcmp(name, "waits") == 0)
        to->value = FXT_PROFILE_VALUE_COUNT;
    else if (strcmp(name, "time") == 0)
        to->value = FXT_PROFILE_VALUE_TIME;
    else if (strcmp(name, "objects") == 0)
        to->value = FXT_PROFILE_VALUE_OBJECTS;
    else if (strcmp(name, "bytes") == 0)
        to->value = FXT_PROFILE_VALUE_BYTES;
    else
        to->value_name = name;
    return name[0] != '\0';
}

static void complain_of_name(const char *program, const char *about,
                             const struct fxt_profile *profile, const char *name)
{
    size_t n = fxt_profile_n_value_types(profile);
    struct text values = {NULL, 0, 0};
    struct fxt_profile_value_type type;

    for (size_t i = 0; i < n; i++) {
        fxt_profile_get_value_type(profile, i, &type);
        text_str(&values, i == 0 ? "" : i + 1 < n ? ", " : " and ");
        text_str(&values, type.type);
    }
    complain(program, about,
             "--value %s: there is no such value in the input, which has %.*s", name,
             (int)values.size, values.data);
}

bool options_find_value(const char *program, const char *about,
                        const struct fxt_profile *profile,
                        const struct fxt_profile_output *output, size_t *value)
{
    size_t n = fxt_profile_n_value_types(profile);
    struct fxt_profile_value_type type;

    for (*value = 0; output->value_name != NULL && *value < n; ++*value) {
        fxt_profile_get_value_type(profile, *value, &type);
        if (strcmp(type.type, output->value_name) == 0)
            return true;
    }
    *value = 0;
    if (output->value_name != NULL)
        complain_of_name(program, about, profile, output->value_name);
    return output->value_name == NULL;
}
