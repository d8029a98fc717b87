/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: reports of files whose symbols are missing, and what brings them. */
#include "builder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/quote.h"
#include "libfxtprofile/profile/missing_files.h"
#include "libfxtprofile/symbols/debug_package.h"
#include "pipeline.h"

/* The packages of so many files are looked up, and no program names more of them. */
enum { PACKAGES_MAX = 16 };

static void report_sentence(const struct fxt_profile_builder *b,
                            enum fxt_profile_report_kind kind, struct text *sentence)
{
    text_char(sentence, '\0');
    builder_report(b, &(struct fxt_profile_report){.kind = kind,
                                                   .severity = FXT_WARNING,
                                                   .message = sentence->data});
    sentence->size = 0;
}

/* ---- Files ------------------------------------------------------------------------- */

/* What is at the path of a file may be another one by now. */
static void describe_absence(struct text *sentence, const struct missing_file *file)
{
    struct text now = {NULL, 0, 0};

    if (file->build_id.size == 0 || !debug_files_read_build_id(file->name, &now)) {
        text_str(sentence, ": not found; ");
    } else {
        text_str(sentence, ": replaced: build id ");
        quote_text(sentence, file->build_id.data, file->build_id.size);
        text_str(sentence, ", now ");
        text_add(sentence, now.size > 0 ? now.data : "none", now.size > 0 ? now.size : 4);
        text_str(sentence, "; ");
    }
    text_free(&now);
}

/* `package` is NULL where it was not looked up. */
static void report_file(const struct fxt_profile_builder *b,
                        const struct missing_file *file,
                        const struct debug_package *package)
{
    const struct profile *model = &b->profile->pipeline.profile;
    struct text sentence = {NULL, 0, 0};

    quote_text(&sentence, file->name.data, file->name.size);
    if (file->is_stripped)
        text_str(&sentence, ": no debugging symbols; ");
    else
        describe_absence(&sentence, file);
    text_count(&sentence, file->n_samples, losses_noun(model));
    text_str(&sentence, " without its names");
    if (package != NULL && package->name.size > 0) {
        text_str(&sentence, "; these are in the package ");
        text_add(&sentence, package->name.data, package->name.size);
    }
    report_sentence(b, FXT_PROFILE_REPORT_MISSING_FILE, &sentence);
    text_free(&sentence);
}

/* ---- Remedies ---------------------------------------------------------------------- */

static const char *become_root(void)
{
    return geteuid() == 0 ? "" : "sudo ";
}

/* Each package is installed separately: one that does not exist is no reason not to
 * install the others. */
static void add_install(struct text *command, const struct debug_package *packages,
                        size_t n)
{
    text_str(command, "for p in");
    for (size_t i = 0; i < n; i++) {
        if (packages[i].name.size == 0 || packages[i].is_repeated)
            continue;
        text_char(command, ' ');
        text_add(command, packages[i].name.data, packages[i].name.size);
    }
    text_printf(command, "; do %sapt-get install -y $p; done", become_root());
}

/* Those called -dbg are where all others are. */
static bool needs_source(const struct debug_package *packages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct text *name = &packages[i].name;

        if (name->size > 0 &&
            memmem(name->data, name->size, "-dbgsym", strlen("-dbgsym")) != NULL)
            return true;
    }
    return false;
}

static void report_packages(const struct fxt_profile_builder *b,
                            const struct debug_package *packages, size_t n)
{
    struct text command = {NULL, 0, 0};
    struct text source = {NULL, 0, 0};

    if (needs_source(packages, n) && debug_package_source("", &source)) {
        text_str(&command, "echo '");
        text_add(&command, source.data, source.size);
        text_printf(&command, "' | %stee /etc/apt/sources.list.d/debug.list && ",
                    become_root());
    }
    /* Where apt has the source, its lists may be older than that. */
    text_printf(&command, "%sapt-get update", become_root());
    report_sentence(b, FXT_PROFILE_REPORT_REMEDY, &command);
    add_install(&command, packages, n);
    report_sentence(b, FXT_PROFILE_REPORT_REMEDY, &command);
    text_free(&command);
    text_free(&source);
}

/* Servers have files by their build ids, of any version and of several distributions. */
static void report_servers(const struct fxt_profile_builder *b)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    struct text command = {NULL, 0, 0};

    if (urls != NULL && urls[0] != '\0')
        return;
    text_str(&command, "export DEBUGINFOD_URLS=https://debuginfod.elfutils.org/");
    report_sentence(b, FXT_PROFILE_REPORT_REMEDY, &command);
    text_free(&command);
}

/* ---- All of it --------------------------------------------------------------------- */

/* A package that is installed is of what is there, and not of a file that was replaced or
 * is on another machine. */
static bool find_packages(const struct missing_files *missing,
                          struct debug_package *packages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        packages[i] = (struct debug_package){.name = {NULL, 0, 0}};
        if (missing->all[i].is_stripped)
            packages[i].path = missing->all[i].name;
    }
    return debug_packages_find("", packages, n);
}

void builder_report_missing_files(const struct fxt_profile_builder *b)
{
    struct debug_package packages[PACKAGES_MAX];
    struct missing_files missing = {.n = 0};
    bool asks_servers = false;
    size_t n_found = 0;
    bool has_packages;
    size_t n;

    missing_files_find(&missing, &b->profile->pipeline.profile);
    n = missing.n < PACKAGES_MAX ? missing.n : PACKAGES_MAX;
    has_packages = find_packages(&missing, packages, n);
    for (size_t i = 0; i < missing.n; i++) {
        report_file(b, &missing.all[i], i < n ? &packages[i] : NULL);
        n_found += i < n && packages[i].name.size > 0;
        asks_servers |= missing.all[i].build_id.size > 0 &&
                        !(has_packages && missing.all[i].is_stripped);
    }
    if (n_found > 0)
        report_packages(b, packages, n);
    if (asks_servers)
        report_servers(b);
    for (size_t i = 0; i < n; i++)
        text_free(&packages[i].name);
    missing_files_free(&missing);
}
