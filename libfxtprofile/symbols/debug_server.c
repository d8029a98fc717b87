/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_server.h. */
#include "debug_server.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/debuginfod.h>

/* Finds a function of a library. C has no cast from what dlsym returns. */
static bool find_function(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

/* Adds the path, for which room was reserved, and frees the library's copy. */
static void take_path(struct text *to, char *path)
{
    if (strlen(path) < PATH_MAX)
        text_str(to, path);
    free(path);
}

/* A length of 0 says that a build id is in hex. */
static bool fetch_path(void *library, const char *build_id, struct text *to)
{
    debuginfod_client *(*begin)(void);
    int (*find)(debuginfod_client *, const unsigned char *, int, char **);
    void (*end)(debuginfod_client *);
    debuginfod_client *client;
    char *path = NULL;
    int fd;

    if (!find_function(library, "debuginfod_begin", &begin) ||
        !find_function(library, "debuginfod_find_debuginfo", &find) ||
        !find_function(library, "debuginfod_end", &end))
        return false;
    text_room(to, PATH_MAX);
    client = begin();
    if (client == NULL)
        return false;
    fd = find(client, (const unsigned char *)build_id, 0, &path);
    if (fd >= 0)
        close(fd);
    end(client);
    if (fd >= 0)
        take_path(to, path);
    return fd >= 0;
}

/* The library stays loaded: those that it depends on may not support being reloaded. */
bool debug_server_fetch(const char *build_id, struct text *path)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    void *library;

    if (urls == NULL || urls[0] == '\0')
        return false;
    library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_NODELETE);
    return library != NULL && fetch_path(library, build_id, path);
}
