/* SPDX-License-Identifier: BSD-2-Clause */
/* See pipeline.h: how many stacks are whole, and why the others are not. */

#include <string.h>

#include <fxt/format.h>

#include "pipeline.h"

/* How many reasons are named, the most frequent ones; and the share of the stacks, one in
 * so many, below which none is. */
enum { CUTS_SHOWN = 3, SMALLEST_SHARE = 2000 };

static bool is_between(struct string name, const char *first, const char *last)
{
    size_t first_size = strlen(first);
    size_t last_size = strlen(last);

    return name.size > first_size + last_size &&
           memcmp(name.data, first, first_size) == 0 &&
           memcmp(name.data + name.size - last_size, last, last_size) == 0;
}

/* Functions that a JIT compiler named are in no file that anybody builds. */
static bool is_compiled(struct string name)
{
    return is_between(name, "perf-", ".map") || is_between(name, "jit-", ".dump");
}

static struct string name_of(const struct profile *p, const struct profile_cut *cut)
{
    if (cut->file == PROFILE_NO_FILE)
        return (struct string){"", 0};
    return string_last_component(string_table_get(&p->files, cut->file));
}

static void add_file(struct text *to, const struct profile *p,
                     const struct profile_cut *cut)
{
    struct string name = name_of(p, cut);

    if (name.size > 0)
        text_add(to, name.data, name.size);
    else
        text_str(to, "code of no known file");
}

/* "end in libfoo.so, which ..." */
static void add_place(struct text *to, const struct profile *p,
                      const struct profile_cut *cut, const char *rest)
{
    text_str(to, "end in ");
    add_file(to, p, cut);
    text_str(to, rest);
}

static void add_no_table(struct text *to, const struct profile *p,
                         const struct profile_cut *cut)
{
    if (cut->file == PROFILE_NO_FILE)
        add_place(to, p, cut, ", without frame pointers");
    else if (is_compiled(name_of(p, cut)))
        add_place(to, p, cut, ", whose code a JIT compiler made without frame pointers");
    else
        add_place(to, p, cut,
                  ", which has no unwind tables there (build it with "
                  "-fasynchronous-unwind-tables)");
}

/* The reason, and what can be done about it. */
static void add_reason(struct text *to, const struct profile *p,
                       const struct profile_cut *cut)
{
    switch (cut->end) {
    case FXT_STACK_END_DEPTH:
        text_str(to, "have more frames than the sampler keeps");
        break;
    case FXT_STACK_END_NO_TABLE:
        add_no_table(to, p, cut);
        break;
    case PROFILE_END_NO_FILE:
        add_place(to, p, cut,
                  cut->file != PROFILE_NO_FILE
                      ? ", whose file was not found (--debug-dir)"
                      : "");
        break;
    case FXT_STACK_END_UNREADABLE:
        text_str(to, "were not all in memory");
        break;
    case FXT_STACK_END_COPY_TOO_SHORT:
        text_str(to, "are larger than what was copied of them");
        text_str(to, p->is_of_waits ? ", at most 16 KiB where a thread is switched out"
                                    : " (fxtrecord --stack-size)");
        break;
    case FXT_STACK_END_NOT_CODE:
        add_place(to, p, cut, ", at a return address that is not in code");
        break;
    case FXT_STACK_END_NO_PROGRESS:
        add_place(to, p, cut, ", where the stack is damaged");
        break;
    case FXT_STACK_END_SPECIAL_RULE:
        add_place(to, p, cut, ", at an unwind rule that is not supported");
        break;
    case FXT_STACK_END_STACK_SWITCH:
        add_place(to, p, cut, ", where the stack is switched");
        break;
    default:
        text_str(to, "end for a reason that this version does not know");
        break;
    }
}

/* Of stacks that were found by frame pointers it is known only of some that they are cut:
 * the others are not claimed to be whole, and neither not to be. */
static void add_known(struct text *to, const struct profile *p, uint64_t total)
{
    text_share(to, p->n_ends - p->n_whole, total);
    text_str(to, " of stacks not whole");
    if (p->n_unknown_ends == 0)
        return;
    text_str(to, "; how ");
    text_share(to, p->n_unknown_ends, total);
    text_str(to, " of stacks ended is not known");
}

void losses_comment_stacks(struct profile_builder *b)
{
    const struct profile *p = &b->profile;
    uint64_t total = p->n_ends + p->n_unknown_ends;
    struct text sentence = {NULL, 0, 0};

    if (p->n_whole == p->n_ends)
        return;
    add_known(&sentence, p, total);
    for (size_t i = 0; i < p->n_cuts && i < CUTS_SHOWN; i++) {
        if (p->cuts[i].n < total / SMALLEST_SHARE)
            break;
        text_str(&sentence, "; ");
        text_share(&sentence, p->cuts[i].n, total);
        text_char(&sentence, ' ');
        add_reason(&sentence, p, &p->cuts[i]);
    }
    text_char(&sentence, '\0');
    profile_builder_add_loss(b, PROFILE_LOSS_STACKS, sentence.data);
    text_free(&sentence);
}
