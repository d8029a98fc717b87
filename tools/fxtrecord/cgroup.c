/* SPDX-License-Identifier: BSD-2-Clause */
/* See cgroup.h. */
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"

/* Another directory may have the name of a control group, such as that of the root. */
static int open_directory(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (directory < 0 || faccessat(directory, "cgroup.procs", F_OK, 0) == 0)
        return directory;
    close(directory);
    errno = ENOENT;
    return -1;
}

static bool is_version_1(const struct mntent *mount)
{
    return strcmp(mount->mnt_type, "cgroup") == 0 &&
           hasmntopt(mount, "perf_event") != NULL;
}

/* Where perf events look for control groups: version 1, if it has perf_event, or version
 * 2. Adds nothing if there is neither. */
static void find_hierarchy(struct text *path)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    const struct mntent *mount;

    while (mounts != NULL && (mount = getmntent(mounts)) != NULL) {
        bool is_first = is_version_1(mount);

        if (!is_first && (path->size > 0 || strcmp(mount->mnt_type, "cgroup2") != 0))
            continue;
        path->size = 0;
        text_str(path, mount->mnt_dir);
        if (is_first)
            break;
    }
    if (mounts != NULL)
        endmntent(mounts);
}

/* /proc/PID/cgroup has names that begin with a slash, too. */
int cgroup_open(const char *name)
{
    struct text path = {NULL, 0, 0};
    int directory = name[0] == '/' ? open_directory(name) : -1;

    if (directory >= 0)
        return directory;
    find_hierarchy(&path);
    if (path.size == 0) {
        errno = ENOENT;
        return -1;
    }
    text_printf(&path, "/%s", name);
    text_char(&path, '\0');
    directory = open_directory(path.data);
    text_free(&path);
    return directory;
}
