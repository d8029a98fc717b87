/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that leaves three blocks of 1000 bytes and one of 70,000, from a function
 * each, and ends in the way that its argument says:
 *
 *     heap_leave END [ARGUMENT...]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[8];

static __attribute__((noinline)) void leave_small(void)
{
    for (int i = 0; i < 3; i++)
        kept[i] = malloc(1000);
}

static __attribute__((noinline)) void leave_large(void)
{
    kept[3] = malloc(70000);
}

static void free_one(void)
{
    free(kept[4]);
}

static void say_ready(void)
{
    if (write(STDOUT_FILENO, "ready\n", 6) != 6)
        _exit(1);
}

/* Children that end in all ways; a number of them at a time. */
static void make_children(int n, int at_a_time)
{
    for (int i = 0; i < n; i++) {
        pid_t child = fork();

        if (child == 0) {
            kept[5] = malloc(5000 + (size_t)i);
            switch (i % 5) {
            case 0:
                exit(0);
            case 1:
                kill(getpid(), SIGKILL);
                break;
            case 2:
                execl("/proc/self/exe", "heap_leave", "exit", (char *)NULL);
                break;
            case 3:
                execl("/bin/true", "true", (char *)NULL);
                break;
            default:
                abort();
            }
            _exit(1);
        }
        if (i % at_a_time == at_a_time - 1) {
            while (wait(NULL) > 0)
                continue;
        }
    }
    while (wait(NULL) > 0)
        continue;
}

/* One program after the other, as often as the argument says. */
static void execute_again(const char *left)
{
    char next[16];

    if (atoi(left) == 0)
        return;
    snprintf(next, sizeof(next), "%d", atoi(left) - 1);
    execl("/proc/self/exe", "heap_leave", "again", next, (char *)NULL);
}

static void end(const char *how, char **arguments)
{
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(3);
    if (strcmp(how, "exit_group") == 0)
        syscall(SYS_exit_group, 3);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "exec") == 0)
        execv(arguments[0], arguments);
    if (strcmp(how, "again") == 0)
        execute_again(arguments[0]);
    if (strcmp(how, "children") == 0)
        make_children(atoi(arguments[0]), atoi(arguments[1]));
    if (strcmp(how, "wait") == 0) {
        say_ready();
        pause();
    }
    if (strcmp(how, "daemon") == 0 && fork() == 0) {
        kept[5] = malloc(5000);
        say_ready();
        fclose(stdout);
        pause();
    }
    if (strcmp(how, "daemon") == 0)
        sleep(1);
    exit(3);
}

int main(int argc, char **argv)
{
    /* Is there no more when the program ends. */
    kept[4] = malloc(2000);
    if (argc < 2 || atexit(free_one) != 0)
        return 1;
    leave_small();
    leave_large();
    end(argv[1], argv + 2);
}
