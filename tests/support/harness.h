/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test bodies run under Criterion, each in a separate process. With TEST_PLAIN they run
 * one after the other under a main() that stands here: on architectures without
 * Criterion, and under sanitizers that Criterion does not start under.
 *
 *     TEST(time, no_tick_is_lost_in_a_century)
 *     {
 *         CHECK(1 + 1 == 2, "%d is not 2", 1 + 1);
 *     }
 *
 * The message of a CHECK is for the reader of the failure; it is a printf format.
 */
#ifndef TESTS_SUPPORT_HARNESS_H
#define TESTS_SUPPORT_HARNESS_H

#ifndef TEST_PLAIN

#include <criterion/criterion.h>

#define TEST(suite, name) Test(suite, name)
#define CHECK(condition, ...) cr_assert(condition, __VA_ARGS__)

#else

#include <stdio.h>
#include <stdlib.h>

struct plain_test {
    const char *name;
    void (*run)(void);
    struct plain_test *next;
};

static struct plain_test *plain_tests;

/* Each test is put in front of the list before main() runs. */
#define TEST(suite, test)                                                                \
    static void suite##_##test(void);                                                    \
    __attribute__((constructor)) static void add_##suite##_##test(void)                  \
    {                                                                                    \
        static struct plain_test self = {#suite ": " #test, suite##_##test, NULL};       \
                                                                                         \
        self.next = plain_tests;                                                         \
        plain_tests = &self;                                                             \
    }                                                                                    \
    static void suite##_##test(void)

#define CHECK(condition, ...)                                                            \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            printf("# %s:%d: %s:", __FILE__, __LINE__, #condition);                      \
            printf(" " __VA_ARGS__);                                                     \
            printf("\nBail out!\n");                                                     \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

int main(void)
{
    int n = 0;

    /* Nothing is buffered that a child of a test could write again. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    for (const struct plain_test *test = plain_tests; test != NULL; test = test->next) {
        test->run();
        printf("ok %d - %s\n", ++n, test->name);
    }
    printf("1..%d\n", n);
    return 0;
}

#endif

#endif
