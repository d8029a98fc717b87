/* SPDX-License-Identifier: BSD-2-Clause */
/* See root_names.h. */
#include "root_names.h"

static bool has_root(const struct output_settings *settings, enum fxt_profile_root root)
{
    for (size_t i = 0; i < settings->n_roots; i++) {
        if (settings->roots[i] == root)
            return true;
    }
    return false;
}

static struct koid_names_id id_of(enum fxt_profile_root root,
                                  const struct profile_labels *labels)
{
    return root == FXT_PROFILE_ROOT_PROCESS ? profile_process(labels)
                                            : profile_thread(labels);
}

/* The number of a name as a key, or UINT32_MAX if there is no name. Threads of different
 * processes may have the same name if the processes are there as well. */
static uint32_t find_key(struct root_names *names, enum fxt_profile_root root,
                         const struct profile_labels *labels)
{
    struct string name =
        koid_names_name(&names->profile->koid_names, id_of(root, labels));
    uint64_t process = 0;

    if (name.size == 0)
        return UINT32_MAX;
    if (root == FXT_PROFILE_ROOT_THREAD &&
        has_root(names->settings, FXT_PROFILE_ROOT_PROCESS))
        process = labels->process;
    names->key.size = 0;
    text_char(&names->key, root == FXT_PROFILE_ROOT_PROCESS ? 'p' : 't');
    text_add(&names->key, (const char *)&process, sizeof(process));
    text_add(&names->key, name.data, name.size);
    return string_table_add(&names->keys, names->key.data, names->key.size);
}

static void note_name(struct root_names *names, enum fxt_profile_root root,
                      const struct profile_labels *labels)
{
    uint64_t koid = id_of(root, labels).koid;
    uint32_t key = find_key(names, root, labels);

    if (key == UINT32_MAX)
        return;
    if (key < names->n) {
        if (names->koids[key] != koid)
            names->are_repeated[key] = true;
        return;
    }
    names->koids =
        memory_grow(names->koids, names->n, &names->koid_capacity, sizeof(*names->koids));
    names->are_repeated =
        memory_grow(names->are_repeated, names->n, &names->repeated_capacity,
                    sizeof(*names->are_repeated));
    names->koids[names->n] = koid;
    names->are_repeated[names->n++] = false;
}

void root_names_start(struct root_names *names, const struct profile *profile,
                      const struct output_settings *settings)
{
    *names = (struct root_names){.profile = profile, .settings = settings};
    if (settings->wanted.ids != FXT_PROFILE_IDS_REPEATED)
        return;
    for (size_t i = 0; i < profile->n_labels; i++) {
        for (size_t j = 0; j < settings->n_roots; j++) {
            if (settings->roots[j] == FXT_PROFILE_ROOT_PROCESS ||
                settings->roots[j] == FXT_PROFILE_ROOT_THREAD)
                note_name(names, settings->roots[j], &profile->labels[i]);
        }
    }
}

static bool needs_id(struct root_names *names, enum fxt_profile_root root,
                     const struct profile_labels *labels)
{
    uint32_t key;

    switch (names->settings->wanted.ids) {
    case FXT_PROFILE_IDS_DEFAULT:
    case FXT_PROFILE_IDS_ALWAYS:
        return true;
    case FXT_PROFILE_IDS_NEVER:
        return koid_names_name(&names->profile->koid_names, id_of(root, labels)).size ==
               0;
    case FXT_PROFILE_IDS_REPEATED:
        break;
    }
    key = find_key(names, root, labels);
    return key == UINT32_MAX || names->are_repeated[key];
}

static void add_object(struct root_names *names, enum fxt_profile_root root,
                       const struct profile_labels *labels, struct text *text)
{
    const struct koid_names *all = &names->profile->koid_names;
    struct string name = koid_names_name(all, id_of(root, labels));

    if (needs_id(names, root, labels))
        koid_names_describe(all, id_of(root, labels), text);
    else
        text_add(text, name.data, name.size);
}

void root_names_add(struct root_names *names, enum fxt_profile_root root,
                    const struct profile_labels *labels, struct text *text)
{
    switch (root) {
    case FXT_PROFILE_ROOT_PROCESS:
    case FXT_PROFILE_ROOT_THREAD:
        add_object(names, root, labels, text);
        break;
    case FXT_PROFILE_ROOT_CPU:
        if (labels->cpu == PROFILE_NO_CPU)
            text_str(text, "cpu?");
        else
            text_printf(text, "cpu%u", labels->cpu);
        break;
    }
}
