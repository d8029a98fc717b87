/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes and threads a session samples by the events of CPUs. */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/harness.h"
#include "libfxtsampler/perf/perf_tree.h"

static void fork_in(struct perf_tree *tree, pid_t parent, pid_t child)
{
    struct fxt_sampler_event event = {.kind = FXT_SAMPLER_FORKED,
                                      .process = child,
                                      .thread = child,
                                      .parent = parent,
                                      .parent_thread = parent};

    CHECK(perf_tree_fork(tree, &event), "no memory");
}

TEST(perf_tree, children_of_children_belong_to_it)
{
    struct perf_tree tree = {0};

    CHECK(!perf_tree_has(&tree, 10, 10), "empty");
    CHECK(perf_tree_add_process(&tree, 10), "no memory");
    fork_in(&tree, 10, 11);
    fork_in(&tree, 11, 12);
    fork_in(&tree, 20, 21);
    CHECK(perf_tree_has(&tree, 10, 10) && perf_tree_has(&tree, 10, 15), "threads");
    CHECK(perf_tree_has(&tree, 12, 12) && perf_tree_observes(&tree, 12), "a grandchild");
    CHECK(!perf_tree_has(&tree, 21, 21) && !perf_tree_observes(&tree, 21), "another's");
    perf_tree_free(&tree);
}

TEST(perf_tree, a_process_id_that_is_used_again_by_others_leaves_it)
{
    struct perf_tree tree = {0};

    perf_tree_add_process(&tree, 10);
    fork_in(&tree, 10, 11);
    perf_tree_exit(&tree, 11, 11);
    fork_in(&tree, 20, 11);
    CHECK(!perf_tree_has(&tree, 11, 11), "another's child");
    fork_in(&tree, 10, 11);
    CHECK(perf_tree_has(&tree, 11, 11), "its child once more");
    perf_tree_free(&tree);
}

TEST(perf_tree, single_threads_are_sampled_and_their_process_is_observed)
{
    struct perf_tree tree = {0};

    perf_tree_add_thread(&tree, 10, 13);
    perf_tree_add_thread(&tree, 10, 10);
    CHECK(perf_tree_has(&tree, 10, 13) && perf_tree_has(&tree, 10, 10), "its threads");
    CHECK(!perf_tree_has(&tree, 10, 14) && !perf_tree_has_process(&tree, 10), "others");
    CHECK(perf_tree_observes(&tree, 10), "what it maps");
    fork_in(&tree, 10, 11);
    CHECK(!perf_tree_has(&tree, 11, 11), "the child of a thread");
    perf_tree_remove_thread(&tree, 10, 13);
    CHECK(!perf_tree_has(&tree, 10, 13) && perf_tree_observes(&tree, 10), "one is left");
    perf_tree_exit(&tree, 10, 10);
    CHECK(!perf_tree_has(&tree, 10, 10) && !perf_tree_observes(&tree, 10),
          "none is left");
    perf_tree_free(&tree);
}

TEST(perf_tree, a_hundred_thousand_processes_come_and_go)
{
    struct perf_tree tree = {0};
    pid_t last = 1;

    perf_tree_add_process(&tree, 1);
    for (pid_t i = 2; i < 100000; i++) {
        fork_in(&tree, last, i);
        CHECK(perf_tree_has(&tree, i, i), "%d", (int)i);
        if (i > 101)
            fork_in(&tree, 4000000, i - 100);
        last = i;
    }
    CHECK(tree.n_slots <= 1024, "%zu slots", tree.n_slots);
    CHECK(perf_tree_has(&tree, 1, 1) && perf_tree_has(&tree, last, last), "one is lost");
    perf_tree_free(&tree);
}

/* A process that has ended is a zombie until it is waited for, as is one whose main
 * thread alone has ended. */
TEST(perf_tree, what_has_ended_is_removed_and_lost_forks_are_found)
{
    struct perf_tree tree = {0};
    int pipe_ends[2];
    pid_t child;
    char byte;

    CHECK(pipe(pipe_ends) == 0, "no pipe");
    child = fork();
    if (child == 0) {
        close(pipe_ends[1]);
        _exit(read(pipe_ends[0], &byte, 1) < 0);
    }
    perf_tree_add_process(&tree, getpid());
    CHECK(perf_tree_read(&tree) && perf_tree_has(&tree, child, child), "the child");
    CHECK(!perf_tree_has(&tree, getppid(), getppid()), "the parent");
    close(pipe_ends[1]);
    waitpid(child, NULL, 0);
    perf_tree_remove_ended(&tree);
    CHECK(perf_tree_has(&tree, child, child), "its end was not reported");
    perf_tree_exit(&tree, child, child);
    perf_tree_remove_ended(&tree);
    CHECK(!perf_tree_has(&tree, child, child), "it has ended");
    CHECK(perf_tree_has(&tree, getpid(), getpid()), "it lives");
    close(pipe_ends[0]);
    perf_tree_free(&tree);
}
