/* SPDX-License-Identifier: BSD-2-Clause */
/* See ask_program.h. */
#include "ask_program.h"

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/memory.h"

extern char **environ;

enum { OUTPUT_MAX = 1 << 20 };

static bool start(pid_t *process, int output, const char *path, const char *argument)
{
    char *name = memory_copy_string(path);
    char *copy = memory_copy_string(argument);
    char *arguments[] = {name, copy, NULL};
    posix_spawn_file_actions_t actions;
    bool started;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, output);
    started = posix_spawn(process, path, &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    memory_release(name);
    memory_release(copy);
    return started;
}

static bool read_all(struct text *text, int from)
{
    for (;;) {
        char *room = text_room(text, 4096);
        ssize_t size = read(from, room, 4096);

        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size == 0;
        text->size += (size_t)size;
        if (text->size > OUTPUT_MAX)
            return false;
    }
}

bool ask_program(struct text *text, const char *path, const char *argument)
{
    pid_t process = 0;
    int status = 1;
    int ends[2];
    bool good;

    if (pipe(ends) != 0)
        return false;
    good = start(&process, ends[1], path, argument);
    close(ends[1]);
    if (good)
        good = read_all(text, ends[0]);
    close(ends[0]);
    if (process > 0 && waitpid(process, &status, 0) != process)
        status = 1;
    return good && status == 0;
}
