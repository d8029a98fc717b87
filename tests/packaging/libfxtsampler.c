/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses libfxtsampler from outside, with own_names.c as libfxt.c. */
#include <stdio.h>
#include <string.h>

#include <fxt/sampler.h>

extern int call_own_names(void);

int main(void)
{
    const char *name = fxt_sampler_code_name(fxt_sampler_start(NULL));

    if (call_own_names() != 0)
        return 2;
    if (strcmp(name, "no_session") != 0)
        fprintf(stderr, "fxt_sampler_start returned %s\n", name);
    return strcmp(name, "no_session") != 0;
}
