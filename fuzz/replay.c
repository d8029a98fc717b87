/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzz target without a fuzzer: runs it over files, and over the files in directories,
 * that the command line names. Every build has this, so that what fuzzing found stays
 * found.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

static void fail(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(1);
}

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t room = 0;
    size_t size = 0;

    if (file == NULL)
        fail(path);
    do {
        room = room * 2 + 4096;
        data = (uint8_t *)realloc(data, room);
        if (data == NULL)
            fail(path);
        size += fread(data + size, 1, room - size, file);
    } while (size == room);
    if (ferror(file))
        fail(path);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int replay(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int n = 0;

    if (dir == NULL)
        return replay_file(path);
    while ((entry = readdir(dir)) != NULL) {
        char name[4096];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        n += replay_file(name);
    }
    closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;

    for (int i = 1; i < argc; i++)
        n += replay(argv[i]);
    printf("%d inputs\n", n);
    return n > 0 ? 0 : 1;
}
