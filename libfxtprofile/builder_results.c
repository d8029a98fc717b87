/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: reports of what a finished profile lacks names for. */
#include "builder.h"

static void report_symbols(const struct fxt_profile_builder *b,
                           enum fxt_profile_report_kind kind, const char *name,
                           const char *message)
{
    builder_report(
        b, &(struct fxt_profile_report){
               .kind = kind, .severity = FXT_WARNING, .name = name, .message = message});
}

/* Reports files without samples: their address may be wrong, which looks as if they had
 * no symbols. */
static void report_unused_files(const struct fxt_profile_builder *b)
{
    const struct fxt_profile *p = b->profile;
    const struct profile *model = &p->pipeline.profile;

    for (size_t i = 0; i < p->n_module_files && model->n_samples > 0; i++) {
        size_t used = 0;

        while (used < model->n_mappings && model->mappings[used].rank != i)
            used++;
        if (used == model->n_mappings)
            report_symbols(b, FXT_PROFILE_REPORT_UNUSED_FILE, p->module_files[i],
                           "no sample has an address in this file");
    }
}

static void report_line(const struct fxt_profile_builder *b,
                        enum fxt_profile_report_kind kind, struct string line)
{
    struct text sentence = {NULL, 0, 0};

    text_add(&sentence, line.data, line.size);
    text_char(&sentence, '\0');
    report_symbols(b, kind, NULL, sentence.data);
    text_free(&sentence);
}

static void report_debug_files(const struct fxt_profile_builder *b)
{
    const struct debug_files *files = &b->profile->pipeline.symbolizer.files;
    const struct debug_servers *servers = &files->servers;
    const struct string_table *refused = &files->report.final;

    for (uint32_t i = 0; i < refused->n; i++) {
        struct string line = string_table_get(refused, i);

        if (!debug_file_report_is_dropped(&files->report, line))
            report_line(b, FXT_PROFILE_REPORT_DEBUG_FILE, line);
    }
    for (uint32_t i = 0; i < servers->problems.n; i++)
        report_line(b, FXT_PROFILE_REPORT_DEBUG_FILE,
                    string_table_get(&servers->problems, i));
    if (servers->ending.size > 0)
        report_line(b, FXT_PROFILE_REPORT_DEBUGINFOD,
                    (struct string){servers->ending.data, servers->ending.size});
}

void builder_report_results(const struct fxt_profile_builder *b)
{
    if (b->profile->pipeline.looks_restorable)
        report_symbols(b, FXT_PROFILE_REPORT_SAMPLER, NULL,
                       "many callers are recorded twice, 4 bytes apart: the recording "
                       "may be Zircon's for arm64");
    report_debug_files(b);
    report_unused_files(b);
    if (!b->profile->options.no_missing_files)
        builder_report_missing_files(b);
}
