/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of the code that processes have mapped, where records are missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fxt/format.h>

#include "tests/support/pooled.h"
#include "libfxtsampler/perf/unwind/perf_spaces.h"

/* No process has this id. */
enum { NO_PROCESS = 0x7ffffff0, MS = 1000000 };

static struct perf_spaces spaces;

static void fork_process(pid_t parent, pid_t child)
{
    perf_spaces_take_event(&spaces, &(struct fxt_sampler_event){
                                        .kind = FXT_SAMPLER_FORKED,
                                        .process = child,
                                        .thread = child,
                                        .parent = parent,
                                        .parent_thread = parent,
                                    });
}

static void execute(pid_t process)
{
    perf_spaces_take_event(&spaces, &(struct fxt_sampler_event){
                                        .kind = FXT_SAMPLER_EXECUTED,
                                        .process = process,
                                        .thread = process,
                                        .name = "x",
                                    });
}

static void map(pid_t process, uint64_t start)
{
    perf_spaces_take_event(&spaces, &(struct fxt_sampler_event){
                                        .kind = FXT_SAMPLER_MAPPED,
                                        .process = process,
                                        .thread = process,
                                        .start = start,
                                        .length = 4096,
                                        .flags = FXT_MAPPING_EXECUTE,
                                        .name = "//anon",
                                    });
}

/* How many mappings with code are known. */
static uint32_t known(pid_t process, uint64_t now)
{
    return perf_spaces_find(&spaces, process, now)->n_modules;
}

/* ---- /proc ------------------------------------------------------------------------- */

POOLED_TEST(spaces, a_child_whose_parent_was_never_seen_is_read)
{
    spaces = (struct perf_spaces){0};
    fork_process(NO_PROCESS, getpid());
    CHECK(known(getpid(), 0) > 0, "nothing is known of this process");
}

POOLED_TEST(spaces, where_code_is_missing_it_is_looked_for_ever_more_seldom)
{
    struct perf_space *space;
    uint64_t now = 1000 * (uint64_t)MS;

    spaces = (struct perf_spaces){0};
    execute(getpid());
    space = perf_spaces_find(&spaces, getpid(), now);
    CHECK(space->n_modules == 0, "there are mappings before they are reported");
    CHECK(perf_spaces_read_again(&spaces, space, now), "not read");
    CHECK(space->n_modules > 0, "nothing was found");
    CHECK(!perf_spaces_read_again(&spaces, space, now + 99 * MS), "100 ms are not over");
    CHECK(perf_spaces_read_again(&spaces, space, now + 100 * MS), "100 ms are over");
    CHECK(!perf_spaces_read_again(&spaces, space, now + 299 * MS), "now 200 ms");
    CHECK(perf_spaces_read_again(&spaces, space, now + 300 * MS), "200 ms are over");
    execute(getpid());
    CHECK(!perf_spaces_read_again(&spaces, space, now + 309 * MS), "10 ms, of all");
    CHECK(perf_spaces_read_again(&spaces, space, now + 310 * MS), "another program");
}

POOLED_TEST(spaces, after_lost_records_processes_are_read_again)
{
    spaces = (struct perf_spaces){0};
    execute(getpid());
    CHECK(known(getpid(), MS) == 0, "before it is reported");
    perf_spaces_take_loss(&spaces);
    CHECK(known(getpid(), MS) > 0, "the loss was not noticed");
}

POOLED_TEST(spaces, what_is_known_of_a_process_stays_when_it_has_ended)
{
    pid_t child = fork();
    siginfo_t info;

    spaces = (struct perf_spaces){0};
    if (child == 0)
        _exit(0);
    CHECK(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0, "no child");
    for (int i = 0; i < 2; i++) {
        pid_t process = i == 0 ? NO_PROCESS : child;
        uint64_t now = 1000 * (uint64_t)MS * (uint64_t)(i + 1);

        execute(process);
        map(process, 0x1000);
        CHECK(
            perf_spaces_read_again(&spaces, perf_spaces_find(&spaces, process, now), now),
            "not tried");
        CHECK(known(process, now) == 1, "the mapping of process %d is gone", i);
    }
    waitpid(child, NULL, 0);
}

/* ---- Files ------------------------------------------------------------------------- */

static struct file_mapping describe(pid_t process, const char *name,
                                    const struct stat *status)
{
    return (struct file_mapping){
        .process = process,
        .start = 0x10000,
        .length = 0x1000,
        .flags = FXT_MAPPING_EXECUTE,
        .identity = {major(status->st_dev), minor(status->st_dev), status->st_ino, 0},
        .name = name,
    };
}

static void find_program(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);

    CHECK(n > 0, "no program");
    path[n] = '\0';
}

/* A copy of this program, which has unwind tables. */
static void copy_program(const char *to)
{
    char path[4096];
    static char buffer[1 << 16];
    FILE *in;
    FILE *out;
    size_t n;

    find_program(path, sizeof(path));
    in = fopen(path, "rb");
    out = fopen(to, "wb");
    CHECK(in != NULL && out != NULL, "%s is not to be copied", path);
    while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0)
        CHECK(fwrite(buffer, 1, n, out) == n, "not written");
    fclose(in);
    CHECK(fclose(out) == 0, "not written");
}

/* The kernel reports paths in the process's root directory; it may end at once. */
POOLED_TEST(tables, a_file_that_cannot_be_opened_is_found_under_another_name)
{
    struct perf_tables *tables = &spaces.tables;
    char path[4096];
    struct stat status = {.st_ino = 0};
    struct file_mapping missing;
    struct file_mapping there;
    uint32_t file;
    uint32_t other;

    spaces = (struct perf_spaces){0};
    find_program(path, sizeof(path));
    CHECK(stat(path, &status) == 0, "no file");
    missing = describe(NO_PROCESS, "/in/another/root/directory", &status);
    there = describe(NO_PROCESS, path, &status);
    file = perf_tables_add(tables, &missing);
    perf_tables_build(tables, file);
    CHECK(tables->all[file].table == NULL, "a table out of nothing");
    other = perf_tables_add(tables, &there);
    perf_tables_build(tables, other);
    CHECK(tables->all[other].table != NULL, "no table");
    file = perf_tables_add(tables, &missing);
    perf_tables_build(tables, file);
    CHECK(tables->all[file].table == tables->all[other].table, "another table");
}

POOLED_TEST(tables, a_file_that_could_not_be_opened_is_opened_for_the_next_process)
{
    struct perf_tables *tables = &spaces.tables;
    char name[] = "/tmp/fxt-tables-XXXXXX";
    char copy[64];
    struct stat status = {0};
    struct file_mapping mapping;
    uint32_t file;

    spaces = (struct perf_spaces){0};
    CHECK(mkdtemp(name) != NULL, "no directory");
    snprintf(copy, sizeof(copy), "%s/program", name);
    mapping = describe(NO_PROCESS, copy, &status);
    file = perf_tables_add(tables, &mapping);
    perf_tables_build(tables, file);
    CHECK(tables->all[file].table == NULL, "a table out of nothing");
    copy_program(copy);
    CHECK(perf_tables_add(tables, &mapping) == file, "another file");
    perf_tables_build(tables, file);
    CHECK(tables->all[file].table != NULL, "no table");
    unlink(copy);
    rmdir(name);
}

/* ---- Root directories -------------------------------------------------------------- */

static char root[] = "/tmp/fxt-root-XXXXXX";

/* A process in another root directory, which ends when `wake` is closed. Returns false if
 * this user may not have one. */
static bool start_in_root(pid_t *child, int *wake)
{
    int down[2];
    int up[2];
    char byte = 0;

    CHECK(pipe(down) == 0 && pipe(up) == 0, "no pipe");
    *child = fork();
    if (*child == 0) {
        close(down[1]);
        if (chroot(root) != 0 || write(up[1], &byte, 1) != 1)
            _exit(1);
        _exit(read(down[0], &byte, 1) != 0);
    }
    close(down[0]);
    close(up[1]);
    *wake = down[1];
    return read(up[0], &byte, 1) == 1;
}

static void map_in_root(pid_t child)
{
    struct perf_tables *tables = &spaces.tables;
    char copy[64];
    struct stat status = {0};
    struct file_mapping seen = describe(child, "/nothing", &status);
    struct file_mapping mapping;
    uint32_t file;

    perf_tables_add(tables, &seen);
    snprintf(copy, sizeof(copy), "%s/program", root);
    copy_program(copy);
    CHECK(stat(copy, &status) == 0, "no file");
    mapping = describe(NO_PROCESS, "/program", &status);
    file = perf_tables_add(tables, &mapping);
    perf_tables_build(tables, file);
    CHECK(tables->all[file].table != NULL, "no table");
    status.st_ino++;
    mapping = describe(NO_PROCESS, "/program", &status);
    file = perf_tables_add(tables, &mapping);
    perf_tables_build(tables, file);
    CHECK(tables->all[file].table == NULL, "the table of another file");
    unlink(copy);
}

POOLED_TEST(tables, a_file_of_a_process_that_has_ended_is_found_in_its_root_directory)
{
    int wake;
    pid_t child;

    CHECK(mkdtemp(root) != NULL, "no directory");
    spaces = (struct perf_spaces){0};
    if (start_in_root(&child, &wake))
        map_in_root(child);
    else
        CHECK(geteuid() != 0, "no root directory");
    close(wake);
    waitpid(child, NULL, 0);
    rmdir(root);
}
