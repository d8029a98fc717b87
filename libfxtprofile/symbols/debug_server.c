/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_server.h. */
#include "debug_server.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#include <elfutils/debuginfod.h>

/* Finds a function of a library. C has no cast from what dlsym returns. */
static bool find_function(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

/* The path's memory is the library's. */
static char *take_over(char *path)
{
    char *copy = memory_copy_string(path);

    free(path);
    return copy;
}

/* A length of 0 says that a build id is in hex. */
static char *fetch(void *library, const char *build_id)
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
        return NULL;
    client = begin();
    if (client == NULL)
        return NULL;
    fd = find(client, (const unsigned char *)build_id, 0, &path);
    if (fd >= 0)
        close(fd);
    end(client);
    return fd >= 0 ? take_over(path) : NULL;
}

/* The library stays: what it uses may not like to be loaded twice. */
char *debug_server_fetch(const char *build_id)
{
    static void *library;
    const char *urls = getenv("DEBUGINFOD_URLS");

    if (urls == NULL || urls[0] == '\0')
        return NULL;
    if (library == NULL)
        library = dlopen("libdebuginfod.so.1", RTLD_NOW);
    return library != NULL ? fetch(library, build_id) : NULL;
}
