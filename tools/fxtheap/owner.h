/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that a table is of: whether it is there, and has the table mapped. */
#ifndef FXTHEAP_OWNER_H
#define FXTHEAP_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/processes/proc_stat.h"
#include "tools/fxtheap/table/table_file.h"

/* Whether a table's process is in the PID namespace of /proc here. */
enum found_place { FOUND_PLACE_UNKNOWN, FOUND_HERE, FOUND_ELSEWHERE };

struct found_table {
    char *path;
    struct file *file;
    struct table_head head;
    enum found_place place;
    /* A thread of it that has not ended, if it is running. */
    uint64_t thread;
    /* The process is there; and it has the table mapped, which it has not while it
     * executes another program. */
    bool is_there;
    bool is_running;
};

enum mapped { MAPPED_NO, MAPPED_YES, MAPPED_UNKNOWN };

/* Returns false if there is no process of that number, which may be any. */
bool owner_read_stat(uint64_t process, struct proc_stat *stat);

enum found_place owner_find_place(const struct table_head *head);

/* Stores in a table of which the place is known what /proc shows of its process. */
void owner_find(struct found_table *table);

/* Whether the file belongs to the user of the process, or to root: another user might
 * have put a table there for a process that is not theirs. */
bool owner_has_file(const struct found_table *table);

/* Whether a process that /proc does not show has a table mapped. Where that cannot be
 * found out, as on a file system without leases, it is assumed to, unless the table is of
 * a process that /proc would show. */
bool owner_has_mapped(const struct found_table *table);

/* The kernel grants no lease for reading on a file that is open for writing, or mapped
 * so. None is granted for the files of others, without privileges, or on some file
 * systems: then the answer is MAPPED_UNKNOWN. */
enum mapped owner_look_by_lease(int fd);

#endif
