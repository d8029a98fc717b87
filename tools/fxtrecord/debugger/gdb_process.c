/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_process.h. */
#include "gdb_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gdb_progress.h"

/* Timeouts: to read the symbols of a large kernel takes long; a gdb that does not exit on
 * request is killed. */
#define PATIENCE_NS ((uint64_t)60000000000)
#define END_PATIENCE_NS ((uint64_t)2000000000)

enum { PIECE = 1 << 16 };

/* ---- The process ------------------------------------------------------------------- */

/* In a new session, so that a terminal's Ctrl-C reaches only the recorder. */
static void exec_gdb(const char *program, const int to[2], const int from[2])
{
    char *const arguments[] = {(char *)(uintptr_t)program, (char *)(uintptr_t) "-nx",
                               (char *)(uintptr_t) "-q",
                               (char *)(uintptr_t) "--interpreter=mi2", NULL};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    sigset_t none;

    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0)
        _exit(127);
    execvp(program, arguments);
    _exit(127);
}

bool gdb_process_start(struct gdb_process *p, const char *program)
{
    int to[2];
    int from[2];

    if (pipe2(to, O_CLOEXEC) != 0)
        return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    /* A gdb that has exited is noticed by the end of its output. */
    signal(SIGPIPE, SIG_IGN);
    p->process = fork();
    if (p->process == 0)
        exec_gdb(program, to, from);
    close(to[0]);
    close(from[1]);
    p->to = to[1];
    p->from = from[0];
    return p->process > 0;
}

/* gdb exits at the end of its input. */
static bool has_exited(const struct gdb_process *p, uint64_t until_ns)
{
    const struct timespec slice = {0, 10000000};
    pid_t ended;

    while ((ended = waitpid(p->process, NULL, WNOHANG)) == 0 && gdb_clock() < until_ns)
        nanosleep(&slice, NULL);
    return ended != 0;
}

void gdb_process_end(struct gdb_process *p)
{
    if (p->process > 0) {
        close(p->to);
        close(p->from);
        if (!has_exited(p, gdb_clock() + END_PATIENCE_NS)) {
            kill(p->process, SIGKILL);
            waitpid(p->process, NULL, 0);
        }
    }
}

/* ---- What it says ------------------------------------------------------------------ */

static enum gdb_answer read_more(struct gdb_process *p, uint64_t until_ns)
{
    struct pollfd polled[2] = {{p->from, POLLIN, 0}, {p->stop, POLLIN, 0}};
    uint64_t now = gdb_clock();
    uint64_t left = now < until_ns ? until_ns - now : 0;
    struct timespec timeout = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    int n = ppoll(polled, 2, &timeout, NULL);
    ssize_t size;

    if (n > 0 && polled[1].revents != 0)
        return GDB_INTERRUPTED;
    if (n <= 0)
        return n < 0 && errno == EINTR ? GDB_DONE : GDB_LOST;
    size = read(p->from, text_room(&p->input, PIECE), PIECE);
    if (size <= 0)
        return GDB_LOST;
    p->input.size += (size_t)size;
    return GDB_DONE;
}

/* The next line, zero-terminated. The pipe is polled once more after the deadline. */
static enum gdb_answer next_line(struct gdb_process *p, uint64_t until_ns, char **line)
{
    enum gdb_answer answer = GDB_DONE;
    bool was_late = false;

    while (answer == GDB_DONE) {
        char *start = p->input.size > p->pos ? p->input.data + p->pos : NULL;
        char *end = start != NULL ? memchr(start, '\n', p->input.size - p->pos) : NULL;

        if (end != NULL) {
            *end = '\0';
            p->pos = (size_t)(end + 1 - p->input.data);
            *line = start;
            return GDB_DONE;
        }
        if (p->pos > 0 && start != NULL)
            memmove(p->input.data, start, p->input.size - p->pos);
        p->input.size -= p->pos;
        p->pos = 0;
        if (was_late)
            return GDB_LOST;
        was_late = gdb_clock() >= until_ns;
        answer = read_more(p, until_ns);
    }
    return answer;
}

static int parse_octal(const char *at)
{
    int value = 0;

    for (int i = 0; i < 3; i++) {
        if (at[i] < '0' || at[i] > '7')
            return -1;
        value = value << 3 | (at[i] - '0');
    }
    return value & 0xff;
}

/* Adds the value of a C string literal, from after its opening quote. */
static void unquote_c_string(struct text *to, const char *at)
{
    static const char letters[] = "n\nt\tr\re\x1b";

    for (; *at != '\0' && *at != '"'; at++) {
        const char *letter;

        if (*at != '\\' || at[1] == '\0') {
            text_char(to, *at);
            continue;
        }
        at++;
        letter = strchr(letters, *at);
        if (parse_octal(at) >= 0) {
            text_char(to, (char)parse_octal(at));
            at += 2;
        } else {
            text_char(to,
                      letter != NULL && (letter - letters) % 2 == 0 ? letter[1] : *at);
        }
    }
}

static bool starts_with(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0;
}

/* Handles a line that is not a result. */
static void take_line(struct gdb_process *p, const char *line)
{
    if (starts_with(line, "~\"") && p->log != NULL) {
        unquote_c_string(p->log, line + 2);
    } else if (starts_with(line, "*running")) {
        p->is_running = true;
    } else if (starts_with(line, "*stopped")) {
        p->is_running = false;
    } else if (starts_with(line, "=thread-group-exited")) {
        p->is_running = false;
        p->has_ended = true;
        p->is_lost = strstr(line, "exit-code=") == NULL;
    }
}

static void take_message(struct gdb_process *p, const char *line)
{
    const char *message = strstr(line, "msg=\"");

    p->message.size = 0;
    if (message != NULL)
        unquote_c_string(&p->message, message + strlen("msg=\""));
    text_char(&p->message, '\0');
}

static enum gdb_answer await_result(struct gdb_process *p)
{
    uint64_t until_ns = gdb_clock() + PATIENCE_NS;
    enum gdb_answer answer;
    char *line;

    while ((answer = next_line(p, until_ns, &line)) == GDB_DONE) {
        if (starts_with(line, "^error")) {
            take_message(p, line);
            return GDB_REFUSED;
        }
        if (line[0] == '^') {
            p->is_running = p->is_running || starts_with(line, "^running");
            return GDB_DONE;
        }
        take_line(p, line);
        /* A response of that size cannot be valid. */
        if (gdb_clock() >= until_ns)
            return GDB_LOST;
    }
    return answer;
}

/* ---- Commands ---------------------------------------------------------------------- */

enum gdb_answer gdb_process_command(struct gdb_process *p, const char *command)
{
    struct text line = {NULL, 0, 0};
    bool written;

    text_str(&line, command);
    text_char(&line, '\n');
    written = write(p->to, line.data, line.size) == (ssize_t)line.size;
    text_free(&line);
    return written ? await_result(p) : GDB_LOST;
}

enum gdb_answer gdb_process_wait(struct gdb_process *p, uint64_t until_ns)
{
    enum gdb_answer answer = GDB_DONE;
    char *line;

    while (answer == GDB_DONE && p->is_running) {
        answer = next_line(p, until_ns, &line);
        if (answer == GDB_DONE)
            take_line(p, line);
        if (answer != GDB_INTERRUPTED && gdb_clock() >= until_ns)
            return GDB_DONE;
    }
    return answer;
}

enum gdb_answer gdb_process_await_stop(struct gdb_process *p)
{
    enum gdb_answer answer = gdb_process_wait(p, gdb_clock() + PATIENCE_NS);

    return answer == GDB_DONE && p->is_running ? GDB_LOST : answer;
}

void gdb_quote(struct text *to, const char *argument)
{
    text_char(to, '"');
    for (; *argument != '\0'; argument++) {
        if (*argument == '"' || *argument == '\\')
            text_char(to, '\\');
        text_char(to, *argument);
    }
    text_char(to, '"');
}
