/* SPDX-License-Identifier: BSD-2-Clause */
/* See outputs.h: what all formats have in common. */
#include "outputs.h"

/* Captures of stacks have no processes, and other programs that read them expect no
 * roots; a format that requires roots gets CPUs. speedscope is used with one profile for
 * each thread. */
static void choose_roots(struct output_settings *settings, const struct profile *profile,
                         const struct output_format *format)
{
    if (settings->has_roots)
        return;
    settings->n_roots = 0;
    if (profile->is_of_captures && format->needs_roots)
        settings->roots[settings->n_roots++] = FOLDED_CPU;
    if (!profile->is_of_captures)
        settings->roots[settings->n_roots++] = FOLDED_PROCESS;
    if (!profile->is_of_captures && format->needs_roots)
        settings->roots[settings->n_roots++] = FOLDED_THREAD;
}

void output_write_profile(const struct profile *profile,
                          const struct output_format *format,
                          const struct output_settings *settings, struct output *output)
{
    struct output_settings chosen = *settings;

    choose_roots(&chosen, profile, format);
    if (format->is_compressed && !settings->plain)
        output_compress(output);
    format->write(profile, &chosen, output);
}
