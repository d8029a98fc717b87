/* SPDX-License-Identifier: BSD-2-Clause */
/* What the functions that walk a profile share. */
#ifndef FXTPROFILE_WALK_H
#define FXTPROFILE_WALK_H

#include "builder.h"

static inline const struct profile *model_of(const struct fxt_profile *profile)
{
    return &profile->pipeline.profile;
}

static inline struct fxt_string string_of(struct string string)
{
    return (struct fxt_string){
        string.data, string.size < UINT32_MAX ? (uint32_t)string.size : UINT32_MAX, 0};
}

static inline struct fxt_string entry_of(const struct string_table *strings,
                                         uint32_t number)
{
    return string_of(string_table_get(strings, number));
}

static inline struct fxt_string name_of(const struct profile *p, struct koid_names_id id)
{
    return string_of(koid_names_name(&p->koid_names, id));
}

#endif
