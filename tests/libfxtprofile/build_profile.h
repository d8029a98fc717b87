/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples and records for the tests of libfxtprofile, in a few words each. */
#ifndef TESTS_LIBFXTPROFILE_BUILD_PROFILE_H
#define TESTS_LIBFXTPROFILE_BUILD_PROFILE_H

#include <string.h>

#include <fxt/format.h>
#include <fxt/record.h>

#include "libfxtprofile/profile/profile_builder.h"

#define N_WORDS(array) (sizeof(array) / sizeof((array)[0]))

/* The PCs of a sample, leaf first: PCS(0x10, 0x20). */
#define PCS(...)                                                                         \
    (&(struct fxt_words){(const uint64_t[]){__VA_ARGS__},                                \
                         sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),     \
                         false})

static inline void start_profile(struct profile_builder *builder)
{
    profile_builder_init(builder);
    profile_builder_add_type(builder, "samples", "count");
}

static inline void add_sample(struct profile_builder *builder, uint64_t process,
                              uint64_t thread, uint32_t cpu, const struct fxt_words *pcs,
                              int64_t count)
{
    struct profile_labels labels = {.process = process, .thread = thread, .cpu = cpu};

    profile_builder_add(builder, &labels, pcs, &count);
}

/* The object is called that all the time; koid_names_finish is still to come. */
static inline void name_object(struct koid_names *names, enum koid_names_kind kind,
                               uint64_t koid, const char *name)
{
    koid_names_add_name(names, kind, koid, string_from(name),
                        (struct koid_names_moment){NAME_SINCE_START, 0});
}

/* A module record: `id` is `name` in a process, with a build id of raw bytes. */
static inline struct fxt_profiler module_record(uint64_t process, uint32_t id,
                                                const char *name, const char *build_id)
{
    struct fxt_profiler record = {.module_id = id};

    record.thread = (struct fxt_thread){process, 0, 0, true};
    record.name = (struct fxt_string){name, (uint32_t)strlen(name), 0};
    record.build_id = (struct fxt_bytes){build_id, strlen(build_id)};
    return record;
}

static inline struct fxt_profiler mapping_record(uint64_t process, uint32_t id,
                                                 uint64_t start, uint64_t length,
                                                 uint64_t vaddr)
{
    struct fxt_profiler record = {.module_id = id};

    record.thread = (struct fxt_thread){process, 0, 0, true};
    record.start = start;
    record.length = length;
    record.vaddr = vaddr;
    record.flags = FXT_MAPPING_READ | FXT_MAPPING_EXECUTE;
    return record;
}

#endif
