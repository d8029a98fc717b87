/* SPDX-License-Identifier: BSD-2-Clause */
/* A file under a temporary name, which takes its own name once it is whole, and the
 * place, the owner and the permissions of the file that has that name. */
#ifndef BASE_IO_NEW_FILE_H
#define BASE_IO_NEW_FILE_H

#include <stdbool.h>

/* How a file under a temporary name is made: `create` replaces the six X at the end of
 * the name and returns a descriptor, or -1 with errno set; `done` is called when the file
 * has its own name or is gone. */
struct output_maker {
    int (*create)(char *name);
    void (*done)(void);
};

/* For libraries: leaves the file if the program ends before it is whole. */
extern const struct output_maker plain_output_maker;

/* All zero is none, of which the functions below do nothing. */
struct new_file {
    const struct output_maker *maker;
    /* The name that it is to have; and that which it has until then, else NULL. */
    char *name;
    char *temporary;
};

/* Returns a descriptor, or -1 with errno set. Where the name is that of a symbolic link,
 * the file takes the place of the one that it leads to. */
int new_file_create(struct new_file *file, const struct output_maker *maker,
                    const char *name);

/* Returns false, with errno set, if the file cannot have its name. */
bool new_file_rename(struct new_file *file);

/* Removes it if it has its temporary name still. */
void new_file_remove(const struct new_file *file);

void new_file_free(struct new_file *file);

#endif
